/**
 * Measures CPU time in tests as a machine of reference takes it, two cores of an AMD EPYC, for which the limits were
 * chosen. A limit then also holds on a slower machine, and on one whose cores are shared.
 */
import { threadCpuUsage } from 'node:process';

/** Milliseconds that the yardstick takes on the machine of reference. */
const YARDSTICK_MS = 30;
/** Enough work for many steps of the system's clock, which may be 4 ms long. */
const COPIES = 12;
const REPEATS = 3;

/**
 * Starts to measure the CPU time of this thread.
 * @returns function that reads the milliseconds since then, as the machine of reference takes them
 */
export function startCpuTimer(): () => number {
  const began = readCpuMs();
  return () => (readCpuMs() - began) / measureSlowness();
}

/**
 * Returns how many times longer than the machine of reference this one takes at the moment for the same work; at least 1:
 * a limit is never stricter than it says.
 */
export function measureSlowness(): number {
  const measured = Array.from({ length: REPEATS }, () => {
    const began = readCpuMs();
    runYardstick();
    return readCpuMs() - began;
  });
  // Compilation and garbage collection, which vary, only add to what the work itself takes.
  return Math.max(1, Math.min(...measured) / YARDSTICK_MS);
}

/** Returns the CPU time of this thread so far, in milliseconds of this machine. */
export function readCpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}

/** Does what a gateway does most: it reads, copies and writes JSON. */
function runYardstick(): void {
  const rows = Array.from({ length: 4_000 }, (_, id) => ({ id, name: `name ${id}`, text: 'word '.repeat(10) }));
  for (let copies = 0; copies < COPIES; copies += 1) {
    const byName = new Map(rows.map((row) => [row.name, row]));
    const copy: unknown = JSON.parse(JSON.stringify([...byName.values()]));
    if (!Array.isArray(copy) || copy.length !== rows.length) throw new Error('The yardstick is broken');
  }
}
