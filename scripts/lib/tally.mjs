import { stripVTControlCharacters } from 'node:util';

/** Counts what passed, failed and was skipped. Whatever could not be counted is a failure, never a silent gap. */
export class Tally {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** @type {{name: string, detail: string}[]} */
  failures = [];

  pass() {
    this.passed += 1;
  }

  /** @param {string} name @param {string} detail what was seen; its first lines are told again at the end */
  fail(name, detail = '') {
    this.failed += 1;
    this.failures.push({ name, detail });
  }

  /**
   * Adds a vitest JSON report (undefined: there was none) of a run that ended with `code`. A file that could not be
   * loaded and an error outside of the tests count as failed.
   */
  addReport(project, report, code) {
    if (report === undefined) return this.fail(`${project}: vitest wrote no report`);
    const before = this.failed;
    this.passed += report.numPassedTests;
    this.skipped += report.numPendingTests + report.numTodoTests;
    for (const file of report.testResults) {
      const failed = file.assertionResults.filter((test) => test.status === 'failed');
      for (const test of failed) this.fail(`${project}: ${test.fullName}`, test.failureMessages.join('\n'));
      if (file.status === 'failed' && failed.length === 0)
        this.fail(`${project}: ${file.name} could not be run`, file.message);
    }
    const isCounted = this.failed > before;
    if (code !== 0 && !isCounted) this.fail(`${project}: vitest ended with ${code}, by an error outside of the tests`);
    if (code === 0 && report.numTotalTests === 0) this.fail(`${project}: there was no test`);
  }

  /** The failures with the first lines of what was seen: whoever reads only the end of a long log finds them there. */
  get summary() {
    return this.failures.map(({ name, detail }) => [`  ${name}`, ...firstLines(detail)].join('\n')).join('\n');
  }

  get closingLine() {
    return `${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`;
  }
}

function firstLines(detail) {
  const lines = stripVTControlCharacters(detail)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.slice(0, 14).map((line) => `      ${line.slice(0, 240)}`);
}
