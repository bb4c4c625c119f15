/**
 * Short tones for notices of agents (mcp.md UI-3) and for what they do. How loud, and which of them, stands in `notifications.json` of
 * the server. A page may sound only after a person has touched it; before that it stays silent. Of several windows one sounds.
 */
import { type Client, RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { AppEvent, Toast } from '../../src/contract/index.ts';

export type SoundName = Exclude<Toast['sound'], false>;

/** Hertz, and from when on for how long in parts of a tone. */
type Tone = readonly [hertz: number, from: number, parts: number];

const TONES: Readonly<Record<SoundName, readonly Tone[]>> = {
  info: [[660, 0, 0.85]],
  completion: [
    [523, 0, 0.85],
    [784, 1, 0.85],
  ],
  question: [
    [587, 0, 0.85],
    [880, 1, 0.85],
  ],
  warning: [
    [440, 0, 0.85],
    [440, 1, 0.85],
  ],
  error: [
    [330, 0, 0.85],
    [220, 1, 0.85],
  ],
  // Two short knocks on G4, and a longer rise to E5.
  attention: [
    [392, 0, 0.5],
    [392, 1, 0.5],
    [659, 2, 2],
  ],
};
export const SOUND_NAMES = Object.keys(TONES) as SoundName[];
const TONE_SECONDS = 0.12;
/** At full volume. */
const LOUDEST = 0.12;

export interface SoundSettings {
  enabled: boolean;
  /** 0 to 1. */
  volume: number;
  sounds: Readonly<Record<SoundName, boolean>>;
  silence_remote_completions: boolean;
}

const DEFAULT_SETTINGS = parseSoundSettings({});

/** Whatever is missing or no setting stands at its default (http.md 11.4). */
export function parseSoundSettings(value: unknown): SoundSettings {
  const from = objectOf(value);
  const sounds = objectOf(from.sounds);
  const { volume } = from;
  return {
    enabled: from.enabled !== false,
    volume: typeof volume === 'number' && volume >= 0 && volume <= 1 ? volume : 0.5,
    sounds: Object.fromEntries(SOUND_NAMES.map((name) => [name, sounds[name] !== false])) as Record<SoundName, boolean>,
    silence_remote_completions: from.silence_remote_completions !== false,
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export class Sounds {
  readonly #config: Pick<Client['config'], 'readFile'>;
  #settings = DEFAULT_SETTINGS;
  #audio: AudioContext | undefined;

  constructor(config: Pick<Client['config'], 'readFile'>) {
    this.#config = config;
  }

  get settings(): SoundSettings {
    return this.#settings;
  }

  async load(): Promise<void> {
    try {
      this.#settings = parseSoundSettings((await this.#config.readFile('notifications')).value);
    } catch (error) {
      // The next connection asks again; until then what was known goes on.
      if (!(error instanceof RequestRefused || error instanceof ServerUnreachable)) throw error;
    }
  }

  onEvent(event: AppEvent): void {
    if (event.name === 'config-changed' && event.data.file === 'notifications') void this.load();
  }

  play(name: SoundName): void {
    const { enabled, sounds, volume } = this.#settings;
    if (enabled && sounds[name]) this.sound(name, volume);
  }

  /** Whatever is set. */
  sound(name: SoundName, loudness: number): void {
    // Else the browser refuses it, and writes a warning each time.
    if (!navigator.userActivation?.hasBeenActive) return;
    // Windows hear of the same thing in the same moment. Where there are no locks each sounds.
    if (navigator.locks === undefined) void this.#ring(name, loudness);
    else {
      void navigator.locks.request('tuicommander.sound', { ifAvailable: true }, (lock) =>
        lock === null ? undefined : this.#ring(name, loudness),
      );
    }
  }

  /** Resolves when it is over. */
  #ring(name: SoundName, loudness: number): Promise<void> {
    this.#audio ??= new AudioContext();
    const audio = this.#audio;
    const volume = audio.createGain();
    volume.gain.value = LOUDEST * loudness;
    volume.connect(audio.destination);
    let seconds = 0;
    for (const [hertz, from, parts] of TONES[name]) {
      const tone = audio.createOscillator();
      tone.frequency.value = hertz;
      tone.connect(volume);
      tone.start(audio.currentTime + from * TONE_SECONDS);
      tone.stop(audio.currentTime + (from + parts) * TONE_SECONDS);
      seconds = Math.max(seconds, (from + parts) * TONE_SECONDS);
    }
    return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
