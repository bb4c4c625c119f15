/** tuic doctor: looks at everything the product needs, and says what to do. */
import { EXIT_CODES } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { type Check, type CheckResult, type CheckState, describeError, fail } from '../doctor/check.ts';
import { checkBrowser, checkDatabase, checkDirectory, checkDisk, checkNode, checkSettings } from '../doctor/machine.ts';
import { checkHost, checkLogin, checkPorts, checkSecrets, checkServer, checkSocket } from '../doctor/service.ts';

const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['node', checkNode],
  ['configuration', checkDirectory],
  ['settings', checkSettings],
  ['disk', checkDisk],
  ['database', checkDatabase],
  ['server', checkServer],
  ['socket', checkSocket],
  ['ports', checkPorts],
  ['terminal host', checkHost],
  ['secrets', checkSecrets],
  ['login link', checkLogin],
  ['browser', checkBrowser],
];

/** One after the other: a later one may look at what an earlier one has ruled out. Exits with 1 when something fails. */
export async function examine(context: Context, options: { json?: boolean }): Promise<number> {
  const { style } = context;
  const colours: Record<CheckState, (text: string) => string> = {
    ok: style.green,
    warn: style.yellow,
    fail: style.red,
  };
  const results: CheckResult[] = [];
  for (const [name, check] of CHECKS) {
    let found: CheckResult[];
    try {
      found = await check(context);
    } catch (error) {
      // What nobody expected is a finding, and the other checks still count.
      found = [fail(name, describeError(error), 'This should not happen; please report it')];
    }
    results.push(...found);
    if (options.json) continue;
    for (const { name: thing, state, detail, next } of found) {
      context.print(`${colours[state](state.padEnd(4))}  ${thing.padEnd(13)}  ${detail}`);
      if (next !== undefined) context.print(`      ${''.padEnd(13)}  ${style.dim('→')} ${next}`);
    }
  }
  if (options.json) context.printJson(results);
  return results.some(({ state }) => state === 'fail') ? EXIT_CODES.failure : EXIT_CODES.ok;
}
