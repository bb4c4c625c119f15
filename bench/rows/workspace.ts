/** The workspace in a browser without a cache, on loopback: first paint, and the script until a terminal is there. */
import { gzipSync } from 'node:zlib';
import { launchBrowser, loginLink, newContext } from '../../test/kit/browser.ts';
import { openSessions, startProduct } from '../kit/server.ts';
import type { Row } from '../model.ts';
import { median } from '../statistics.ts';

const KILOBYTE = 1_000;

export const workspaceRow: Row = {
  id: 'workspace',
  title: 'The workspace in a browser, on loopback',
  rules: [
    { id: 'paint', title: 'first paint', unit: 'ms', relation: 'at most', must: 1_000, stretch: 500 },
    {
      id: 'script',
      title: 'script before the first terminal, gzip',
      unit: 'KB',
      relation: 'at most',
      must: 250,
      stretch: 160,
    },
  ],
  async run(context) {
    const server = await startProduct(context);
    await openSessions(server, 1, 'echo ready; exec sleep 10000');
    const browser = await launchBrowser(context.cleanup);
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`round ${round + 1} of ${context.rounds}`);
      const own = await newContext(browser, context.cleanup);
      const page = await own.newPage();
      const scripts: Promise<number>[] = [];
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script')
          scripts.push(response.body().then((body) => gzipSync(body).length));
      });
      await page.goto(await loginLink(server));
      await page.locator('.terminal[data-connection="live"]').first().waitFor();
      const paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      );
      context.sample('first paint', 'ms', paint);
      const sizes = await Promise.all(scripts);
      context.sample('script', 'KB', sizes.reduce((sum, size) => sum + size, 0) / KILOBYTE);
      await own.close();
    }
    context.figure('paint', median(context.samples('first paint')));
    context.figure('script', median(context.samples('script')));
  },
};
