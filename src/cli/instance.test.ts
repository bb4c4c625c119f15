import { describe, expect, it } from 'vitest';
import { takeInstance } from './instance.ts';

function instanceOf(...args: string[]): string {
  const env: Record<string, string | undefined> = { TUIC_INSTANCE: 'from-the-environment' };
  const rest = takeInstance(args, env);
  expect(rest.every((argument) => args.includes(argument))).toBe(true);
  return [env.TUIC_INSTANCE, ...rest].join(' ');
}

describe('--instance', () => {
  it('stands before the command and goes before TUIC_INSTANCE', () => {
    expect(instanceOf('--instance', 'work', 'ls')).toBe('work ls');
    expect(instanceOf('--instance=work', 'ls')).toBe('work ls');
    for (const args of [['ls'], ['ls', '--instance', 'work'], ['new', '--', '--instance=work'], ['--instance'], []]) {
      expect(instanceOf(...args)).toBe(['from-the-environment', ...args].join(' '));
    }
  });
});
