import { describe, expect, it } from 'vitest';
import { toScriptModule } from './script-module.ts';

/** What the window does with it. */
async function run(script: string): Promise<unknown> {
  const url = `data:text/javascript,${encodeURIComponent(toScriptModule(script))}`;
  const module = (await import(/* @vite-ignore */ url)) as { default: () => Promise<unknown> };
  return module.default();
}

describe('the script of debug invoke_js', () => {
  it.each([
    ['1 + 1', 2],
    ['1 + 1;', 2],
    ['  [1, 2].map((n) => n * 2) // doubled', [2, 4]],
    ['({ a: 1 })', { a: 1 }],
    ['{ a: 1 }', { a: 1 }],
    ['await Promise.resolve(7)', 7],
    ['const x = 3; return x * 2;', 6],
    ['let sum = 0;\nfor (const n of [1, 2]) sum += n;\nreturn sum // all', 3],
    ['const x = 3; x', undefined],
  ])('DBG-1: %s', async (script, value) => {
    expect(await run(script)).toEqual(value);
  });

  it.each(['1 +', 'return {', 'const a = 1; const a = 2', '(', 'with (x) {}'])(
    'refuses what is no script: %s',
    (script) => {
      expect(() => toScriptModule(script)).toThrow(/^Invalid input: script: /);
    },
  );

  it('runs nothing while it is looked at', () => {
    const mark = 'tuicScriptWasRun';
    toScriptModule(`globalThis.${mark} = true`);
    expect(Object.hasOwn(globalThis, mark)).toBe(false);
  });
});
