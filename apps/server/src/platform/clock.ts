/** Time enters the program here, so that tests can set it and move it. */

/** A timer that has been set. */
export interface Timer {
  /** Cancels the timer. */
  close(): void;
  /** Lets the process end although the timer is set. */
  unref(): Timer;
}

/** Sets timers. Everything that waits takes its timers from here, so that a test can let the time pass by hand. */
export interface Timers {
  /** Runs `run` once, after `ms` milliseconds. */
  after(ms: number, run: () => void): Timer;
  /** Runs `run` every `ms` milliseconds until it is closed. Never keeps the process alive. */
  every(ms: number, run: () => void): Timer;
}

export interface Clock extends Timers {
  /** UTC milliseconds. */
  now(): number;
  /** Milliseconds since some moment; for waits, because it goes on evenly when the time of day is corrected. */
  elapsed(): number;
}

export const systemTimers: Timers = {
  after: (ms, run) => setTimeout(reportErrors(run), ms),
  every: (ms, run) => setInterval(reportErrors(run), ms).unref(),
};

let report = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** Sets where errors in the callbacks of `systemTimers` go; until then they are warnings of the process. */
export function reportTimerErrors(to: (error: unknown) => void): void {
  report = to;
}

/** An error in a timer would end the process: without descriptors, for instance, even reading its memory fails. */
function reportErrors(run: () => void): () => void {
  return () => {
    try {
      run();
    } catch (error) {
      report(error);
    }
  };
}

export const systemClock: Clock = {
  ...systemTimers,
  now: () => Date.now(),
  elapsed: () => performance.now(),
};

/** Runs `run` once everything that has arrived has been handled. No time passes by that. */
export function runAfterPendingEvents(run: () => void): void {
  setImmediate(reportErrors(run));
}

export function nowSeconds(clock: Pick<Clock, 'now'>): number {
  return Math.floor(clock.now() / 1000);
}

/** Says now what `clock` says, and goes on evenly: what is to pass by it passes although the time of day is set. */
export function steadyClock(clock: Clock): Clock {
  const begin = clock.now() - clock.elapsed();
  return { ...extractTimers(clock), now: () => begin + clock.elapsed(), elapsed: () => clock.elapsed() };
}

/** Returns the timers of a clock, for another clock that has its own time of day. */
export function extractTimers(clock: Timers): Timers {
  return { after: (ms, run) => clock.after(ms, run), every: (ms, run) => clock.every(ms, run) };
}

/**
 * Resolves after `ms` milliseconds.
 * @throws the signal's reason when it is aborted meanwhile
 */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      timer.close();
      reject(signal?.reason as Error);
    };
    const timer = timers.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
