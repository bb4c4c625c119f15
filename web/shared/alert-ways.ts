/** How a page tells what its agents do: sounds, and notices of the browser, whose newest of a session stands for all windows. */
import type { AlertDependencies, AskedSessions } from './alerts.ts';
import { panesOf } from './layout.ts';
import type { Sounds } from './sound.ts';
import type { WorkspaceStore } from './workspace-state.ts';

export function alertWays(
  store: WorkspaceStore,
  sounds: Sounds,
  asked: AskedSessions,
  showSession: (id: string) => void,
): AlertDependencies {
  return {
    store,
    isSeen: (id) => document.hasFocus() && panesOf(store.getState().layout.root).some(({ tabs }) => tabs.active === id),
    wasAsked: (id) => asked.has(id),
    silencesRemote: () => sounds.settings.silence_remote_completions,
    play: (sound) => sounds.play(sound),
    show: (id, title, text) => {
      if (!store.getState().preferences.browserNotices || document.hasFocus() || !('Notification' in window)) return;
      if (Notification.permission !== 'granted') return;
      const notice = new Notification(title, { body: text, tag: id, silent: true });
      notice.addEventListener('click', () => {
        window.focus();
        showSession(id);
        notice.close();
      });
    },
  };
}
