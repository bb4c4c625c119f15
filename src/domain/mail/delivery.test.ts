import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MailRig, settled, uuid } from '../../../test/kit/mail-rig.ts';
import { DEADLINES } from '../../contract/index.ts';
import { GENERIC_NOTICE } from './lines.ts';

const [A, B] = [uuid(1), uuid(2)];

let rig: MailRig;
beforeEach(() => {
  rig = new MailRig();
  rig.join('a', A);
  rig.join('b', B);
});
afterEach(() => {
  rig.dispose();
  expect(rig.failures).toEqual([]);
});

const lines = () => rig.typed.map(({ line }) => line);
const path = async (text: string) => (await rig.send(A, B, text)).delivery_path;

describe('ordinary recipients', () => {
  it('MSG-61, MSG-66, G02: an idle agent is typed its message at once, on one line', async () => {
    rig.addTerminal('s', B);
    expect(await path('two\r\nlines\x1b[201~\x03')).toBe('terminal_or_queued_and_inbox');
    expect(lines()).toEqual(['[TUIC message from agent] two lines [201~']);
    expect(rig.texts(B)).toEqual(['two\r\nlines\x1b[201~\x03']);
  });

  it('MSG-66: a long one is a pointer; a name is cut and has no control characters', async () => {
    rig.addTerminal('s', B);
    rig.peers.change(A, { name: `x\x1b\n${'y'.repeat(100)}` });
    await path('z'.repeat(3_000));
    expect(lines()[0]).toBe(`[TUIC message from x ${'y'.repeat(62)}] 3000 bytes, read it with: agent action=inbox`);
  });

  it('MSG-63, MSG-68, G02: one line an idle edge, in order, none while the program takes none', async () => {
    rig.addTerminal('s', B);
    await rig.work('s');
    for (const text of ['1', '2', '3']) await path(text);
    expect(lines()).toEqual([]);
    await rig.idle('s');
    expect(lines()).toHaveLength(1);
    await settled();
    expect(lines()).toHaveLength(1);
    for (const _ of [2, 3, 4]) {
      await rig.work('s');
      await rig.idle('s');
    }
    expect(lines().map((line) => line.at(-1))).toEqual(['1', '2', '3']);
  });

  it('MSG-63: nothing goes into a composer that is not empty; it goes once that is', async () => {
    rig.addTerminal('s', B);
    rig.refusing.set('s', 'composer_not_empty');
    await path('x');
    await rig.change('s', {}, false);
    expect(lines()).toEqual([]);
    await rig.change('s', {}, true);
    expect(lines()).toHaveLength(1);
  });

  it('MSG-67: without a byte it stays in front; an uncertain one is told so and never typed again', async () => {
    rig.addTerminal('s', B);
    rig.answer = undefined;
    const { message_id } = await rig.send(A, B, '1');
    await path('2');
    await rig.typed[0]?.settle('untouched');
    await rig.idle('s');
    expect(lines().map((line) => line.at(-1))).toEqual(['1', '1']);
    await rig.typed[1]?.settle('uncertain');
    expect(rig.mail.status(A, message_id)).toMatchObject({ owner: 'terminal', shown: 'uncertain', observed: false });
    await rig.idle('s');
    expect(lines().map((line) => line.at(-1))).toEqual(['1', '1', '2']);
  });

  it('MSG-38: what was read is not typed any more', async () => {
    rig.addTerminal('s', B);
    await rig.work('s');
    await path('1');
    await path('2');
    rig.inbox(B, { limit: 1 });
    await rig.idle('s');
    expect(lines().map((line) => line.at(-1))).toEqual(['2']);
  });

  it('MSG-45: what waited at a terminal that ended is free, and goes to the next one of the identity', async () => {
    rig.addTerminal('s', B);
    await rig.work('s');
    await path('x');
    rig.addTerminal('s2', B, { shell_state: 'busy', agent_state: 'working' });
    rig.refusing.set('s2', 'not_idle');
    await rig.end('s');
    await rig.idle('s2');
    expect(rig.typed).toMatchObject([{ sessionId: 's2' }]);
  });

  it('MSG-29: a lost terminal ends nothing: the mail waits for the one that is resumed', async () => {
    rig.addTerminal('s', B);
    await rig.work('s');
    await path('x');
    await rig.end('s', 'host_lost');
    expect(await path('y')).toBe('inbox_only');
    rig.addTerminal('s2', B);
    await rig.idle('s2');
    await rig.idle('s2');
    expect(lines()).toHaveLength(2);
    await rig.end('s2');
    expect(rig.peers.get(B)).toBeDefined();
    rig.infos.delete('s');
    rig.bus.publish({ name: 'session-closed', data: { session_id: 's', reason: 'explicit_close' } });
    await settled();
    expect(rig.peers.get(B)).toBeUndefined();
  });

  it('MSG-96: a line that a kill caught is uncertain, and is not typed again by itself', async () => {
    rig.addTerminal('s', B);
    rig.answer = undefined;
    const { message_id } = await rig.send(A, B, 'x');
    await path('y');
    await rig.restart();
    expect(rig.mail.status(A, message_id).shown).toBe('uncertain');
    await rig.idle('s');
    expect(lines().map((line) => line.at(-1))).toEqual(['x', 'y']);
  });

  it('MSG-70: mail and commands have one order; clearing commands leaves the mail', async () => {
    rig.addTerminal('s', B);
    await rig.work('s');
    const { queue } = rig.room;
    await path('P1');
    queue.push('s', { kind: 'command', text: 'C1' });
    await path('P2');
    queue.push('s', { kind: 'command', text: 'C2' });
    expect(queue.list('s').map(({ text }) => text.slice(-2))).toEqual(['P1', 'C1', 'P2', 'C2']);
    expect(queue.clearCommands('s')).toBe(2);
    expect(queue.list('s').map(({ text }) => text.slice(-2))).toEqual(['P1', 'P2']);
  });
});

describe('channel', () => {
  const pushed = () => rig.channels.get('b') ?? [];

  it('MSG-60: a working Claude with an open stream is pushed to, literally', async () => {
    rig.addTerminal('s', B, { agent_type: 'claude', agent_state: 'working', shell_state: 'busy' });
    rig.refusing.set('s', 'not_idle');
    rig.channels.set('b', []);
    const { message_id, delivery_path } = await rig.send(A, B, 'hi\nthere');
    expect(delivery_path).toBe('sse_channel_and_inbox');
    expect(pushed()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/claude/channel',
        params: {
          content: 'Message from agent: hi\nthere',
          meta: { from_tuic_session: A, from_name: 'agent', message_id },
        },
      },
    ]);
    await rig.idle('s');
    expect([lines(), rig.texts(B)]).toEqual([[], ['hi\nthere']]);
  });

  it('MSG-60, MSG-61: an idle Claude and other agents are typed at; an external one gets the push', async () => {
    rig.channels.set('b', []);
    expect(await path('1')).toBe('sse_channel_and_inbox');
    rig.addTerminal('s', B, { agent_type: 'claude' });
    expect(await path('2')).toBe('terminal_or_queued_and_inbox');
    await rig.change('s', { agent_type: 'codex', agent_state: 'working' }, false);
    expect(await path('3')).toBe('terminal_or_queued_and_inbox');
    expect(pushed()).toHaveLength(1);
  });
});

describe('orchestrators', () => {
  beforeEach(() => {
    rig.addTerminal('s', B);
    rig.register('b', { orchestrator: true });
  });

  it('MSG-71, MSG-73: an idle one gets the notice without payload; a working one nothing until it is idle', async () => {
    expect(await path('secret')).toBe('wake_notification_and_inbox');
    expect(lines()).toEqual([GENERIC_NOTICE]);
    rig.inbox(B);
    await rig.work('s');
    expect(await path('secret')).toBe('inbox_only');
    expect(rig.room.queue.list('s')).toEqual([]);
    await rig.idle('s');
    expect(lines()).toEqual([GENERIC_NOTICE, GENERIC_NOTICE]);
  });

  it('MSG-74: one notice covers what comes until it is read', async () => {
    await path('1');
    expect(await path('2')).toBe('coalesced_wake_and_inbox');
    await rig.work('s');
    await rig.idle('s');
    expect(await path('3')).toBe('coalesced_wake_and_inbox');
    expect(lines()).toHaveLength(1);
    expect(rig.texts(B)).toEqual(['1', '2', '3']);
    await rig.work('s');
    await rig.idle('s');
    expect(lines()).toHaveLength(1);
  });

  it('MSG-72, MSG-78: a wait owns the message; after a notice it still returns the payload', async () => {
    const { outcome } = rig.wait(B);
    expect(await path('1')).toBe('waiter_and_inbox');
    expect((await outcome).met).toBe(true);
    await path('2');
    expect((await rig.wait(B, { since: 0 }).outcome).messages).toMatchObject([{ content: '2' }]);
    await rig.idle('s');
    expect(await path('3')).toBe('wake_notification_and_inbox');
  });

  it('MSG-76: two uncertain attempts, 5 s apart, then none until a read; idle edges do not re-arm', async () => {
    rig.answer = 'uncertain';
    expect(await path('1')).toBe('inbox_only');
    await rig.idle('s');
    expect(lines()).toHaveLength(1);
    rig.clock.advance(DEADLINES.noticeUncertain);
    await settled();
    expect(lines()).toHaveLength(2);
    for (let time = 0; time < 3; time++) {
      await rig.work('s');
      await rig.idle('s');
      rig.clock.advance(DEADLINES.noticeUncertain);
      await path('more');
    }
    expect(lines()).toHaveLength(2);
    rig.answer = 'typed';
    rig.inbox(B);
    await rig.idle('s');
    expect(await path('2')).toBe('wake_notification_and_inbox');
  });

  it('MSG-77: without a byte it is over for this lifecycle; a new idle edge tries again', async () => {
    rig.answer = 'untouched';
    await path('1');
    await rig.change('s', { agent_state: 'idle' });
    expect(lines()).toHaveLength(1);
    await rig.work('s');
    await rig.idle('s');
    expect(lines()).toHaveLength(2);
    rig.answer = 'typed';
    await rig.work('s');
    await rig.idle('s');
    expect(lines()).toHaveLength(3);
    await rig.work('s');
    await rig.idle('s');
    expect(lines()).toHaveLength(3);
  });

  it('MSG-96: a notice that a kill caught counts as one uncertain attempt', async () => {
    rig.answer = undefined;
    void path('1');
    await settled();
    await rig.restart();
    await rig.idle('s');
    expect(lines()).toHaveLength(1);
    rig.clock.advance(DEADLINES.noticeUncertain);
    await settled();
    expect(lines()).toHaveLength(2);
  });

  it('MSG-22, MSG-71: the role takes queued payload out of the terminal, and without it mail is typed again', async () => {
    rig.register('b', { orchestrator: false });
    await rig.work('s');
    await path('1');
    expect(rig.room.queue.list('s')).toHaveLength(1);
    rig.register('b', { orchestrator: true });
    expect(rig.room.queue.list('s')).toEqual([]);
    rig.register('b', {});
    expect(rig.peers.get(B)?.orchestrator).toBe(true);
    rig.register('b', { orchestrator: false });
    await rig.idle('s');
    expect(lines()).toEqual(['[TUIC message from agent] 1']);
  });
});

describe('lifecycle mail', () => {
  const contents = (identity: string) => rig.texts(identity).map((text) => JSON.parse(text) as Record<string, unknown>);

  beforeEach(() => {
    rig.addTerminal('child-0001-long', uuid(9), { agent_state: 'working', shell_state: 'busy' });
    rig.room.parents.set('child-0001-long', B);
  });

  it('MSG-81, MSG-82: one notice a finished turn; the end tells its exit code, and no idle before it', async () => {
    await rig.work('child-0001-long');
    await rig.idle('child-0001-long');
    await rig.change('child-0001-long', { agent_state: 'completed' });
    await rig.work('child-0001-long');
    await rig.end('child-0001-long', 'process_exit', 3);
    const session_id = 'child-0001-long';
    expect(contents(B)).toEqual([
      { type: 'state_change', state: 'idle', session_id },
      { type: 'state_change', state: 'exited', session_id, exit_code: 3 },
    ]);
    expect(rig.room.parents.of(session_id)).toBeUndefined();
  });

  it('MSG-81, MSG-84: a question is told once, on one line of at most 120 characters; lost has no exit code', async () => {
    const asks = { awaiting_input: true, question_confident: true, question_text: `ok?\n${'x'.repeat(200)}` } as const;
    await rig.change('child-0001-long', { ...asks, agent_state: 'awaiting_input' }, false);
    await rig.change('child-0001-long', { progress: 3 }, false);
    await rig.end('child-0001-long', 'host_lost');
    const [question, lost] = contents(B);
    expect(question).toMatchObject({ state: 'awaiting_input', prompt: `ok? ${'x'.repeat(116)}` });
    expect(lost).toEqual({ type: 'state_change', state: 'lost', session_id: 'child-0001-long' });
    expect(rig.room.parents.of('child-0001-long')).toBe(B);
  });

  it('MSG-32: unread states of one child take the place of each other; nothing counts as missed', async () => {
    for (let turn = 0; turn < 5; turn++) {
      await rig.work('child-0001-long');
      await rig.idle('child-0001-long');
    }
    const page = rig.inbox(B);
    expect([page.count, page.missed_count]).toEqual([1, undefined]);
  });

  it('MSG-75: an orchestrator gets a summary, which asks for no read; with peer mail the generic notice', async () => {
    rig.addTerminal('s', B);
    rig.register('b', { orchestrator: true });
    await rig.work('s');
    await rig.work('child-0001-long');
    await rig.idle('child-0001-long');
    await rig.end('child-0001-long', 'process_exit', 0);
    await rig.idle('s');
    const id8 = 'child-00';
    expect(lines()).toEqual([`[TUIC] child agent ${id8} is now idle; child agent ${id8} exited (exit 0)`]);
    await rig.work('s');
    await rig.idle('s');
    expect(lines()).toHaveLength(1);
    await path('x');
    expect(lines()[1]).toBe(GENERIC_NOTICE);
  });

  it('MSG-84: an ordinary parent is typed what happened, in words', async () => {
    rig.addTerminal('s', B);
    await rig.work('child-0001-long');
    await rig.idle('child-0001-long');
    expect(lines()).toEqual(['[TUIC message from tuic] child agent child-00 is now idle']);
  });

  it('MSG-27, MSG-29: an address lives while a child of it lives', async () => {
    rig.addTerminal('s', B);
    await rig.end('s');
    expect(rig.peers.get(B)).toBeDefined();
    rig.live.clear();
    expect(rig.peers.reap(rig.clock.now() + 1)).toEqual([A]);
    await rig.end('child-0001-long');
    expect(rig.peers.reap(rig.clock.now() + 1)).toEqual([B]);
  });
});
