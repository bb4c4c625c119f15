/** What `tuic doctor` says about one thing. */
import type { Context } from '../context.ts';

/** warn: works, but not as it should, or soon not any more. fail: does not work. */
export type CheckState = 'ok' | 'warn' | 'fail';

export interface CheckResult {
  name: string;
  state: CheckState;
  detail: string;
  /** What to do about it. */
  next?: string;
}

export type Check = (context: Context) => Promise<CheckResult[]>;

export function ok(name: string, detail: string): CheckResult {
  return { name, state: 'ok', detail };
}

export function warn(name: string, detail: string, next: string): CheckResult {
  return { name, state: 'warn', detail, next };
}

export function fail(name: string, detail: string, next: string): CheckResult {
  return { name, state: 'fail', detail, next };
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
