import { describe, expect, it } from 'vitest';
import { Tally } from '../../scripts/lib/tally.mjs';

const report = (statuses: string[], file = {}) => ({
  numTotalTests: statuses.length,
  numPassedTests: statuses.filter((status) => status === 'passed').length,
  numPendingTests: statuses.filter((status) => status === 'pending').length,
  numTodoTests: 0,
  testResults: [
    {
      name: 'a.test.ts',
      status: statuses.includes('failed') ? 'failed' : 'passed',
      assertionResults: statuses.map((status, index) => ({
        status,
        fullName: `test ${index}`,
        failureMessages: status === 'failed' ? ['\u001b[31mexpected 1 to be 2\u001b[39m\n\nat line 3'] : [],
      })),
      ...file,
    },
  ],
});

function closing(...args: Parameters<Tally['addReport']>): string {
  const tally = new Tally();
  tally.addReport(...args);
  return tally.closingLine;
}

describe('closing line', () => {
  it('counts gates and tests', () => {
    const tally = new Tally();
    tally.pass();
    tally.fail('types');
    tally.addReport('unit', report(['passed', 'failed', 'pending']), 1);
    expect(tally.closingLine).toBe('2 passed, 2 failed, 1 skipped');
    expect(tally.summary).toBe('  types\n  unit: test 1\n      expected 1 to be 2\n      at line 3');
  });

  it('a run that cannot be counted is a failure', () => {
    expect(closing('unit', undefined, 0)).toBe('0 passed, 1 failed, 0 skipped');
    expect(closing('unit', report(['passed'], { status: 'failed' }), 1)).toBe('1 passed, 1 failed, 0 skipped');
    expect(closing('unit', report(['passed']), 1)).toBe('1 passed, 1 failed, 0 skipped');
    expect(closing('unit', report([]), 0)).toBe('0 passed, 1 failed, 0 skipped');
    expect(closing('unit', report(['passed']), 0)).toBe('1 passed, 0 failed, 0 skipped');
  });
});
