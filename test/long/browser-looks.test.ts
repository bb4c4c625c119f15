/** The matrix of looks (test/kit/looks.ts) finds what it is for. */
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../kit/browser.ts';
import { cleanupAfterAll } from '../kit/cleanup.ts';
import { findAccessFaults, findCuts, findUnreachable } from '../kit/looks.ts';

const cleanup = cleanupAfterAll();
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser(cleanup);
});

describe('DESIGN 9: looks at every width', () => {
  it('the matrix itself sees what is wrong: a cut label, an overflow, a missing name, a button that Tab skips', async () => {
    const context = await browser.newContext({ viewport: { width: 320, height: 400 } });
    const page = await context.newPage();
    await page.setContent(
      `<html lang="en"><head><title>x</title></head><body style="margin:0"><main><h1>Title</h1>
        <div style="width:60px;overflow:hidden;white-space:nowrap"><span>A label that is far too long</span></div>
        <div style="width:900px">wide</div><button></button><p style="color:#999;background:#fff">faint words</p>
        <button style="outline:none">unmarked</button><details><summary>More</summary></details>
        <script>document.addEventListener('focusin', (e) => e.target.id === 'skipped' && e.target.blur())</script>
        <button id="skipped">skipped</button></main></body></html>`,
    );
    const cuts = (await findCuts(page)).join('\n');
    expect(cuts).toContain('is cut across');
    expect(cuts).toContain('the page is 900 wide');
    const faults = (await findAccessFaults(page)).join('\n');
    expect(faults).toContain('axe button-name');
    expect(faults).toContain('axe color-contrast');
    const unreachable = (await findUnreachable(page)).join('\n');
    expect(unreachable).toContain('Tab does not reach <button> "skipped"');
    expect(unreachable).toContain('"unmarked" does not show');
    expect(unreachable).not.toContain('"More"');
    await context.close();
  });
});
