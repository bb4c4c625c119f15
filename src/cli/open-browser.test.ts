import { describe, expect, it } from 'vitest';
import { openInBrowser, whyNotOpen } from './open-browser.ts';

describe('opening the browser', () => {
  it('is left when the person said so or nothing could show it', () => {
    expect(whyNotOpen({ platform: 'linux', env: { DISPLAY: ':0', TUIC_NO_OPEN: '1' } })).toBe('TUIC_NO_OPEN=1');
    expect(whyNotOpen({ platform: 'linux', env: { DISPLAY: '' } })).toBe('no display');
    expect(whyNotOpen({ platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeUndefined();
    expect(whyNotOpen({ platform: 'darwin', env: {} })).toBeUndefined();
  });

  it('tells when there is no display, and starts nothing', async () => {
    expect(await openInBrowser({ platform: 'linux', env: {} }, 'http://127.0.0.1:1/')).toBe(false);
  });
});
