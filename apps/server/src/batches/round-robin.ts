/** Limit on the concurrent requests of a user's batches, across all of them. */
export class UserConcurrencyLimiter {
  readonly #most: () => number;
  readonly #users = new Map<number, { running: number; waiting: (() => void)[] }>();

  constructor(most: () => number) {
    this.#most = most;
  }

  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const user = this.#users.get(userId) ?? { running: 0, waiting: [] };
    this.#users.set(userId, user);
    if (user.running >= this.#most()) await new Promise<void>((resolve) => user.waiting.push(resolve));
    else user.running += 1;
    try {
      return await work();
    } finally {
      const next = user.running > this.#most() ? undefined : user.waiting.shift();
      if (next !== undefined) next();
      else user.running -= 1;
      if (user.running === 0) this.#users.delete(userId);
    }
  }
}
