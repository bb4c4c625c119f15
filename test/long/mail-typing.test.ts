/** Mail that is typed at agents over a real server: puppets stand for the agents and tell exactly what they read, read by read. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../kit/cleanup.ts';
import { eventually } from '../kit/eventually.ts';
import { startPuppet } from '../kit/puppet.ts';
import { startServer } from '../kit/server.ts';
import { startBridge, toolValue } from '../kit/stdio-client.ts';

const cleanup = cleanupAfterEach();
const says = (state: string) => `\x1b]7501;${state}\x1b\\`;
const PROGRAM = fileURLToPath(new URL('../kit/programs/claude-like.mjs', import.meta.url));
const NOTICE = '[TUIC] message available — read it with: agent action=inbox';

interface Sent {
  message_id: string;
  delivery_path: string;
}

interface Status {
  owner: string;
  shown: string;
  observed: boolean;
}

/** An agent in a terminal, connected by a bridge of its own. */
async function setUp() {
  const server = await startServer(cleanup);
  const { ipc } = server;

  async function agent(name: string, register: object = {}) {
    const { id, puppet } = await startPuppet(cleanup, ipc, { mode: 'raw', agent_type: 'goose' });
    const info = async () => (await ipc.listSessions()).find(({ session_id }) => session_id === id);
    const bridge = startBridge(cleanup, server.configDirectory, { TUIC_SESSION: (await info())?.tuic_session ?? '' });
    await bridge.initialize('goose');
    const call = async <T>(input: object) =>
      toolValue(await bridge.request('tools/call', { name: 'agent', arguments: input })) as T;
    await call({ action: 'register', name, ...register });
    const become = async (state: 'idle' | 'busy') => {
      await puppet.write(says(state === 'idle' ? 'state=idle' : 'state=working'));
      await eventually(`${name} to be ${state}`, async () => {
        const known = (await info())?.state;
        return known?.shell_state === state && known.agent_state === (state === 'idle' ? 'idle' : 'working');
      });
    };
    await become('idle');
    const read = () => puppet.received.toString();
    return {
      id,
      puppet,
      call,
      become,
      read,
      untilShown: (message_id: string | undefined) =>
        eventually('the message to be shown', async () => {
          const known = await call<Status>({ action: 'inbox', message_id });
          return known.shown === 'yes' ? known : undefined;
        }),
      entered: (text: string) => puppet.until(text, () => read().includes(`\x15${text}\r`)),
    };
  }
  return { server, ipc, agent };
}

describe('mail is typed at agents', () => {
  it('MSG-61, MSG-66, SUB-4: at an idle one at once, text and Enter as two reads; the sender sees that it was shown', async () => {
    const { agent } = await setUp();
    const [ada, bob] = [await agent('ada'), await agent('bob')];
    const sent = await ada.call<Sent>({ action: 'send', to: bob.id, message: 'are you\nthere?' });
    expect(sent.delivery_path).toBe('terminal_or_queued_and_inbox');
    await bob.puppet.until('Enter', () => bob.read().includes('\r'));
    expect(bob.puppet.reads.map(String)).toEqual(['\x15[TUIC message from ada] are you there?', '\r']);
    expect(await ada.untilShown(sent.message_id)).toMatchObject({ owner: 'terminal', observed: false });
    expect(await bob.call({ action: 'inbox' })).toMatchObject({ messages: [{ id: sent.message_id }] });
  });

  it('MSG-68: at a busy one a line for each time it becomes idle, in order', async () => {
    const { agent } = await setUp();
    const [ada, bob] = [await agent('ada'), await agent('bob')];
    await bob.become('busy');
    const messages = ['one', 'two', 'three'];
    const sent: Sent[] = [];
    for (const message of messages) sent.push(await ada.call({ action: 'send', to: bob.id, message }));
    for (const [index, message] of messages.entries()) {
      expect(bob.read()).not.toContain(message);
      await bob.become('idle');
      await bob.entered(`[TUIC message from ada] ${message}`);
      await ada.untilShown(sent[index]?.message_id);
      await bob.become('busy');
    }
    expect(bob.read().match(/\r/g)).toHaveLength(3);
  });

  it('MSG-63, MSG-68: never into what somebody has half typed; once that is cleared, without an idle edge', async () => {
    const { ipc, agent } = await setUp();
    const [ada, bob] = [await agent('ada'), await agent('bob')];
    await ipc.write(bob.id, 'half a sent');
    await bob.puppet.untilRead(11);
    await ada.call<Sent>({ action: 'send', to: bob.id, message: 'hello' });
    // A submission goes the same way and is refused for the same reason, and behind the mail.
    expect(await ipc.ok('POST', `/sessions/${bob.id}/submit`, { input: 'go' })).toMatchObject({ submitted: false });
    expect(bob.read()).toBe('half a sent');
    await ipc.write(bob.id, '\x15');
    await bob.entered('[TUIC message from ada] hello');
  });

  it('MSG-71, MSG-73, MSG-74: an orchestrator is told once that there is mail, never what it says', async () => {
    const { agent } = await setUp();
    const [ada, lead] = [await agent('ada'), await agent('lead', { orchestrator: true })];
    const first = await ada.call<Sent>({ action: 'send', to: lead.id, message: 'secret one' });
    expect(first.delivery_path).toBe('wake_notification_and_inbox');
    await lead.entered(NOTICE);
    const second = await ada.call<Sent>({ action: 'send', to: lead.id, message: 'secret two' });
    expect(second.delivery_path).toBe('coalesced_wake_and_inbox');
    await lead.become('busy');
    await lead.become('idle');
    expect(await lead.call({ action: 'inbox' })).toMatchObject({ count: 2 });
    expect(lead.read()).toBe(`\x15${NOTICE}\r`);
  });

  it('MSG-8, BUF-3: what waited for a busy agent is typed once, by the server after a kill -9 that sees its input line empty', async () => {
    const { server, ipc, agent } = await setUp();
    const ada = await agent('ada');
    const { session_id: id } = await ipc.createSession({
      shell: process.execPath,
      args: [PROGRAM],
      agent_type: 'claude',
    });
    const info = async () => (await ipc.listSessions()).find(({ session_id }) => session_id === id);
    const until = (state: string) =>
      eventually(`it to be ${state}`, async () => (await info())?.state?.agent_state === state);
    const bridge = startBridge(cleanup, server.configDirectory, { TUIC_SESSION: (await info())?.tuic_session ?? '' });
    await bridge.initialize('other');
    await bridge.request('tools/call', { name: 'agent', arguments: { action: 'register', name: 'bob' } });
    await until('idle');
    await ipc.write(id, 'work\r');
    await until('working');
    const sent = await ada.call<Sent>({ action: 'send', to: id, message: 'over the end' });
    expect(sent.delivery_path).toBe('terminal_or_queued_and_inbox');
    await server.kill9();
    await server.restart();
    await until('working');
    await ipc.write(id, '\x1b');
    await ada.untilShown(sent.message_id);
    await until('idle');
    const shown = (await ipc.ok('GET', `/sessions/${id}/output?format=text`)) as { data: string };
    expect(shown.data.match(/TUIC message from ada\] over the end/g)).toHaveLength(1);
  });
});
