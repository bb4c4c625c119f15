import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { PendingConfirm } from '../../src/contract/index.ts';
import { Questions } from './questions.ts';

const question = (request_id: string): PendingConfirm => ({
  request_id,
  kind: 'confirm',
  title: `title of ${request_id}`,
  message: null,
  created_at: 0,
  expires_at: 300_000,
});

function setUp() {
  const waiting: ((questions: PendingConfirm[]) => void)[] = [];
  const state = {
    shown: [] as readonly PendingConfirm[],
    notices: [] as string[],
    failures: [] as string[],
    refusal: undefined as Error | undefined,
  };
  const questions = new Questions({
    client: {
      confirms: {
        list: () => new Promise((resolve) => waiting.push(resolve)),
        answer: async () => {
          if (state.refusal !== undefined) throw state.refusal;
        },
      },
    },
    shown: () => state.shown,
    show: (shown) => {
      state.shown = shown;
    },
    play: () => undefined,
    notify: (_kind, text) => void state.notices.push(text),
    explain: (_error, what) => void state.failures.push(what),
  });
  return { questions, state, waiting };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('questions', () => {
  it('of two readings that overlap the one asked later is shown, whichever comes first', async () => {
    const { questions, state, waiting } = setUp();
    void questions.load();
    void questions.load();
    waiting[1]?.([question('new')]);
    await settled();
    waiting[0]?.([question('old')]);
    await settled();
    expect(state.shown.map(({ request_id }) => request_id)).toEqual(['new']);
  });

  it('W08: tells a question that ended without an answer, and not one that a person answered', async () => {
    const { questions, state, waiting } = setUp();
    state.shown = [question('a'), question('b')];
    questions.onEvent({ name: 'mcp-confirm-resolved', data: { request_id: 'a', confirmed: true } });
    questions.onEvent({
      name: 'mcp-confirm-resolved',
      data: { request_id: 'b', confirmed: false, reason: 'no answer within 300s' },
    });
    expect(state.notices).toEqual(['“title of b” was not decided: no answer within 300s.']);
    waiting.at(-1)?.([]);
    await settled();
    expect(state.shown).toEqual([]);
  });

  it('says that an answer came too late, and reads what is true', async () => {
    const { questions, state, waiting } = setUp();
    state.refusal = new RequestRefused(404, 'Not found');
    const answering = questions.answer(question('a'), true);
    await settled();
    waiting[0]?.([]);
    await answering;
    expect(state.notices).toEqual([expect.stringContaining('did not count')]);
    expect(state.failures).toEqual([]);
  });
});
