/** The command `npm run bench`. Results of each row are kept in .cache/bench/results.json until it is measured again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitAtHand, describeMachine, OWN_CACHE } from './kit/machine.ts';
import { type BenchFile, isPassed, type Row, type RowResult } from './model.ts';
import { formatTable } from './report/table.ts';
import { ROWS } from './rows/index.ts';
import { runRow } from './run-row.ts';

const RESULTS = join(OWN_CACHE, 'results.json');
const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const USAGE = 'npm run bench -- [ROW ...] [--list] [--quick] [--rounds N]';

function readResults(path: string): RowResult[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as BenchFile).rows;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Keeps the rows that were not measured now, in the order of the table. */
function store(fresh: readonly RowResult[]): void {
  const byId = new Map([...readResults(RESULTS), ...fresh].map((row) => [row.id, row]));
  const rows = ROWS.map((row) => byId.get(row.id)).filter((row) => row !== undefined);
  const file: BenchFile = { commit: commitAtHand(), machine: describeMachine(), rows };
  writeFileSync(RESULTS, `${JSON.stringify(file, null, 1)}\n`);
}

function choose(names: readonly string[]): Row[] {
  if (names.length === 0) return [...ROWS];
  return names.map((name) => {
    const row = ROWS.find((candidate) => candidate.id === name);
    if (row === undefined) throw new Error(`there is no row ${name}; ${ROWS.map((known) => known.id).join(', ')}`);
    return row;
  });
}

/** Resolves to the exit code: 1 when a figure does not pass. */
export async function main(args: string[]): Promise<number> {
  let parsed: ReturnType<typeof parse>;
  let rows: Row[];
  try {
    parsed = parse(args);
    rows = choose(parsed.positionals);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nusage: ${USAGE}`);
    return 2;
  }
  const { values } = parsed;
  if (values.list === true) {
    for (const row of ROWS) console.log(`${row.id.padEnd(16)} ${row.title}`);
    return 0;
  }
  const isQuick = values.quick === true;
  const rounds = values.rounds === undefined ? (isQuick ? QUICK_ROUNDS : ROUNDS) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds wants a whole number from 1 on, not ${values.rounds}\nusage: ${USAGE}`);
    return 2;
  }
  const results: RowResult[] = [];
  for (const row of rows) {
    console.error(`── ${row.id}: ${row.title}`);
    const result = await runRow(row, { isQuick, rounds, progress: (text) => console.error(`   ${text}`) });
    results.push(result);
    store([result]);
  }
  console.log(`\n${formatTable(results)}\n`);
  const figures = results.flatMap((result) => result.figures);
  const passed = figures.filter(isPassed);
  const stretched = figures.filter((figure) => figure.verdict === 'stretch');
  console.log(`${passed.length} of ${figures.length} musts hold, ${stretched.length} of them with the stretch.`);
  return passed.length === figures.length ? 0 : 1;
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: { list: { type: 'boolean' }, quick: { type: 'boolean' }, rounds: { type: 'string' } },
  });
}
