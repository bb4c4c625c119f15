import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../src/contract/index.ts';
import {
  cleanText,
  describeAge,
  describeBytes,
  describeLayout,
  describeProgram,
  folderName,
  sessionLabel,
} from './labels.ts';
import { ONE_PANE, openSession, splitPane } from './layout.ts';

const session: SessionInfo = {
  session_id: '0123456789abcdef',
  cwd: null,
  worktree_path: null,
  worktree_branch: null,
  is_remote: false,
  lifecycle: 'live',
  created_at: 0,
  rows: 24,
  cols: 80,
};

describe('labels', () => {
  it('takes out what could act or turn text around, and shortens', () => {
    expect(cleanText('a\x1b[31m\u202egnp.exe\u2066 \n b')).toBe('a [31m gnp.exe b');
    expect(cleanText(`${'😀'.repeat(200)}`)).toBe(`${'😀'.repeat(119)}…`);
    expect(cleanText('<b>bold</b>')).toBe('<b>bold</b>');
  });

  it('names the program in front, the agent it was recognised as, or the shell; nothing while unknown or over', () => {
    const own = { ...session, shell: '/bin/bash' };
    expect(describeProgram(own, 'vi\u202em')).toBe('vi m');
    expect(describeProgram(own, null)).toBe('bash');
    expect(describeProgram(own, undefined)).toBeUndefined();
    expect(describeProgram({ ...own, lifecycle: 'exited' }, 'vim')).toBeUndefined();
    const state = { awaiting_input: false, rate_limited: false, last_activity_ms: 0, agent_type: 'claude' };
    expect(describeProgram({ ...own, state }, 'node')).toBe('claude');
  });

  it('counts terminals and panes of a layout', () => {
    const one = openSession(ONE_PANE, 'a');
    expect(describeLayout(one)).toBe('1 terminal');
    expect(describeLayout(splitPane(one, 'b', 'p1', 'down'))).toBe('2 terminals in 2 panes');
  });

  it('prefers the given name, then the title, then the alias, then the id', () => {
    expect(sessionLabel({ ...session, display_name: 'n', title: 't', alias: 'sh-1' })).toBe('n');
    expect(sessionLabel({ ...session, display_name: ' ', title: 't', alias: 'sh-1' })).toBe('t');
    expect(sessionLabel({ ...session, title: '\x07', alias: 'sh-1' })).toBe('sh-1');
    expect(sessionLabel(session)).toBe('01234567');
  });

  it('names folders, ages and amounts', () => {
    expect([folderName('/a/b/'), folderName('/'), folderName(null), folderName('C:\\x\\y')]).toEqual([
      'b',
      '/',
      '',
      'y',
    ]);
    const ages = [0, 59_999, 60_000, 3_600_000, 47 * 3_600_000, 48 * 3_600_000];
    expect(ages.map((now) => describeAge(0, now))).toEqual(['now', 'now', '1 min', '1 h', '47 h', '2 d']);
    expect(describeAge(10, 0)).toBe('now');
    expect([500, 2048, 3 * 1024 * 1024].map(describeBytes)).toEqual(['500 B', '2 KB', '3.0 MB']);
  });
});
