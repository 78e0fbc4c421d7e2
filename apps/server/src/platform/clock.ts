/** Time enters the program here, so that tests can set it. */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
  /** Milliseconds since some moment; for waits, because it goes on evenly when the time of day is corrected. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
