import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { AppEvent, ScriptOutcome } from '../../src/contract/index.ts';
import { WindowAnswers } from './window-answers.ts';

const ask = (client_id: string): AppEvent => ({
  name: 'debug-invoke-js',
  data: { request_id: 'r1', client_id, script: 'any' },
});

function setUp(module: () => unknown) {
  const state = { loaded: [] as string[], notices: [] as string[], refusal: undefined as Error | undefined };
  const told: { requestId: string; outcome: ScriptOutcome }[] = [];
  const answers = new WindowAnswers({
    client: {
      windows: {
        answerScript: async (requestId, outcome) => {
          told.push({ requestId, outcome });
          if (state.refusal !== undefined) throw state.refusal;
        },
      },
    },
    clientId: 'mine',
    load: async (path) => {
      state.loaded.push(path);
      return module();
    },
    notify: (_kind, text) => void state.notices.push(text),
  });
  return { answers, state, told };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a script for this window', () => {
  it('DBG-1: is fetched, run, answered with its value, and the person is told', async () => {
    const { answers, state, told } = setUp(() => ({ default: async () => ({ title: 'x' }) }));
    answers.onEvent(ask('mine'));
    await settled();
    expect(state.loaded).toEqual(['/debug/scripts/r1']);
    expect(told).toEqual([{ requestId: 'r1', outcome: { result: { title: 'x' } } }]);
    expect(state.notices).toEqual(['An agent ran a script in this window.']);
  });

  it('DBG-1: for another window is not even fetched', async () => {
    const { answers, state, told } = setUp(() => ({ default: () => 1 }));
    answers.onEvent(ask('other'));
    await settled();
    expect([state.loaded, told, state.notices]).toEqual([[], [], []]);
  });

  it.each([
    ['throws', () => ({ default: () => Promise.reject(new TypeError('no')) }), 'TypeError: no'],
    ['throws what is no error', () => ({ default: () => Promise.reject('plainly') }), 'plainly'],
    [
      'cannot be fetched any more',
      () => {
        throw new TypeError('Failed to fetch');
      },
      'TypeError: Failed to fetch',
    ],
  ])('DBG-1: that %s is answered as a failure', async (_what, module, error) => {
    const { answers, told } = setUp(module);
    answers.onEvent(ask('mine'));
    await settled();
    expect(told).toEqual([{ requestId: 'r1', outcome: { error } }]);
  });

  it('that took too long has nobody to be told, and that is no fault', async () => {
    const { answers, state, told } = setUp(() => ({ default: () => 1 }));
    state.refusal = new RequestRefused(404, 'Not found');
    answers.onEvent(ask('mine'));
    await settled();
    expect(told).toHaveLength(1);
  });
});
