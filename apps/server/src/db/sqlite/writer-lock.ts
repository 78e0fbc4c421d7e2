/** Lock of the writing connection. A transaction holds it from begin to end. */
export interface WriterLock {
  readonly held: boolean;
  acquire(): Promise<void>;
  release(): void;
  /** Calls back once, as soon as the lock is free. */
  whenFree(callback: () => void): void;
}

export function createWriterLock(): WriterLock {
  let held = false;
  const waiting: (() => void)[] = [];
  const once: (() => void)[] = [];
  return {
    get held() {
      return held;
    },
    async acquire() {
      while (held) await new Promise<void>((resolve) => waiting.push(resolve));
      held = true;
    },
    release() {
      held = false;
      // The ledger goes first, because requests wait for it.
      for (const callback of once.splice(0)) callback();
      waiting.shift()?.();
    },
    whenFree(callback) {
      if (held) once.push(callback);
      else callback();
    },
  };
}
