import { describe, expect, it } from 'vitest';
import type { PictureSource } from '../terminal/terminal-picture.ts';
import { takePicture } from './panel-pictures.ts';
import { DEFAULT_PREFERENCES } from './preferences.ts';
import { openTab } from './tabs.ts';
import { createWorkspaceStore } from './workspace-state.ts';

const SOURCE = { hasCursor: true } as PictureSource;

function setUp(options: { isOpen?: boolean; view?: { pictureSource: PictureSource | undefined } | undefined }) {
  const store = createWorkspaceStore(DEFAULT_PREFERENCES, 'dark');
  const tabs = openTab({ order: [], active: undefined }, options.isOpen === false ? 'another' : 's1');
  store.setState({
    sessions: new Map([['s1', { session_id: 's1', display_name: 'builder' } as never]]),
    layout: { root: { kind: 'pane', id: 'p1', tabs }, focused: 'p1' },
  });
  const drawn: PictureSource[] = [];
  const take = (id: string, picture: Blob | undefined = new Blob(['abc'], { type: 'image/webp' })) =>
    takePicture(id, {
      store,
      stage: { view: () => options.view },
      draw: async (source) => {
        drawn.push(source);
        return picture;
      },
    });
  return { drawn, take };
}

describe('a picture of a panel', () => {
  it('UI-5: is drawn from what the terminal shows', async () => {
    const { drawn, take } = setUp({ view: { pictureSource: SOURCE } });
    const picture = await take('s1');
    expect(picture).toEqual({ type: 'image/webp', bytes: new Uint8Array([97, 98, 99]), label: 'builder' });
    expect(drawn).toEqual([SOURCE]);
  });

  it.each([
    ['of what is no terminal', {}, 'x', 'no terminal of this workspace'],
    ['of one that is not open here', { isOpen: false }, 's1', '“builder” is not open'],
    ['of one behind another that was never shown', { view: undefined }, 's1', 'not looked at yet'],
    ['of one that is still being read', { view: { pictureSource: undefined } }, 's1', 'has no screen yet'],
  ])('UI-5: there is none %s', async (_what, options, id, words) => {
    const { drawn, take } = setUp(options);
    expect(await take(id)).toEqual({ error: expect.stringContaining(words) });
    expect(drawn).toEqual([]);
  });
});
