/** Queue of calls to one peer with limited concurrency, so that a hanging call doesn't block the others. */
const CONCURRENT_CALLS = 4;

export class CallQueue {
  readonly #running = new Set<Promise<void>>();
  #waiting: (() => Promise<void>)[] = [];

  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#running.size >= CONCURRENT_CALLS;
  }

  /** @param call never rejects */
  run(call: () => Promise<void>): void {
    this.#waiting.push(call);
    this.#next();
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running);
  }

  #next(): void {
    while (this.#running.size < CONCURRENT_CALLS) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      const running = call().finally(() => {
        this.#running.delete(running);
        this.#next();
      });
      this.#running.add(running);
    }
  }
}
