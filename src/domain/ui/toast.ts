/** How a notice sounds (UI-3). */
import type { TOAST_LEVELS, TOAST_SOUNDS, Toast } from '../../contract/index.ts';

type Level = (typeof TOAST_LEVELS)[number];
type Sound = (typeof TOAST_SOUNDS)[number];

const SOUND_OF_LEVEL: Readonly<Record<Level, Sound>> = { info: 'info', warn: 'warning', error: 'error' };

/** `true` sounds like the level, a name like itself. Names were checked before. */
export function resolveSound(level: Level, sound: boolean | Sound): Toast['sound'] {
  if (typeof sound === 'string') return sound;
  return sound ? SOUND_OF_LEVEL[level] : false;
}
