/** Completion of `tuic` for zsh. */
import { everyVerb, type ValueKind, type VerbDescription } from '../tree-description.ts';
import { flagsOf, placeOf, places, quote } from './words.ts';

/** `name:description`, as _describe takes it. */
function entry(name: string, description: string): string {
  return quote(`${name.replaceAll(':', '\\:')}:${description}`);
}

function reply(kind: ValueKind): string {
  switch (kind.kind) {
    case 'choices':
      return `compadd -- ${kind.choices.map(quote).join(' ')}`;
    case 'names':
      return `__tuic_names ${kind.of}${kind.orFile ? '; _files' : ''}`;
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'program':
      return '_command_names -e; _files';
    case 'any':
      return ':';
  }
}

function renderVerb(verb: VerbDescription): string {
  const lines: string[] = [];
  const valued = verb.options.flatMap((option) =>
    option.value === undefined ? [] : [{ ...option, value: option.value }],
  );
  if (valued.length > 0) {
    lines.push('      case "$words[CURRENT-1]" in');
    for (const option of valued) lines.push(`        ${flagsOf(option).join('|')}) ${reply(option.value)}; return ;;`);
    lines.push('      esac');
  }
  const flags = verb.options.flatMap((option) => flagsOf(option).map((flag) => entry(flag, option.description)));
  lines.push(
    `      if [[ $words[CURRENT] == -* ]]; then entries=(${flags.join(' ')}); _describe option entries; return; fi`,
  );
  if (verb.verbs.length > 0) {
    const inner = verb.verbs.map(({ path, summary }) => entry(path.at(-1) ?? '', summary));
    lines.push(`      entries=(${inner.join(' ')}); _describe command entries`);
  }
  const [first] = verb.arguments;
  if (first !== undefined) lines.push(`      ${reply(first.value)}`);
  return `    ${quote(placeOf(verb))})\n${lines.join('\n')}\n      ;;`;
}

export function renderZsh(tree: VerbDescription): string {
  const verbs = [...everyVerb(tree)];
  return `#compdef tuic
# Completion of tuic for zsh. Made by "tuic completion zsh"; load it with: source <(tuic completion zsh)
__tuic_names() {
  local -a entries
  local line
  for line in \${(f)"$(tuic complete $1 2>/dev/null)"}; do
    entries+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe name entries
}
_tuic() {
  local place='' index
  local -a entries
  for ((index = 2; index < CURRENT; index++)); do
    case "$place/$words[index]" in
      ${places(tree).map(quote).join(' | ')}) place="$place/$words[index]" ;;
    esac
  done
  case "$place" in
${verbs.map(renderVerb).join('\n')}
  esac
}
compdef _tuic tuic
`;
}
