/** tuic progress ls, export, pause, resume, clear, correct. */
import { resolve } from 'node:path';
import { type CorrectProgress, EXIT_CODES, PROGRESS_KINDS, type ProgressKind } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { formatTable, toSafeText } from '../text.ts';

interface ListOptions {
  limit?: number;
  since?: number;
  kind?: string;
  json?: boolean;
}

const folderOf = (context: Context, asked: string | undefined) => resolve(context.workingDirectory, asked ?? '.');

function kindOf(text: string | undefined): ProgressKind | undefined {
  if (text === undefined) return undefined;
  const kind = PROGRESS_KINDS.find((each) => each === text);
  if (kind === undefined) {
    throw new CliFailure(EXIT_CODES.usage, `${toSafeText(text)} is none of ${PROGRESS_KINDS.join(', ')}`);
  }
  return kind;
}

export async function listProgress(context: Context, asked: string | undefined, options: ListOptions): Promise<void> {
  const { limit, since } = options;
  const kind = kindOf(options.kind);
  const list = await (await context.connect()).progress.list(folderOf(context, asked), {
    ...(limit === undefined ? {} : { limit }),
    ...(since === undefined ? {} : { since }),
    ...(kind === undefined ? {} : { kind }),
  });
  if (options.json) return context.printJson(list);
  if (list.paused) context.print('The journal is paused; "tuic progress resume" goes on');
  if (list.entries.length === 0) return context.print('Nothing is recorded');
  const rows = list.entries.map(({ id, kind: own, text, step, agent, created_at }) => [
    new Date(created_at).toISOString().slice(0, 16).replace('T', ' '),
    own,
    toSafeText(agent ?? '-'),
    toSafeText(step === undefined ? text : `${text} (${step})`),
    id,
  ]);
  context.print(formatTable(['TIME (UTC)', 'KIND', 'AGENT', 'TEXT', 'ID'], rows));
}

export async function exportProgress(
  context: Context,
  asked: string | undefined,
  options: { json?: boolean },
): Promise<void> {
  const format = options.json ? 'json' : 'md';
  const text = await (await context.connect()).progress.export(folderOf(context, asked), format);
  context.print(text.trimEnd());
}

async function setPaused(context: Context, asked: string | undefined, paused: boolean, json: boolean): Promise<void> {
  const path = folderOf(context, asked);
  await (await context.connect()).progress.pause(path, paused);
  if (json) return context.printJson({ path, paused });
  context.print(
    paused ? 'Paused: nothing is added to this journal until "tuic progress resume"' : 'The journal goes on',
  );
}

interface JsonOption {
  json?: boolean;
}

export const pauseProgress = (context: Context, asked: string | undefined, { json = false }: JsonOption) =>
  setPaused(context, asked, true, json);

export const resumeProgress = (context: Context, asked: string | undefined, { json = false }: JsonOption) =>
  setPaused(context, asked, false, json);

export async function clearProgress(
  context: Context,
  asked: string | undefined,
  options: { before?: string; json?: boolean },
): Promise<void> {
  const before = options.before === undefined ? undefined : Date.parse(options.before);
  if (before !== undefined && Number.isNaN(before)) {
    throw new CliFailure(EXIT_CODES.usage, '--before needs a date such as 2026-12-01 or 2026-12-01T08:00Z');
  }
  const removed = await (await context.connect()).progress.clear(folderOf(context, asked), before);
  if (options.json) return context.printJson({ removed });
  context.print(removed === 1 ? 'Removed 1 entry' : `Removed ${removed} entries`);
}

export async function correctProgress(
  context: Context,
  id: string,
  options: { text?: string; step?: string; kind?: string; json?: boolean },
): Promise<void> {
  const kind = kindOf(options.kind);
  const { text, step } = options;
  if (kind === undefined && text === undefined && step === undefined) {
    throw new CliFailure(EXIT_CODES.usage, 'Say what is to change: --text, --step or --kind');
  }
  const change: CorrectProgress = { text, kind, step: step === '' ? null : step };
  const entry = await (await context.connect()).progress.correct(id, change);
  if (options.json) return context.printJson(entry);
  context.print(`Corrected: ${entry.kind}, ${toSafeText(entry.text)}`);
}
