import { describe, expect, it } from 'vitest';
import { type ConfigRoutes, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { mergeChanges, ServerSettings, splitRefusal } from './server-settings.ts';

const PORT = ['services', 'server', 'port'];

/** One settings file with tags, as the server keeps it. */
function createFile() {
  const file = { port: 1, version: 1, refusal: undefined as Error | undefined, saved: [] as unknown[] };
  const routes = {
    read: async () => ({ value: { services: { server: { port: file.port } } }, etag: `"${file.version}"` }),
    save: async (changes: Record<string, unknown>, options?: { ifMatch?: string }) => {
      if (file.refusal !== undefined) throw file.refusal;
      if (options?.ifMatch !== `"${file.version}"`) throw new RequestRefused(412, 'config.json was changed');
      file.saved.push(changes);
      file.port = (changes.services as { server: { port: number } }).server.port;
      return `"${++file.version}"`;
    },
  } as unknown as ConfigRoutes;
  return { file, settings: new ServerSettings(routes) };
}

describe("the server's settings in a form", () => {
  it('a change is saved against the state that was read, and undo puts the old value back', async () => {
    const { file, settings } = createFile();
    await settings.load();
    expect(await settings.save([{ path: PORT, value: 2 }])).toBe(true);
    expect(file.saved).toEqual([{ services: { server: { port: 2 } } }]);
    expect(settings.store.getState()).toMatchObject({ value: { services: { server: { port: 2 } } }, isSaving: false });
    await settings.undo();
    expect([file.port, settings.store.getState().undo]).toEqual([1, undefined]);
  });

  it('http.md 10.1: a change that meets another state writes nothing, shows the newest, and is saved over it when told to', async () => {
    const { file, settings } = createFile();
    await settings.load();
    Object.assign(file, { port: 7, version: 5 });
    expect(await settings.save([{ path: PORT, value: 2 }])).toBe(false);
    expect(file.port).toBe(7);
    expect(settings.store.getState()).toMatchObject({
      value: { services: { server: { port: 7 } } },
      conflict: [{ path: PORT, value: 2 }],
    });
    await settings.saveOver();
    expect([file.port, settings.store.getState().conflict]).toEqual([2, undefined]);
  });

  it('a refusal stands at its field and goes with the next good value; silence is told', async () => {
    const { file, settings } = createFile();
    await settings.load();
    file.refusal = new RequestRefused(400, 'Invalid input: services.server.port: too big');
    expect(await settings.save([{ path: PORT, value: 99_999 }])).toBe(false);
    expect(settings.store.getState().errors).toEqual({ 'services.server.port': 'too big' });
    file.refusal = new ServerUnreachable(undefined);
    await settings.save([{ path: PORT, value: 3 }]);
    expect(settings.store.getState()).toMatchObject({
      errors: {},
      failure: expect.stringContaining('does not answer'),
    });
    file.refusal = undefined;
    expect(await settings.save([{ path: PORT, value: 3 }])).toBe(true);
  });

  it('two changes at once are saved one after the other, both', async () => {
    const { file, settings } = createFile();
    await settings.load();
    const both = [settings.save([{ path: PORT, value: 2 }]), settings.save([{ path: PORT, value: 3 }])];
    expect(await Promise.all(both)).toEqual([true, true]);
    expect([file.port, file.saved.length]).toEqual([3, 2]);
  });

  it('changes are merged into one object; a text without a field is no refusal of one', () => {
    expect(
      mergeChanges([
        { path: ['a', 'b'], value: 1 },
        { path: ['a', 'c'], value: null },
        { path: ['d'], value: [] },
      ]),
    ).toEqual({ a: { b: 1, c: null }, d: [] });
    expect(splitRefusal('Invalid input: it does not match')).toBeUndefined();
  });
});
