/** Rounds in which every contestant runs once; each round begins with another one. */
import type { RowContext } from '../model.ts';

export async function interleave(
  context: RowContext,
  contestants: Readonly<Record<string, () => Promise<void>>>,
  rounds = context.rounds,
): Promise<void> {
  const names = Object.keys(contestants);
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length] ?? '';
      context.progress(`round ${round + 1} of ${rounds}: ${name}`);
      await contestants[name]?.();
    }
  }
}

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
