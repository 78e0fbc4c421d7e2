/**
 * Many streams like those of broken and hostile upstreams: random damage to the fixtures, to streams of scripted
 * vendors, and to recorded traffic if it is found. `MUTATED_STREAMS` sets their number, `SEED` the first seed on; a
 * failure names the seed of its case, which `MUTATED_STREAMS=1` plays alone.
 */
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../security/collect-garbage.ts';
import { pick } from '../tier.ts';
import { runMutatedCase } from './mutated-case.ts';
import { sources } from './stream-sources.ts';

const STREAMS = Number(process.env['MUTATED_STREAMS'] ?? pick(10_000, 60_000));
const FIRST_SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000);
const HEAP_GROWTH_MAX = 32 * 1024 * 1024;
const FAILURES_MAX = 20;
/** Failures that begin alike are reported once. */
const KIND_LENGTH = 50;

describe('mutated streams', () => {
  it('end in bytes that a client can read or an UpstreamError, metered sanely, however they are split', () => {
    const failures = new Map<string, string>();
    let whole = 0;
    let slowest = 0;
    let heap = 0;
    const startedAt = performance.now();
    for (let count = 0; count < STREAMS && failures.size < FAILURES_MAX; count++) {
      try {
        const { isWhole, milliseconds } = runMutatedCase(FIRST_SEED + count);
        if (isWhole) whole++;
        slowest = Math.max(slowest, milliseconds);
      } catch (error) {
        const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
        const kind = message.slice(0, KIND_LENGTH).replaceAll(/\d+/g, '#');
        if (!failures.has(kind)) failures.set(kind, `seed ${FIRST_SEED + count}: ${message.slice(0, 500)}`);
      }
      if (count === Math.floor(STREAMS / 10)) heap = heapUsed();
    }
    const growth = heapUsed() - heap;
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${STREAMS} mutated streams of ${sources.length} from seed ${FIRST_SEED} in ${seconds.toFixed(0)} s: ${whole} were whole, ` +
        `the slowest took ${slowest.toFixed(0)} ms, the heap grew by ${(growth / 1e6).toFixed(1)} MB`,
    );
    expect([...failures.values()]).toEqual([]);
    expect(growth).toBeLessThan(HEAP_GROWTH_MAX);
    expect(whole).toBeGreaterThan(STREAMS / 10);
    expect(whole).toBeLessThan(STREAMS * 0.9);
  }, 600_000);
});

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
