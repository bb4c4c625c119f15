import { defineConfig } from 'vitest/config';

/** `npm run screenshots`: pictures for the documentation, made from the running product. Not part of `npm test`. */
export default defineConfig({
  test: { include: ['test/browser/screenshots.ts'], testTimeout: 240_000, hookTimeout: 120_000, root: '.' },
});
