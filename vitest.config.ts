import { defineConfig } from 'vitest/config';

// Unit tests stand beside their source; whatever needs a process, a socket or a browser lives under test/.
// `long` holds the full counts; npm run test:long also runs every test file that reads TUIC_LONG (scripts/test.mjs).
const isLong = process.env.TUIC_LONG === '1';
const stretch = isLong ? 10 : 1;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'web/**/*.test.ts',
            'test/arch/**/*.test.ts',
            'test/pins/**/*.test.ts',
            'test/scripts/**/*.test.ts',
            'test/kit/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          testTimeout: 20_000 * stretch,
          // Its entry for bundlers is the one with named exports.
          server: { deps: { inline: ['jsonc-parser'] } },
          // Files of one worker share its modules: loading them again for each file was 40 % of all processor time. So a test leaves
          // nothing behind in a module or in the process; `--isolate` tells whether one does.
          isolate: false,
          // Half of the time these wait for programs and timers, so a worker for each core of a small machine fits.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 120_000 * stretch,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          // Real agents; npm run test:agents installs them.
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          // What writes: npm run test:agents -- record (test/captures) and -- score (docs/agent-state.md).
          name: 'agent-runs',
          include: ['test/agents/*.run.ts'],
          testTimeout: 1_800_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
