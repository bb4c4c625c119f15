import { describe, expect, it } from 'vitest';
import { AppError, EXIT_CODES } from '../contract/index.ts';
import { describeStartFailure } from './start-failure.ts';

const system = (code: string) => Object.assign(new Error(`${code}: raw text, mkdir`), { code });

describe('why a server did not start', () => {
  it('a directory that cannot be written is named, with the reason in words and the next step', () => {
    for (const [code, words] of [
      ['ENOTDIR', 'a file'],
      ['EROFS', 'read-only'],
      ['ENOSPC', 'full'],
      ['EACCES', 'permission'],
    ] as const) {
      for (const error of [system(code), new AppError('storage_failed', { detail: 'x' }, { cause: system(code) })]) {
        const failure = describeStartFailure(error, '/data/tuic');
        expect(failure?.exitCode).toBe(EXIT_CODES.storage);
        expect(failure?.message).toContain('/data/tuic');
        expect(failure?.message).toContain(words);
        expect(failure?.message).toContain('TUIC_CONFIG_DIR');
        expect(failure?.message).not.toContain('raw text');
      }
    }
  });

  it('each expected refusal has its exit code and its own message', () => {
    const of = (error: AppError) => describeStartFailure(error, '/data/tuic');
    expect(of(new AppError('server_running', { holder: 'pid 7' }))).toMatchObject({
      exitCode: EXIT_CODES.alreadyRunning,
    });
    expect(of(new AppError('server_running', { holder: 'pid 7' }))?.message).toContain('pid 7');
    expect(of(new AppError('ports_taken', { ports: '1, 2, 3' }))).toMatchObject({ exitCode: EXIT_CODES.portsTaken });
    expect(of(new AppError('invalid_input', { detail: 'TUIC_PORT' }))).toMatchObject({ exitCode: EXIT_CODES.usage });
    expect(of(new AppError('internal'))).toMatchObject({ exitCode: EXIT_CODES.failure });
  });

  it('what nobody expects stays a fault', () => {
    expect(describeStartFailure(new TypeError('x is undefined'), '/data/tuic')).toBeUndefined();
    expect(describeStartFailure(system('EMFILE'), '/data/tuic')).toBeUndefined();
  });
});
