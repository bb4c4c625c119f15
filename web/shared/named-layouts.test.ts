import { describe, expect, it } from 'vitest';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { CreateSession } from '../../src/contract/index.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { allTabs, keepSessions, type Layout, ONE_PANE, openSession, splitPane } from './layout.ts';
import { NamedLayouts, parseLayouts } from './named-layouts.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { createWorkspaceStore, type NoticeAction, type SessionEntry } from './workspace-state.ts';

function entry(id: string): SessionEntry {
  return {
    session_id: id,
    cwd: `/srv/${id}`,
    worktree_path: null,
    worktree_branch: null,
    is_remote: false,
    lifecycle: 'live',
    alias: id,
    shell: '/bin/bash',
    args: ['-l'],
    display_name: `name of ${id}`,
    display_name_is_custom: id === 'a',
    created_at: 0,
    rows: 24,
    cols: 80,
    isClosing: false,
  };
}

/** What the server keeps, for several windows. */
function fakeServer(document: unknown = {}) {
  const state = { document, version: 1, failure: undefined as Error | undefined };
  return {
    state,
    config: {
      readFile: async () => {
        if (state.failure !== undefined) throw state.failure;
        return { value: structuredClone(state.document), etag: `"${state.version}"` };
      },
      writeFile: async (_: string, value: unknown, options: { ifMatch?: string } = {}) => {
        if (state.failure !== undefined) throw state.failure;
        if (options.ifMatch !== `"${state.version}"`) throw new RequestRefused(412, 'somebody else wrote');
        state.document = structuredClone(value);
        state.version++;
        return `"${state.version}"`;
      },
    },
  };
}

function openWindow(server = fakeServer(), ids: readonly string[] = ['a', 'b', 'c']) {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  store.setState({ sessions: new Map(ids.map((id) => [id, entry(id)])) });
  let layout: Layout = splitPane(openSession(openSession(ONE_PANE, 'a'), 'b'), 'c', 'p1', 'right');
  const created: CreateSession[] = [];
  const offers: { text: string; actions: readonly NoticeAction[] }[] = [];
  const told: string[] = [];
  const layouts = new NamedLayouts({
    client: {
      config: server.config,
      sessions: {
        create: async (request) => {
          created.push(request);
          return { session_id: `new-${created.length}`, alias: 'n' };
        },
      },
    },
    store,
    clock: new ManualClock(),
    arrangement: {
      get layout() {
        return layout;
      },
      use: (other) => {
        layout = keepSessions(other, (id) => store.getState().sessions.has(id));
      },
    },
    refresh: async () => {
      const sessions = new Map(store.getState().sessions);
      created.forEach((_, index) => {
        sessions.set(`new-${index + 1}`, entry(`new-${index + 1}`));
      });
      store.setState({ sessions });
    },
    offer: (text, actions) => void offers.push({ text, actions }),
    explain: (_, what) => void told.push(what),
  });
  const press = async (label: string) => {
    offers
      .at(-1)
      ?.actions.find((action) => action.label === label)
      ?.run();
    // The action's request is answered in the turns after it; a reading stands behind it in the queue.
    await layouts.load();
  };
  return {
    server,
    store,
    layouts,
    created,
    offers,
    told,
    press,
    layout: () => layout,
    arrange: (next: Layout) => {
      layout = next;
    },
    names: () => store.getState().layouts.map(({ name }) => name),
  };
}

describe('http.md 10.1: named layouts in pane-layout.json', () => {
  it('are saved with what their terminals were started with, beside what others keep in the file', async () => {
    const server = fakeServer({ of_another_program: { kept: true } });
    const { layouts, layout } = openWindow(server);
    expect(await layouts.save('  two \u202e sides ')).toBe(true);
    expect(server.state.document).toEqual({
      of_another_program: { kept: true },
      layouts: [
        {
          name: 'two sides',
          layout: layout(),
          sessions: {
            a: { cwd: '/srv/a', shell: '/bin/bash', args: ['-l'], name: 'name of a' },
            b: { cwd: '/srv/b', shell: '/bin/bash', args: ['-l'] },
            c: { cwd: '/srv/c', shell: '/bin/bash', args: ['-l'] },
          },
          saved_at: 1_700_000_000_000,
        },
      ],
    });
    const other = openWindow(server);
    await other.layouts.load();
    expect(other.names()).toEqual(['two sides']);
  });

  it('switching shows the arrangement and leads back to the one before', async () => {
    const { layouts, layout, arrange, press } = openWindow();
    await layouts.save('sides');
    const sides = layout();
    const single = openSession(ONE_PANE, 'b');
    arrange(single);
    layouts.use('sides');
    expect(layout()).toEqual(sides);
    await press('Back');
    expect(layout()).toEqual(single);
  });

  it('a saved name is replaced, renamed and deleted, and each can be undone', async () => {
    const { layouts, layout, arrange, names, press, store } = openWindow();
    await layouts.save('one');
    const first = layout();
    arrange(openSession(ONE_PANE, 'b'));
    await layouts.save('one');
    expect(names()).toEqual(['one']);
    await press('Undo');
    expect(store.getState().layouts[0]?.layout).toEqual(first);
    await layouts.save('two');
    expect(await layouts.rename('two', 'one')).toContain('already');
    expect(await layouts.rename('two', ' ')).toContain('needs a name');
    expect(await layouts.rename('two', 'three')).toBeUndefined();
    expect(names()).toEqual(['one', 'three']);
    await layouts.remove('one');
    expect(names()).toEqual(['three']);
    await press('Undo');
    expect(names()).toEqual(['three', 'one']);
  });

  it('two windows that save at the same time keep both', async () => {
    const server = fakeServer();
    const first = openWindow(server);
    const second = openWindow(server);
    await Promise.all([first.layouts.load(), second.layouts.load()]);
    await Promise.all([first.layouts.save('of the first'), second.layouts.save('of the second')]);
    await Promise.all([first.layouts.load(), second.layouts.load()]);
    expect(first.names().toSorted()).toEqual(['of the first', 'of the second']);
    expect(second.names()).toEqual(first.names());
    expect([...first.told, ...second.told]).toEqual([]);
  });

  it('a change elsewhere is read when it is told, and no more often', async () => {
    const server = fakeServer();
    const one = openWindow(server);
    const other = openWindow(server);
    await other.layouts.load();
    await one.layouts.save('new');
    other.layouts.onEvent({ name: 'config-changed', data: { file: 'notes', etag: '"9"' } });
    expect(other.names()).toEqual([]);
    other.layouts.onEvent({ name: 'config-changed', data: { file: 'pane-layout', etag: '"2"' } });
    server.state.failure = undefined;
    await other.layouts.rename('new', 'new');
    await other.layouts.load();
    expect(other.names()).toEqual(['new']);
  });

  it('what is not taken by the server is not shown, and is told', async () => {
    const { server, layouts, names, told } = openWindow();
    await layouts.load();
    server.state.failure = new ServerUnreachable(new Error('gone'));
    expect(await layouts.save('lost')).toBe(false);
    expect(names()).toEqual([]);
    expect(told).toEqual(['“lost” could not be saved']);
    server.state.failure = new RequestRefused(500, 'pane-layout.json cannot be read');
    await layouts.load();
    expect(told.at(-1)).toBe('The layouts could not be read');
  });

  it('starts nothing unasked: ended terminals are left out, told, and started again on demand', async () => {
    const { layouts, layout, store, created, offers, press } = openWindow();
    await layouts.save('sides');
    const sessions = new Map(store.getState().sessions);
    sessions.delete('a');
    sessions.delete('c');
    store.setState({ sessions });
    layouts.use('sides');
    expect(allTabs(layout()).order).toEqual(['b']);
    expect(created).toEqual([]);
    expect(offers.at(-1)?.text).toContain('without 2 of 3');
    await layouts.startMissing('sides');
    expect(created).toEqual([
      { cwd: '/srv/a', shell: '/bin/bash', args: ['-l'], display_name: 'name of a', display_name_is_custom: true },
      { cwd: '/srv/c', shell: '/bin/bash', args: ['-l'] },
    ]);
    expect(allTabs(layout()).order).toEqual(['new-1', 'b', 'new-2']);
    expect(layout().root.kind).toBe('split');
    // Kept with the new sessions, so that the next switch finds them.
    layouts.use('sides');
    expect(offers.at(-1)?.text).toBe('Layout sides is shown.');
    await press('Back');
  });

  it('a layout of which nothing lives changes nothing by itself', async () => {
    const { layouts, layout, store, offers } = openWindow();
    await layouts.save('old');
    const before = layout();
    store.setState({ sessions: new Map([['z', entry('z')]]) });
    layouts.use('old');
    expect(layout()).toBe(before);
    expect(offers.at(-1)?.actions.map(({ label }) => label)).toEqual(['Start again']);
  });
});

describe('what somebody else wrote into the file', () => {
  const layout = { root: ONE_PANE.root, focused: 'p1' };
  const pane = { kind: 'pane', id: 'p1', tabs: { order: ['a'], active: 'a' } };

  it.each([
    ['no object', 7],
    ['a list', []],
    ['layouts of another type', { layouts: { a: 1 } }],
    ['entries of other types', { layouts: [null, 1, { name: 1 }, { name: 'x' }, { name: 'y', layout: [] }] }],
    ['a name of nothing but marks', { layouts: [{ name: ' \u202e ', layout }] }],
  ])('%s is no layout', (_, value) => {
    expect(parseLayouts(value)).toEqual([]);
  });

  it('what can be used of it is used, each name once', () => {
    const good = {
      name: 'x'.repeat(99),
      layout: { root: pane, focused: 'nowhere' },
      sessions: { a: { cwd: 1, args: [2] } },
    };
    const found = parseLayouts({ layouts: [good, good] });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ name: 'x'.repeat(60), savedAt: 0, sessions: { a: {} } });
    expect(found[0]?.layout.focused).toBe('p1');
  });
});
