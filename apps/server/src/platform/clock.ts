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

/** Says now what `clock` says, and goes on evenly: what is to pass by it passes although the time of day is set. */
export function steadyClock(clock: Clock): Clock {
  const begin = clock.now() - clock.elapsed();
  return { now: () => begin + clock.elapsed(), elapsed: () => clock.elapsed() };
}
