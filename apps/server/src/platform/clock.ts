/** Clock and timers, which tests can replace. */

/** Running timer. */
export interface Timer {
  /** Cancels the timer. */
  close(): void;
  /** Allows the process to end before the timer. */
  unref(): Timer;
}

/** Timers. Everything that waits uses them, so that a test can advance the time. */
export interface Timers {
  /** Runs `run` once, after `ms` milliseconds. */
  after(ms: number, run: () => void): Timer;
  /** Runs `run` every `ms` milliseconds until it is closed. Never keeps the process alive. */
  every(ms: number, run: () => void): Timer;
}

export interface Clock extends Timers {
  /** UTC milliseconds. */
  now(): number;
  /** Monotonic milliseconds; for waits, because corrections of the time of day do not affect it. */
  elapsed(): number;
}

export const systemTimers: Timers = {
  after: (ms, run) => setTimeout(reportErrors(run), ms),
  every: (ms, run) => setInterval(reportErrors(run), ms).unref(),
};

let report = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));

/** Sets the handler for errors in the callbacks of `systemTimers`; until then they are process warnings. */
export function reportTimerErrors(to: (error: unknown) => void): void {
  report = to;
}

/**
 * Catches errors of a timer, which would end the process: without descriptors, for instance, even reading the memory
 * usage fails.
 */
function reportErrors(run: () => void): () => void {
  return () => {
    try {
      run();
    } catch (error) {
      report(error);
    }
  };
}

export const systemClock: Clock = { ...systemTimers, now: () => Date.now(), elapsed: () => performance.now() };

/** Runs `run` once all pending events have been handled. */
export function runAfterPendingEvents(run: () => void): void {
  setImmediate(reportErrors(run));
}

export function nowSeconds(clock: Pick<Clock, 'now'>): number {
  return Math.floor(clock.now() / 1000);
}

/**
 * Returns a clock that starts at the current time and advances monotonically: waits by it are unaffected when the
 * time of day is set.
 */
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
