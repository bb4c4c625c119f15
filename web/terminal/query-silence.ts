/**
 * The server's screen engine answers terminal queries, once, whether or not somebody watches. A viewer that answered too
 * would type its answer into the program, so every query is taken here before the terminal sees it. What only sets
 * something passes on.
 */
import type { IDisposable, IParser } from '@xterm/xterm';

/** Control sequences that ask: [prefix, intermediates, final]. */
const QUERIES: readonly { prefix?: string; intermediates?: string; final: string }[] = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { prefix: '>', final: 'q' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '?', final: 'u' },
  { final: 'x' },
];

/** CSI Ps t: these ask for sizes, positions and titles; the others move or resize windows. */
const WINDOW_REPORTS: ReadonlySet<number> = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);

/** OSC colours: a `?` among the values asks. */
const COLOR_SEQUENCES = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] as const;

/** DCS requests for settings and terminal names. */
const REQUESTS: readonly { intermediates: string; final: string }[] = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
];

export function silenceQueries(parser: IParser): IDisposable {
  const taken: IDisposable[] = [
    ...QUERIES.map((id) => parser.registerCsiHandler(id, () => true)),
    parser.registerCsiHandler({ final: 't' }, ([first]) => typeof first === 'number' && WINDOW_REPORTS.has(first)),
    ...COLOR_SEQUENCES.map((code) => parser.registerOscHandler(code, (data) => asks(data))),
    ...REQUESTS.map((id) => parser.registerDcsHandler(id, () => true)),
    // The clipboard belongs to the person; a program in a terminal neither reads nor writes it.
    parser.registerOscHandler(52, () => true),
  ];
  return { dispose: () => taken.forEach((one) => void one.dispose()) };
}

function asks(data: string): boolean {
  return data.split(';').includes('?');
}
