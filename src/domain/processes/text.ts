/** Text that programs choose themselves, made fit to be shown: one line, no control or direction characters, secrets taken out. */
import { scrubSecrets } from '../../platform/log/index.ts';

const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** What follows an option that names a secret. */
const SECRET_OPTION = /(--?[\w-]*(?:password|passwd|token|secret|api-?key|credential)[\w-]*[= ])(?!-)\S+/gi;
const SECRET_VARIABLE = /\b(\w*(?:PASSWORD|TOKEN|SECRET|API_?KEY)\w*=)\S+/g;

export function showable(text: string): string {
  return text.replace(UNSHOWABLE, '\ufffd');
}

/** Arguments as one line; without any, the program's name in brackets, as `ps` shows it. */
export function commandText(values: readonly string[] | null, program: string): string {
  if (values === null || values.length === 0) return `[${showable(program)}]`;
  return scrubSecrets(showable(values.join(' ')))
    .replace(SECRET_OPTION, '$1[scrubbed]')
    .replace(SECRET_VARIABLE, '$1[scrubbed]');
}
