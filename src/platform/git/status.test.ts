import { describe, expect, it } from 'vitest';
import { parseStatus } from './status.ts';

const records = (...parts: string[]) => `${parts.join('\0')}\0`;
const HEADERS = ['# branch.oid 0123', '# branch.head main'];

describe('parseStatus', () => {
  it('tells branch, distance, changes and conflicts', () => {
    const text = records(
      ...HEADERS,
      '# branch.upstream origin/main',
      '# branch.ab +2 -13',
      '1 .M N... 100644 100644 100644 a a file',
      'u UU N... 100644 100644 100644 100644 a b c conflict',
      '? new file',
    );
    expect(parseStatus(text)).toEqual({ branch: 'main', ahead: 2, behind: 13, changes: 2, conflicts: 1 });
  });

  it('knows no distance without a branch to compare with, and no branch of a detached HEAD', () => {
    const nothing = { ahead: undefined, behind: undefined, changes: 0, conflicts: 0 };
    expect(parseStatus(records('# branch.oid 01', '# branch.head (detached)'))).toEqual({
      branch: undefined,
      ...nothing,
    });
    // The branch it follows is gone.
    expect(parseStatus(records(...HEADERS, '# branch.upstream origin/gone'))).toEqual({ branch: 'main', ...nothing });
    expect(parseStatus('')).toEqual({ branch: undefined, ...nothing });
  });

  it('takes no name of a file for something that git says', () => {
    const text = records(
      ...HEADERS,
      '2 R. N... 100644 100644 100644 a a R100 new',
      'u UU an old name that looks like a conflict',
      '? # branch.ab +9 -9',
      '1 .M N... 100644 100644 100644 a a line\nu UU break',
    );
    expect(parseStatus(text)).toMatchObject({ ahead: undefined, changes: 3, conflicts: 0 });
  });
});
