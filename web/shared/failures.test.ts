import { describe, expect, it } from 'vitest';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import { Failures, isRefusal } from './failures.ts';

describe('actions that fail', () => {
  it('D2: a missing credential changes the page, a refusal and silence are told, a fault of the page is thrown on', () => {
    const done: string[] = [];
    const failures = new Failures({
      loggedOut: () => done.push('logged out'),
      tell: (text) => done.push(text),
      unreachable: () => done.push('unreachable'),
    });
    failures.explain(new RequestRefused(401, 'Log in'), 'It failed');
    failures.explain(new RequestRefused(403, 'Not from here'), 'It failed');
    failures.explain(new RequestRefused(400, 'rows: too many'), 'It failed');
    failures.refused(new RequestRefused(409, 'Ended'));
    failures.explain(new ServerUnreachable('away'), 'It failed');
    expect(done).toEqual([
      'logged out',
      'logged out',
      'It failed: rows: too many',
      'Ended',
      'It failed: the server does not answer.',
      'unreachable',
    ]);
    expect(() => failures.explain(new TypeError('broken'), 'It failed')).toThrow('broken');
    expect([new ServerUnreachable('away'), new TypeError('broken')].map(isRefusal)).toEqual([true, false]);
  });
});
