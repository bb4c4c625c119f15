/**
 * Takes secrets out of a finished log line, whatever field or message carried them (X10). Works on the line, not on known
 * fields, so that a new call site cannot forget it.
 */

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/([?&](?:ticket|token|access_token)=)[^&\s"'\\]+/gi, '$1[scrubbed]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 [scrubbed]'],
  [/(tui-session-\d+=)[^;\s"'\\]+/gi, '$1[scrubbed]'],
  [/("(?:authorization|cookie|set-cookie|token|ticket|password|secret)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi, '$1"[scrubbed]"'],
];

export function scrubSecrets(line: string): string {
  let clean = line;
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}
