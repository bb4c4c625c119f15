/** Reads `git status --porcelain=v2 --branch -z`. Names of files are hostile text: only the fields before them are looked at. */

export interface WorkTreeStatus {
  /** Undefined when HEAD is detached. */
  branch: string | undefined;
  /** Commits that only this side has, and only the other; undefined without a branch to compare with. */
  ahead: number | undefined;
  behind: number | undefined;
  /** Files that differ, new ones included. */
  changes: number;
  conflicts: number;
}

export function parseStatus(text: string): WorkTreeStatus {
  const status: WorkTreeStatus = { branch: undefined, ahead: undefined, behind: undefined, changes: 0, conflicts: 0 };
  const records = text.split('\0');
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? '';
    switch (record.slice(0, 2)) {
      case '# ':
        readHeader(record.slice(2), status);
        break;
      case 'u ':
        status.conflicts++;
        break;
      case '2 ':
        status.changes++;
        // The record after a rename is the old name and nothing else, whatever it looks like.
        at++;
        break;
      case '1 ':
      case '? ':
        status.changes++;
        break;
    }
  }
  return status;
}

function readHeader(header: string, status: WorkTreeStatus): void {
  const branch = /^branch\.head (.+)$/s.exec(header)?.[1];
  if (branch !== undefined && branch !== '(detached)') status.branch = branch;
  const [, ahead, behind] = /^branch\.ab \+(\d+) -(\d+)$/.exec(header) ?? [];
  if (ahead === undefined || behind === undefined) return;
  status.ahead = Number(ahead);
  status.behind = Number(behind);
}
