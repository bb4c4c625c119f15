import { expect, it } from 'vitest';
import { growthOf, type Point } from './growth.ts';

/** A sample each two seconds; each life fills up as `fill` says, on top of a growth in MB a minute. */
function run(lives: number, secondsOfLife: number, rate: number, fill: (age: number) => number): Point[] {
  const points: Point[] = [];
  for (let life = 0; life < lives; life++) {
    for (let age = 0; age < secondsOfLife; age += 2) {
      const at = life * secondsOfLife + age;
      points.push({ at, life, age, megabytes: 100 + (rate * at) / 60 + fill(age) });
    }
  }
  return points;
}

it('what each life fills up is no growth', () => {
  const { rate, uncertainty, lives } = growthOf(run(4, 60, 0, (age) => 40 * (1 - Math.exp(-age / 20))));
  expect(lives).toBe(4);
  expect(Math.abs(rate)).toBeLessThan(0.2);
  expect(uncertainty).toBeLessThan(0.5);
});

it('what each life leaves behind is', () => {
  const { rate } = growthOf(run(4, 60, 3, (age) => 40 * (1 - Math.exp(-age / 20))));
  expect(rate).toBeGreaterThan(2.8);
  expect(rate).toBeLessThan(3.2);
});

it('a run of one life is compared with itself', () => {
  const { rate, lives } = growthOf(run(1, 120, 6, () => 0));
  expect(lives).toBe(1);
  expect(rate).toBeCloseTo(6, 6);
});

it('a burst in a few samples does not count, and says itself in the uncertainty', () => {
  const quiet = run(3, 60, 1, () => 0);
  const burst = quiet.map((point, index) => (index % 15 === 0 ? { ...point, megabytes: point.megabytes + 80 } : point));
  const noisy = quiet.map((point, index) => ({ ...point, megabytes: point.megabytes + ((index * 7919) % 13) }));
  expect(growthOf(burst).rate).toBeCloseTo(1, 1);
  expect(growthOf(noisy).uncertainty).toBeGreaterThan(growthOf(quiet).uncertainty);
});
