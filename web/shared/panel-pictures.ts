/** Pictures of what this window shows, for an agent that asked (mcp.md UI-5), or in words why there is none. */
import type { PictureSource } from '../terminal/terminal-picture.ts';
import type { TerminalStage } from '../terminal/terminal-stage.ts';
import { sessionLabel } from './labels.ts';
import { paneOf } from './layout.ts';
import type { WorkspaceStore } from './workspace-state.ts';

export type PanelPicture = { type: string; bytes: Uint8Array<ArrayBuffer>; label: string } | { error: string };

export interface PanelPictureSources {
  store: WorkspaceStore;
  stage: { view(id: string): Pick<NonNullable<ReturnType<TerminalStage['view']>>, 'pictureSource'> | undefined };
  draw(source: PictureSource): Promise<Blob | undefined>;
}

export async function takePicture(id: string, { store, stage, draw }: PanelPictureSources): Promise<PanelPicture> {
  const { sessions, layout } = store.getState();
  const session = sessions.get(id);
  if (session === undefined) {
    return { error: `${id} is no terminal of this workspace. What a tab of another kind shows cannot be pictured` };
  }
  const label = sessionLabel(session);
  if (paneOf(layout, id) === undefined) return { error: `“${label}” is not open in this workspace` };
  const view = stage.view(id);
  if (view === undefined) return { error: `“${label}” is in a tab that was not looked at yet` };
  const source = view.pictureSource;
  if (source === undefined) return { error: `“${label}” has no screen yet; ask again in a moment` };
  const picture = await draw(source);
  if (picture === undefined) return { error: 'the browser could not draw it small enough' };
  return { type: picture.type, bytes: new Uint8Array(await picture.arrayBuffer()), label };
}
