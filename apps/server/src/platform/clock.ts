/** Time enters the program here, so that tests can set it. */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
