import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MailRig, uuid } from '../../../test/kit/mail-rig.ts';
import { AppError, DEADLINES } from '../../contract/index.ts';
import { pendingMarker } from '../peers/index.ts';

const [A, B, C] = [uuid(1), uuid(2), uuid(3)];

let rig: MailRig;
beforeEach(() => {
  rig = new MailRig();
  rig.join('a', A);
});
afterEach(() => {
  rig.dispose();
  expect(rig.failures).toEqual([]);
});

function refusal(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('register', () => {
  it('MSG-16: without a UUID one is minted, stable for the connection; a bound one is kept', () => {
    const first = rig.register('x', { name: 'lead', project: '/p' });
    expect(first).toMatchObject({
      ok: true,
      identity_generated: true,
      name: 'lead',
      terminal: false,
      mail_wake: 'none',
    });
    expect(rig.register('x')).toMatchObject({
      tuic_session: first.tuic_session,
      identity_generated: false,
      name: 'lead',
    });
    expect(rig.register('a', { name: 'me' })).toMatchObject({ tuic_session: A, name: 'me', identity_generated: false });
    expect(rig.mail.list().peers.map(({ name }) => name)).toEqual(['me', 'lead']);
    expect(rig.mail.list('/p').peers).toEqual([
      { tuic_session: first.tuic_session, name: 'lead', orchestrator: false, project: '/p' },
    ]);
  });

  it('MSG-4: what is no canonical UUID is refused', () => {
    for (const tuic_session of ['', 'agent', A.toUpperCase().replace('8', 'F'), `${A} `]) {
      expect(refusal(() => rig.register('x', { tuic_session })).code).toBe('invalid_identity');
    }
  });

  it('MSG-14: an identity of somebody who is there is not taken; told once, then by number', () => {
    rig.live.add('a');
    for (let time = 0; time < 100; time++) {
      expect(refusal(() => rig.register('x', { tuic_session: A })).code).toBe('identity_taken');
    }
    expect(rig.warnings).toHaveLength(1);
    rig.clock.advance(DEADLINES.refusalSummary);
    refusal(() => rig.register('x', { tuic_session: A }));
    expect(rig.warnings.at(-1)).toMatchObject({ suppressed: 100 });
    rig.live.delete('a');
    expect(rig.register('x', { tuic_session: A })).toMatchObject({ tuic_session: A });
  });

  it('MSG-13, MSG-15: a joined sibling renames, and takes nothing over', () => {
    rig.join('a2', A);
    expect(rig.register('a2', { tuic_session: A, name: 'both' })).toMatchObject({ tuic_session: A, name: 'both' });
    expect(rig.peers.get(A)?.owner).toBe('a');
  });

  it('MSG-17: which of two identities holds is decided by the live terminal', () => {
    const minted = rig.register('x').tuic_session;
    expect(refusal(() => rig.register('x', { tuic_session: B })).message).toContain(minted);
    rig.addTerminal('s', B);
    expect(rig.register('x', { tuic_session: B })).toMatchObject({ tuic_session: B, terminal: true });
    rig.addTerminal('s2', C);
    expect(refusal(() => rig.register('x', { tuic_session: C })).message).toContain(B);
  });

  it('MSG-18, MSG-19: a repair carries mail, role and children over, and the old address refuses mail', async () => {
    const { tuic_session: old } = rig.register('x', { orchestrator: true });
    rig.room.parents.set('kid', old);
    const task = rig.tasks.create({ sessionId: 'kid', owner: old });
    for (const text of ['1', '2']) await rig.send(A, old, text);
    rig.addTerminal('s', B);
    const repaired = rig.register('x', { tuic_session: B });
    expect(repaired).toMatchObject({ superseded_identity: old, mail_migrated: 2, orchestrator: true, unread: 2 });
    expect(rig.mail.list().peers.map(({ tuic_session }) => tuic_session)).toEqual([A, B]);
    expect([rig.room.parents.of('kid'), rig.tasks.get(task.task_id, [B]).status]).toEqual([B, 'working']);
    await expect(rig.send(A, old, '3')).rejects.toMatchObject({ code: 'recipient_unknown' });
    expect(rig.texts(B)).toEqual(['1', '2']);
    expect(rig.typed).toHaveLength(1);
  });

  it('MSG-20: a new connection with a new UUID takes the mail of the one it replaces', async () => {
    rig.register('x', { tuic_session: B });
    await rig.send(A, B, 'kept');
    rig.live.delete('x');
    expect(rig.register('y', { tuic_session: C, replaces: B })).toMatchObject({
      superseded_identity: B,
      mail_migrated: 1,
    });
    expect(rig.texts(C)).toEqual(['kept']);
    const ignored = rig.register('y', { replaces: uuid(77) });
    expect([ignored.superseded_identity, ignored.mail_migrated]).toEqual([undefined, undefined]);
  });

  it('MSG-21: what still works is not taken: a terminal, lost or live, or an owner who is there', async () => {
    rig.addTerminal('s', B);
    rig.join('b', B);
    await rig.work('s');
    await rig.send(A, B, 'mine');
    const stranded = { mail_migrated: 0, mail_stranded: 1, identity_warning: expect.stringContaining(B) };
    expect(rig.register('y', { tuic_session: C, replaces: B })).toMatchObject(stranded);
    await rig.end('s', 'host_lost');
    rig.live.delete('b');
    expect(rig.register('y', { replaces: B })).toMatchObject(stranded);
    expect(rig.texts(B)).toEqual(['mine']);
  });

  it('MSG-23: an orchestrator in a terminal is woken there; unread mail is counted, G13', async () => {
    rig.addTerminal('s', A);
    rig.join('b', B);
    await rig.work('s');
    await rig.send(B, A, 'x');
    expect(rig.register('a', { orchestrator: true })).toMatchObject({
      terminal: true,
      orchestrator: true,
      mail_wake: 'managed_pty_lifecycle',
      unread: 1,
    });
  });

  it('MSG-80: what a connection began before it had an identity is linked, by register and by header', async () => {
    for (const [session, link] of [
      ['x', () => rig.register('x', { tuic_session: B }).linked_children],
      [
        'y',
        () => {
          rig.join('y', C);
          return rig.room.parents.childrenOf(C).length;
        },
      ],
    ] as const) {
      rig.addTerminal(`kid-${session}`, uuid(20), { agent_state: 'working' });
      rig.room.parents.set(`kid-${session}`, pendingMarker(session));
      await rig.work(`kid-${session}`);
      await rig.end(`kid-${session}`, 'host_lost');
      expect(link()).toBe(1);
    }
    for (const identity of [B, C]) expect(rig.texts(identity)).toEqual([expect.stringContaining('"lost"')]);
  });
});
