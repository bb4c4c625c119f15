/** Completion of `tuic` for fish. */
import { everyVerb, type OptionDescription, type ValueKind, type VerbDescription } from '../tree-description.ts';
import { placeOf, places } from './words.ts';

/** In single quotes, as fish reads them. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function reply(kind: ValueKind): string {
  switch (kind.kind) {
    case 'choices':
      return ` -a ${quote(kind.choices.join(' '))}`;
    case 'names':
      return `${kind.orFile ? ' -F' : ''} -k -a ${quote(`(tuic complete ${kind.of} 2>/dev/null)`)}`;
    case 'file':
      return ' -F';
    case 'folder':
      return " -a '(__fish_complete_directories)'";
    case 'program':
      return " -F -a '(__fish_complete_command)'";
    case 'any':
      return '';
  }
}

function renderOption(place: string, option: OptionDescription): string {
  const short = option.short === undefined ? '' : ` -s ${option.short.slice(1)}`;
  const value =
    option.value === undefined ? '' : `${option.value.kind === 'file' ? ' -r' : ' -x'}${reply(option.value)}`;
  return `complete -c tuic -n '__tuic_at ${quoteInner(place)}'${short} -l ${option.long.slice(2)}${value} -d ${quote(option.description)}`;
}

/** A place holds letters, slashes and hyphens alone; the empty one needs its quotes. */
function quoteInner(place: string): string {
  return place === '' ? '""' : place;
}

function renderVerb(verb: VerbDescription): string[] {
  const place = placeOf(verb);
  const condition = `-n '__tuic_at ${quoteInner(place)}'`;
  const lines = verb.options.map((option) => renderOption(place, option));
  for (const inner of verb.verbs) {
    lines.push(`complete -c tuic ${condition} -a ${inner.path.at(-1)} -d ${quote(inner.summary)}`);
  }
  const [first] = verb.arguments;
  const words = first === undefined ? '' : reply(first.value);
  if (words !== '') lines.push(`complete -c tuic ${condition}${words}`);
  return lines;
}

export function renderFish(tree: VerbDescription): string {
  return `# Completion of tuic for fish. Made by "tuic completion fish"; load it with: tuic completion fish | source
function __tuic_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        switch "$place/$word"
            case ${places(tree).join(' ')}
                set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c tuic -e
complete -c tuic -f
${[...everyVerb(tree)].flatMap(renderVerb).join('\n')}
`;
}
