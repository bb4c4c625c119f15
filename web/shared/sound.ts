/** Short tones for notices (mcp.md UI-3). A page may sound only after a person has touched it; before that it stays silent. */
import type { Toast } from '../../src/contract/index.ts';

export type SoundName = Exclude<Toast['sound'], false>;

/** Hertz, one after the other. */
const TONES: Readonly<Record<SoundName, readonly number[]>> = {
  info: [660],
  completion: [523, 784],
  question: [587, 880],
  warning: [440, 440],
  error: [330, 220],
  attention: [880, 660, 880],
};
const TONE_SECONDS = 0.12;
const LOUDNESS = 0.06;

let audio: AudioContext | undefined;

export function playSound(name: SoundName): void {
  // Else the browser refuses it, and writes a warning each time.
  if (!navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  const volume = audio.createGain();
  volume.gain.value = LOUDNESS;
  volume.connect(audio.destination);
  for (const [index, frequency] of TONES[name].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start(audio.currentTime + index * TONE_SECONDS);
    tone.stop(audio.currentTime + (index + 0.85) * TONE_SECONDS);
  }
}
