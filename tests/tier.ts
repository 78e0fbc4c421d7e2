/**
 * Sizes of the tests of faults, security, conformance and the browser. `npm test` runs the short size: every guarantee,
 * at a few moments or on a sample, which differ from run to run. `npm run test:full` runs the full size: sweeps are
 * complete. `npm run test:faults` runs the long size, which docs/reliability.md names.
 */
import { appendFileSync } from 'node:fs';

const tier = readTier();

function readTier(): 'short' | 'full' | 'long' {
  const name = process.env['TEST_SIZE'] ?? 'short';
  if (name === 'short' || name === 'full' || name === 'long') return name;
  throw new Error(`TEST_SIZE is "${name}"; it must be short, full or long`);
}

/** Returns the value for the size of this run. */
export function pick<T>(short: T, full: T, long: T = full): T {
  return { short, full, long }[tier];
}

/** Returns the value if only the long size differs. The full run repeats no test for it, as it does for `pick`. */
export function pickLong<T>(usual: T, long: T): T {
  return tier === 'long' ? long : usual;
}

/** Seed of samples and moments. Runs differ from each other; `SEED` repeats one. */
export const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

let isSeedPrinted = false;

/** Prints the seed once for each test file, so that a failure can be repeated. */
export function printSeed(): void {
  if (!isSeedPrinted) console.log(`SEED=${seed} repeats this run's sample`);
  isSeedPrinted = true;
}

/** Returns the moment of a round as a share from 0 to 1. The moments of successive rounds are distributed evenly. */
export function momentOf(round: number): number {
  printSeed();
  return ((seed + round) * 0.618_033_988) % 1;
}

/** Returns `count` items as `sampleOf` does, in the full size too; the whole list in the long size only. */
export function sampleUnlessLong<T>(list: readonly T[], count: number): readonly T[] {
  return tier === 'long' ? list : spreadEvenly(list, count);
}

/** Returns `count` items of the list, distributed evenly and different for each seed; the whole list in other sizes. */
export function sampleOf<T>(list: readonly T[], count: number): readonly T[] {
  return pick(spreadEvenly(list, count), list);
}

function spreadEvenly<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list;
  const step = list.length / count;
  const chosen = new Set(Array.from({ length: count }, (_, nth) => Math.floor((nth + momentOf(0)) * step)));
  return list.filter((_, index) => chosen.has(index));
}

/** Reports the figure that a promise's test measured; `npm run test:faults` writes it into docs/reliability.md. */
export function reportMeasurement(promise: string, figure: string): void {
  console.log(`measured ${promise}: ${figure}`);
  const file = process.env['MEASURED_FILE'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ promise, figure })}\n`);
}
