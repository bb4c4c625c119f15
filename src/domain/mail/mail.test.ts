import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MailRig, settled, uuid } from '../../../test/kit/mail-rig.ts';
import { AppError, DEADLINES, LIMITS } from '../../contract/index.ts';

const [A, B, C] = [uuid(1), uuid(2), uuid(3)];

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

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'none';
}

describe('send', () => {
  it('MSG-50, MSG-51, MSG-62, G09: external peers get their mail in the inbox, and the sender is told that nothing wakes them', async () => {
    const sent = await rig.send(A, B, 'hello');
    expect(sent).toMatchObject({ ok: true, buffered_in_inbox: true, delivered: false, delivery_path: 'inbox_only' });
    expect([sent.recipient_has_terminal, sent.warning, sent.recipient_state]).toEqual([
      false,
      expect.stringContaining('action=wait'),
      undefined,
    ]);
    expect(rig.inbox(B)).toEqual({
      messages: [
        { id: sent.message_id, from_tuic_session: A, from_name: 'agent', content: 'hello', timestamp: rig.clock.now() },
      ],
      count: 1,
      next_since: rig.clock.now(),
    });
  });

  it('G08: an unknown recipient, oneself and an oversized text are refused, and nothing is stored', async () => {
    expect(await refusal(() => rig.send(A, C, 'x'))).toBe('recipient_unknown');
    expect(await refusal(() => rig.send(A, A, 'x'))).toBe('invalid_input');
    expect(await refusal(() => rig.send(A, B, 'ä'.repeat(LIMITS.mailMessage / 2 + 1)))).toBe('invalid_input');
    expect(await refusal(() => rig.send(C, B, 'x'))).toBe('mail_not_registered');
    expect([rig.texts(A), rig.texts(B)]).toEqual([[], []]);
    expect(new AppError('recipient_unknown', { to: C }).message).toContain('list_peers');
  });

  it('ADR-1: session id, identity and alias name the same recipient', async () => {
    rig.addTerminal('s', B);
    for (const to of ['s', 't-s', B]) await rig.send(A, to, to);
    expect(rig.texts(B)).toEqual(['s', 't-s', B]);
  });

  it('MSG-91: the same client key stores once, also after a restart; another text or recipient is refused', async () => {
    const first = await rig.send(A, B, 'once', { client_key: 'k' });
    expect(await rig.send(A, B, 'once', { client_key: 'k' })).toEqual({ ...first, duplicate: true });
    await rig.restart();
    expect(await rig.send(A, B, 'once', { client_key: 'k' })).toEqual({ ...first, duplicate: true });
    expect(await refusal(() => rig.send(A, B, 'other', { client_key: 'k' }))).toBe('invalid_input');
    rig.join('c', C);
    expect(await refusal(() => rig.send(A, C, 'once', { client_key: 'k' }))).toBe('invalid_input');
    rig.clock.advance(DEADLINES.mailStatusKept);
    expect((await rig.send(A, B, 'once', { client_key: 'k' })).duplicate).toBeUndefined();
    expect(rig.texts(B)).toEqual(['once', 'once']);
  });

  it('MSG-92: a reply names a message of one of both, and inherits its thread', async () => {
    rig.join('c', C);
    const { message_id } = await rig.send(A, B, 'question', { thread: 'build' });
    await rig.send(B, A, 'answer', { reply_to: message_id });
    expect(rig.inbox(A).messages).toMatchObject([{ reply_to: message_id, thread: 'build' }]);
    expect(await refusal(() => rig.send(C, A, 'me too', { reply_to: message_id }))).toBe('invalid_input');
  });

  it('MSG-93: what interrupts nobody goes as a normal message, and says so', async () => {
    const sent = await rig.send(A, B, 'stop', { priority: 'interrupt' });
    expect(sent.warning).toContain('normal message');
    expect(rig.inbox(B).messages).toMatchObject([{ content: 'stop', priority: 'interrupt' }]);
  });
});

describe('inbox', () => {
  it('MSG-31: a burst in one millisecond stays in order, each with a stamp of its own', async () => {
    for (const text of ['1', '2', '3']) await rig.send(A, B, text);
    const { messages } = rig.inbox(B, { since: 0 });
    expect(messages.map(({ content }) => content)).toEqual(['1', '2', '3']);
    expect(new Set(messages.map(({ timestamp }) => timestamp)).size).toBe(3);
    rig.clock.jump(-60_000);
    await rig.send(A, B, '4');
    expect(rig.texts(B)).toEqual(['4']);
  });

  it('MSG-34, MSG-36: pages are oldest first; the position only goes forward, and a replay does not move it', async () => {
    for (const text of ['1', '2', '3']) await rig.send(A, B, text);
    const first = rig.inbox(B, { limit: 2 });
    expect([first.count, first.has_more]).toEqual([2, true]);
    expect(rig.texts(B, { since: 0, limit: 1 })).toEqual(['1']);
    expect(rig.texts(B)).toEqual(['3']);
    expect(rig.inbox(B)).toEqual({ messages: [], count: 0, next_since: rig.clock.now() + 2 });
    expect(rig.texts(B, { since: first.next_since })).toEqual(['3']);
    expect(rig.texts(B, { since: 0 })).toEqual(['1', '2', '3']);
  });

  it('MSG-32, MSG-33: the oldest goes first when it is full, is counted, and told once', async () => {
    for (let number = 0; number < LIMITS.inboxMessages + 3; number++) await rig.send(A, B, `${number}`);
    const page = rig.inbox(B, { limit: 100 });
    expect([page.messages[0]?.content, page.count, page.missed_count]).toEqual(['3', 100, 3]);
    expect(rig.inbox(B).missed_count).toBeUndefined();
  });

  it('MSG-94, G05: an unknown reader is an error, no empty inbox', async () => {
    expect(await refusal(() => rig.inbox(C))).toBe('mail_not_registered');
    expect(await refusal(() => rig.mail.wait({ identity: C }, new AbortController().signal))).toBe(
      'mail_not_registered',
    );
  });

  it('MSG-97: a search finds words newest first and moves nothing', async () => {
    for (const text of ['red fox', 'blue fox', 'red hen']) await rig.send(A, B, text);
    const found = rig.mail.search({ identity: B, query: 'FOX', limit: 50 });
    expect(found.messages.map(({ content }) => content)).toEqual(['blue fox', 'red fox']);
    expect(rig.mail.search({ identity: B, query: 'red fox', limit: 50 }).count).toBe(1);
    expect(rig.inbox(B).count).toBe(3);
  });

  it('MSG-90: a message says what became of it, to its two sides only, also after it was dropped', async () => {
    rig.join('c', C);
    const { message_id } = await rig.send(A, B, 'look');
    const told = rig.mail.status(A, message_id);
    expect(told).toMatchObject({ to: B, buffered: true, owner: 'none', shown: 'no', observed: false });
    rig.inbox(B);
    expect(rig.mail.status(B, message_id)).toMatchObject({ observed: true, buffered: true });
    expect(await refusal(() => rig.mail.status(C, message_id))).toBe('forbidden');
    for (let number = 0; number < LIMITS.inboxMessages; number++) await rig.send(A, B, `${number}`);
    expect(rig.mail.status(A, message_id)).toMatchObject({ buffered: false, observed: true });
    rig.clock.advance(DEADLINES.mailStatusKept + DEADLINES.mailSweep);
    expect(await refusal(() => rig.mail.status(A, message_id))).toBe('not_found');
  });
});

describe('wait', () => {
  it('WAIT-3, WAIT-4, MSG-40: new mail ends it at once, stays in the inbox, and is waited for once', async () => {
    const { outcome } = rig.wait(B);
    expect((await rig.send(A, B, 'now')).delivery_path).toBe('waiter_and_inbox');
    expect(await outcome).toMatchObject({ met: true, timed_out: false, new_messages: 1, next_since: rig.clock.now() });
    const again = rig.wait(B, { since: 0, timeout_ms: 1_000 });
    rig.clock.advance(1_000);
    expect(await again.outcome).toEqual({ met: false, timed_out: true, new_messages: 0, next_since: 0 });
    expect(rig.texts(B)).toEqual(['now']);
  });

  it('WAIT-1, MSG-37: without a time it waits a minute, at most 295 s, and tells the position at its end', async () => {
    await rig.send(A, B, 'old');
    const { next_since } = rig.inbox(B);
    const ends: number[] = [];
    for (const timeout_ms of [undefined, 0, 300_000]) {
      const { outcome } = rig.wait(B, timeout_ms === undefined ? {} : { timeout_ms });
      void outcome.then((value) => ends.push(value.next_since));
    }
    rig.clock.advance(DEADLINES.waitStandard);
    await settled();
    expect(ends).toEqual([next_since, next_since]);
    rig.clock.advance(DEADLINES.wait - DEADLINES.waitStandard);
    await settled();
    expect(ends).toHaveLength(3);
    expect(rig.clock.pendingTimers).toBe(rig.standingTimers);
  });

  it('MSG-41, G04: at the deadline a message is in the answer or on its way, in both orders, never both or neither', async () => {
    rig.addTerminal('s', B);
    rig.refusing.set('s', 'not_idle');
    for (let time = 0; time < 20; time++) {
      const { outcome } = rig.wait(B, { timeout_ms: 1_000 });
      if (time % 2 === 0) rig.clock.advance(1_000);
      const sent = await rig.send(A, B, `${time}`);
      rig.clock.advance(1_000);
      const { met } = await outcome;
      expect([met, sent.delivery_path]).toEqual(
        time % 2 === 0 ? [false, 'terminal_or_queued_and_inbox'] : [true, 'waiter_and_inbox'],
      );
    }
    expect(rig.room.queue.list('s')).toHaveLength(10);
  });

  it('MSG-42, MSG-43: of two waits one reports it; one that was cancelled reports nothing and hands nothing back twice', async () => {
    const first = rig.wait(B);
    const second = rig.wait(B);
    first.leave();
    await rig.send(A, B, 'x');
    expect((await first.outcome).met).toBe(false);
    expect((await second.outcome).messages).toMatchObject([{ content: 'x' }]);
    expect((await rig.send(A, B, 'y')).delivery_path).toBe('inbox_only');
  });

  it('MSG-11: a wait of a bridge that was retired ends, and its mail goes on to the new one', async () => {
    const { outcome } = rig.wait(B, { protocol_session: 'b' });
    rig.live.delete('b');
    rig.join('b2', B);
    expect((await outcome).met).toBe(false);
    const anew = rig.wait(B, { protocol_session: 'b2' });
    expect((await rig.send(A, B, 'x')).delivery_path).toBe('waiter_and_inbox');
    expect((await anew.outcome).met).toBe(true);
  });
});

describe('over a kill', () => {
  it('MSG-8: inboxes, positions and counts are there again, and an answer that was under way comes once more', async () => {
    for (let number = 0; number <= LIMITS.inboxMessages; number++) await rig.send(A, B, `${number}`);
    expect(rig.inbox(B, { limit: 10 }).missed_count).toBe(1);
    const lost = rig.mail.inbox({ identity: B, limit: 10 });
    await rig.restart();
    const again = rig.inbox(B, { limit: 10 });
    expect(again.messages).toEqual(lost.messages);
    await rig.restart();
    expect(rig.inbox(B, { limit: 1 }).messages).toMatchObject([{ content: '21' }]);
  });

  it('MSG-42: a message whose wait was lost with the server takes the other way', async () => {
    rig.addTerminal('s', B);
    rig.refusing.set('s', 'not_idle');
    const { outcome } = rig.wait(B);
    await rig.send(A, B, 'x');
    expect((await outcome).met).toBe(true);
    await rig.restart();
    expect(rig.room.queue.list('s')).toHaveLength(1);
    await rig.idle('s');
    expect(rig.typed.map(({ line }) => line)).toEqual(['[TUIC message from agent] x']);
  });
});
