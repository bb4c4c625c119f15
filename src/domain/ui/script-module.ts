/** Turns the script of `debug invoke_js` into the module that the window imports. */
import { Script } from 'node:vm';
import { AppError } from '../../contract/index.ts';

function problemOf(source: string): string | undefined {
  try {
    // Compiled only, never run here. Modules are strict.
    new Script(`'use strict';(${source})`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** An expression gives its own value; statements give what they `return`. The line breaks end a comment of the last line. */
export function toScriptModule(script: string): string {
  const expression = `async () => (\n${script.trim().replace(/;+$/, '')}\n)`;
  if (problemOf(expression) === undefined) return `export default ${expression};\n`;
  const statements = `async () => {\n${script}\n}`;
  const problem = problemOf(statements);
  if (problem === undefined) return `export default ${statements};\n`;
  throw new AppError('invalid_input', { detail: `script: ${problem}` });
}
