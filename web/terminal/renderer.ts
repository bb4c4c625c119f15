/** Draws with WebGL where that works, and goes back to plain elements when it does not or is lost. */
import type { IDisposable, Terminal } from '@xterm/xterm';

export type RendererChoice = 'auto' | 'dom';

/** Resolves to what ends the use of WebGL, or undefined when elements are used. */
export async function loadWebgl(
  terminal: Terminal,
  isWanted: () => boolean,
  onLost: () => void,
): Promise<IDisposable | undefined> {
  const { WebglAddon } = await import('@xterm/addon-webgl');
  if (!isWanted()) return undefined;
  try {
    const addon = new WebglAddon();
    addon.onContextLoss(() => {
      addon.dispose();
      onLost();
    });
    terminal.loadAddon(addon);
    return addon;
  } catch (error) {
    // The addon says so when the browser gives no WebGL 2 context; the terminal keeps drawing with elements.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
