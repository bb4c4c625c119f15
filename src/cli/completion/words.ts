/** What the three scripts share: where each word leads, and how text is quoted. */
import { everyVerb, type OptionDescription, type VerbDescription } from '../tree-description.ts';

/** `/config/set`; empty for the command itself. */
export function placeOf({ path }: VerbDescription): string {
  return path.map((part) => `/${part}`).join('');
}

/** Every place that a word can lead to, deepest last. */
export function places(tree: VerbDescription): string[] {
  return [...everyVerb(tree)].map(placeOf).filter((place) => place !== '');
}

export function flagsOf({ short, long }: OptionDescription): string[] {
  return short === undefined ? [long] : [short, long];
}

/** In single quotes, for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
