/** Events of several that work beside each other, read by one. */
export interface EventQueue<T> {
  push(event: T): void;
  end(): void;
  fail(error: unknown): void;
  /**
   * Yields the events in the order in which they came, until the end.
   * @throws the error that the queue failed with
   */
  events(): AsyncGenerator<T, void>;
}

export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = (): void => {};
  const finish = (end: { error?: unknown }): void => {
    ended ??= end;
    wake();
  };
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *events() {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (ended !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if ('error' in ended) throw ended.error;
    },
  };
}
