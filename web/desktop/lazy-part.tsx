import { type ComponentType, useEffect, useState } from 'react';
import type { Workspace } from '../shared/workspace.ts';
import { useWorkspace } from './workspace-context.ts';

/** A part of the page that is loaded when it is first used, or ahead of that in an idle moment. */
export class LazyPart<Props extends object = object> {
  readonly #fetch: () => Promise<ComponentType<Props>>;
  /** Puts away what stood waiting for the part when it cannot be loaded. */
  readonly onFailure: (workspace: Workspace) => void;
  #loading: Promise<ComponentType<Props>> | undefined;
  loaded: ComponentType<Props> | undefined;

  constructor(fetch: () => Promise<ComponentType<Props>>, onFailure: (workspace: Workspace) => void) {
    this.#fetch = fetch;
    this.onFailure = onFailure;
  }

  load(): Promise<ComponentType<Props>> {
    this.#loading ??= this.#fetch().then(
      (part) => {
        this.loaded = part;
        return part;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Fetches it ahead of its use, so that it is there while the server is not. A failure is told when it is used. */
  preload(): void {
    this.load().catch(() => undefined);
  }
}

/** Draws a part once it is there. A load that fails (the server is away, or a newer one took its place) is told. */
export function Lazy<Props extends object>({ part, props }: { part: LazyPart<Props>; props: Props }) {
  const workspace = useWorkspace();
  const [, setCount] = useState(0);
  useEffect(() => {
    if (part.loaded !== undefined) return;
    let isWanted = true;
    part.load().then(
      () => {
        if (isWanted) setCount((count) => count + 1);
      },
      () => {
        if (!isWanted) return;
        part.onFailure(workspace);
        workspace.notify(
          'error',
          'This part of the page could not be loaded. Once the server answers, load the page again.',
        );
      },
    );
    return () => {
      isWanted = false;
    };
  }, [part, workspace]);
  const Loaded = part.loaded;
  return Loaded === undefined ? null : <Loaded {...props} />;
}
