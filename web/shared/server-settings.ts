/**
 * The server's settings as a form edits them: each change is saved alone, against the state that was read (ETag).
 *
 * Ordering: one request at a time, in the order of the calls. A change that meets another state writes nothing: the newest
 * state is read and shown, and the person decides whether to save over it. Undo saves the value that was there before.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { type ConfigRoutes, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';

export interface SettingsChange {
  /** Keys from the root, e.g. services, server, port. */
  path: readonly string[];
  value: unknown;
}

export interface SettingsState {
  status: 'loading' | 'ready' | 'failed';
  value: Readonly<Record<string, unknown>>;
  isSaving: boolean;
  /** What the server said to the last change of a field, by its path with dots. */
  errors: Readonly<Record<string, string>>;
  /** What is wrong with no single field. */
  failure: string | undefined;
  /** Changes that met another state and were not saved. */
  conflict: readonly SettingsChange[] | undefined;
  /** Puts back what the last saved change replaced. */
  undo: readonly SettingsChange[] | undefined;
}

export function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** One object that carries all changes, to be merged by the server. */
export function mergeChanges(changes: readonly SettingsChange[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const { path, value } of changes) {
    let at = merged;
    path.forEach((key, index) => {
      if (index === path.length - 1) at[key] = value;
      else {
        const next = (at[key] ?? {}) as Record<string, unknown>;
        at[key] = next;
        at = next;
      }
    });
  }
  return merged;
}

/** The field that a refusal names: `Invalid input: services.server.port: must be ...`. */
export function splitRefusal(message: string): { field: string; text: string } | undefined {
  const match = /^Invalid input: ([a-z_]+(?:\.[a-z_0-9]+)*): (.+)$/s.exec(message);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { field: match[1], text: match[2] };
}

export class ServerSettings {
  readonly store: StoreApi<SettingsState>;
  readonly #config: ConfigRoutes;
  #etag = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(config: ConfigRoutes) {
    this.#config = config;
    this.store = createStore<SettingsState>(() => ({
      status: 'loading',
      value: {},
      isSaving: false,
      errors: {},
      failure: undefined,
      conflict: undefined,
      undo: undefined,
    }));
  }

  load(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  /** Resolves to whether it was saved. */
  save(changes: readonly SettingsChange[]): Promise<boolean> {
    return this.#inTurn(() => this.#save(changes));
  }

  async undo(): Promise<void> {
    const { undo } = this.store.getState();
    if (undo !== undefined && (await this.save(undo))) this.store.setState({ undo: undefined });
  }

  /** Saves what met another state, now over the newest one. */
  async saveOver(): Promise<void> {
    const { conflict } = this.store.getState();
    if (conflict !== undefined) await this.save(conflict);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<void> {
    try {
      const { value, etag } = await this.#config.read();
      this.#etag = etag;
      this.store.setState({ status: 'ready', value, failure: undefined });
    } catch (error) {
      const { status } = this.store.getState();
      this.store.setState({ failure: explain(error), status: status === 'ready' ? 'ready' : 'failed' });
    }
  }

  async #save(changes: readonly SettingsChange[]): Promise<boolean> {
    const { value: before, errors } = this.store.getState();
    const fields = changes.map(({ path }) => path.join('.'));
    const others = Object.fromEntries(Object.entries(errors).filter(([field]) => !fields.includes(field)));
    this.store.setState({ isSaving: true, errors: others, failure: undefined, conflict: undefined });
    try {
      this.#etag = await this.#config.save(mergeChanges(changes), { ifMatch: this.#etag });
      const undo = changes.map(({ path }) => ({ path, value: readPath(before, path) ?? null }));
      await this.#read();
      this.store.setState({ undo });
      return true;
    } catch (error) {
      const refusal = error instanceof RequestRefused ? splitRefusal(error.message) : undefined;
      if (error instanceof RequestRefused && error.status === 412) {
        await this.#read();
        this.store.setState({ conflict: changes });
      } else if (refusal !== undefined) {
        // A refusal that names another field belongs to the one that was changed all the same.
        const field = fields.includes(refusal.field) ? refusal.field : (fields[0] ?? refusal.field);
        this.store.setState({ errors: { ...others, [field]: refusal.text } });
      } else this.store.setState({ failure: explain(error) });
      return false;
    } finally {
      this.store.setState({ isSaving: false });
    }
  }
}

function explain(error: unknown): string {
  if (error instanceof RequestRefused) return error.message;
  if (error instanceof ServerUnreachable) return 'The server does not answer. Nothing was saved.';
  throw error;
}
