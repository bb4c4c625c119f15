/** Completion of `tuic` for bash. */
import { everyVerb, type ValueKind, type VerbDescription } from '../tree-description.ts';
import { flagsOf, placeOf, places, quote } from './words.ts';

function reply(kind: ValueKind): string {
  switch (kind.kind) {
    case 'choices':
      return `__tuic_words ${quote(kind.choices.join('\n'))}`;
    case 'names':
      return `__tuic_words "$(tuic complete ${kind.of} 2>/dev/null | cut -f1)"${kind.orFile ? '; __tuic_files -f' : ''}`;
    case 'file':
      return '__tuic_files -f';
    case 'folder':
      return '__tuic_files -d';
    case 'program':
      return 'mapfile -t COMPREPLY < <(compgen -c -- "$cur"); __tuic_files -f';
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
    lines.push('      case "$prev" in');
    for (const option of valued) lines.push(`        ${flagsOf(option).join('|')}) ${reply(option.value)}; return ;;`);
    lines.push('      esac');
  }
  const flags = [...verb.options.flatMap(flagsOf)].join('\n');
  lines.push(`      if [[ $cur == -* ]]; then __tuic_words ${quote(flags)}; return; fi`);
  const words = verb.verbs.map(({ path }) => path.at(-1) ?? '');
  if (words.length > 0) lines.push(`      __tuic_words ${quote(words.join('\n'))}`);
  const [first] = verb.arguments;
  if (first !== undefined) lines.push(`      ${reply(first.value)}`);
  return `    ${quote(placeOf(verb))})\n${lines.join('\n')}\n      ;;`;
}

export function renderBash(tree: VerbDescription): string {
  const verbs = [...everyVerb(tree)];
  return `# Completion of tuic for bash. Made by "tuic completion bash"; load it with: source <(tuic completion bash)
__tuic_words() {
  mapfile -t COMPREPLY < <(compgen -W "$(while IFS= read -r word; do printf '%q\\n' "$word"; done <<< "$1")" -- "$cur")
}
__tuic_files() {
  compopt -o filenames 2>/dev/null
  mapfile -O \${#COMPREPLY[@]} -t COMPREPLY < <(compgen "$1" -- "$cur")
}
_tuic() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} place='' index
  local IFS=$'\\n'
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place/\${COMP_WORDS[index]}" in
      ${places(tree).map(quote).join(' | ')}) place="$place/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place" in
${verbs.map(renderVerb).join('\n')}
  esac
}
complete -F _tuic tuic
`;
}
