/** The journal as a document for people: a day a section, an entry a line. Texts are those of agents, so nothing in them may be markup. */
import type { ProgressEntry } from '../../contract/index.ts';

function plain(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&');
}

function line({ kind, text, step, agent, created_at, corrected_at }: ProgressEntry): string {
  const time = new Date(created_at).toISOString().slice(11, 16);
  const aside = [step === undefined ? undefined : plain(step), agent === undefined ? undefined : plain(agent)]
    .concat(corrected_at === undefined ? [] : ['corrected'])
    .filter((each) => each !== undefined);
  return `- ${time} **${kind}** ${plain(text)}${aside.length === 0 ? '' : ` (${aside.join(', ')})`}`;
}

export function toMarkdown(repository: string, entries: readonly ProgressEntry[]): string {
  const parts = [`# Progress of ${plain(repository)}`];
  if (entries.length === 0) parts.push('Nothing is recorded.');
  let day = '';
  let lines: string[] = [];
  for (const entry of entries) {
    const own = new Date(entry.created_at).toISOString().slice(0, 10);
    if (own !== day) {
      if (lines.length > 0) parts.push(lines.join('\n'));
      lines = [];
      day = own;
      parts.push(`## ${day}`);
    }
    lines.push(line(entry));
  }
  if (lines.length > 0) parts.push(lines.join('\n'));
  return `${parts.join('\n\n')}\n`;
}
