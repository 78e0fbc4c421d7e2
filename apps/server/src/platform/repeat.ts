/** What is done again and again, and never twice at a time. */
export interface Repeated {
  /** Does it now, unless it is under way. Resolves when it is done; never rejects. */
  now(): Promise<void>;
  /** Ends it, and waits for what is under way. */
  stop(): Promise<void>;
}

/** @param failed is told why it could not be done this time */
export function repeat(
  everyMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Repeated {
  let running: Promise<void> | undefined;
  const now = (): Promise<void> => {
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = setInterval(() => void now(), everyMs).unref();
  return {
    now,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
