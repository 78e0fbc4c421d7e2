/**
 * Repeats a measurement in which the product refused requests: under other load it may be
 * overloaded for a moment, and figures must come from measurements without refusals.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { UnansweredError } from '../mock-and-load-generator.ts';

const ATTEMPTS_MAX = 4;
const RECOVERY_MS = 5_000;
/** A client that abandons many requests is refused for a minute. */
const FORGIVEN_MS = 61_000;

let again = 0;

/** Number of repeated measurements. */
export function repetitions(): number {
  return again;
}

export async function carried<T>(measure: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await measure();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
      again += 1;
      console.log('  once more:', error instanceof Error ? error.message.split('\n', 2).join(' ') : error);
      await pause(error instanceof UnansweredError ? FORGIVEN_MS : RECOVERY_MS);
    }
  }
}
