/** What a test opened is closed after it, also when it failed. */
import { afterAll, afterEach } from 'vitest';
import { Cleanup } from './cleanup-steps.ts';

export { Cleanup };

/** For what one test owns. Call it at the top of a file or of a describe block. */
export function cleanupAfterEach(): Cleanup {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());
  return cleanup;
}

/** For what the tests of a file share. */
export function cleanupAfterAll(): Cleanup {
  const cleanup = new Cleanup();
  afterAll(() => cleanup.run());
  return cleanup;
}
