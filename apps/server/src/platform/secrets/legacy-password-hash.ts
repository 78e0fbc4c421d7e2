/**
 * Verifies bcrypt hashes of other products in a worker thread, which is only started for a sign-in while such hashes
 * exist: on the main thread, every relayed call would wait for it.
 */
import { Worker } from 'node:worker_threads';
import { systemTimers, type Timer } from '../clock.ts';
import type { LegacyPasswordCheck } from './legacy-password-hash-worker.ts';

/** Maximum cost; 2^cost rounds would otherwise block other sign-ins. */
const COST_MAX = 14;
/** Includes the start of the thread. */
const DEADLINE_MS = 20_000;

export function isLegacyHash(hash: string): boolean {
  const cost = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1];
  return cost !== undefined && Number(cost) >= 4 && Number(cost) <= COST_MAX;
}

/** @throws when the thread ends without a result */
export async function verifyLegacyHash(password: string, hash: string, timers = systemTimers): Promise<boolean> {
  const worker = new Worker(new URL('./legacy-password-hash-worker.ts', import.meta.url), {
    workerData: { password, hash } satisfies LegacyPasswordCheck,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let timer: Timer | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = timers.after(DEADLINE_MS, () => reject(new Error('a password took too long to check')));
      worker.on('message', (matches: unknown) => resolve(matches === true));
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the thread that checks a password ended')));
    });
  } finally {
    timer?.close();
    await worker.terminate();
  }
}
