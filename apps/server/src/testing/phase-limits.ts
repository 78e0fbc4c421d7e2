import type { PhaseLimits } from '../gateway/upstream/phases.ts';

/** Phase limits of a channel without settings. */
export const defaultPhaseLimits: PhaseLimits = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  firstContentMs: 120_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  drainMs: 0,
};
