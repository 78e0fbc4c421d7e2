/**
 * Connections of all upstream pools. Their total number is bounded, because idle connections to many providers would
 * leave no descriptors for clients.
 */
import type { Client } from 'undici';

/**
 * Free connections of a pool by origin; the last used is taken first. Origins without one are absent: a hostile upstream may
 * redirect to any number of them.
 */
export type FreeClients = Map<string, UpstreamClient[]>;

export interface UpstreamClient {
  readonly client: Client;
  readonly pool: FreeClients;
  readonly origin: string;
}

const FREE_OF_ORIGIN_MAX = 256;

export class UpstreamClients {
  readonly #most: number;
  readonly #open = new Set<UpstreamClient>();
  /** In the order in which they became free. */
  readonly #free = new Set<UpstreamClient>();

  /** @param most above this number, idle connections are closed, but no request is refused */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns an idle connection to the origin, if there is one. */
  take(pool: FreeClients, origin: string): UpstreamClient | undefined {
    for (;;) {
      const pooled = pool.get(origin)?.at(-1);
      if (pooled === undefined) return undefined;
      this.#unlist(pooled);
      if (!pooled.client.destroyed) return pooled;
      this.#open.delete(pooled);
    }
  }

  /** Counts a new connection, which is in use. */
  add(pool: FreeClients, origin: string, client: Client): UpstreamClient {
    if (this.#open.size >= this.#most) this.#closeOldest();
    const added = { client, pool, origin };
    this.#open.add(added);
    return added;
  }

  /** Keeps the connection for the next request to its origin, if the limits allow. */
  free(ended: UpstreamClient): void {
    const { client, pool, origin } = ended;
    const free = pool.get(origin) ?? [];
    const hasRoom = free.length < FREE_OF_ORIGIN_MAX && this.#open.size <= this.#most;
    if (client.destroyed || !hasRoom) return this.#close(ended);
    free.push(ended);
    pool.set(origin, free);
    this.#free.add(ended);
  }

  /** Destroys a failed connection. */
  discard(failed: UpstreamClient): void {
    this.#open.delete(failed);
    void failed.client.destroy().catch(() => {});
  }

  /** Closes all idle connections. */
  closeFree(): void {
    for (const pooled of this.#free) this.#closeIdle(pooled);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map(({ client }) => client.destroy()));
  }

  #closeOldest(): void {
    const [oldest] = this.#free;
    if (oldest !== undefined) this.#closeIdle(oldest);
  }

  #closeIdle(pooled: UpstreamClient): void {
    this.#unlist(pooled);
    this.#close(pooled);
  }

  /** Removes a free connection that is the first or the last of its origin. */
  #unlist(pooled: UpstreamClient): void {
    const { pool, origin } = pooled;
    this.#free.delete(pooled);
    const free = pool.get(origin) ?? [];
    if (free.at(-1) === pooled) free.pop();
    else free.shift();
    if (free.length === 0) pool.delete(origin);
  }

  #close(pooled: UpstreamClient): void {
    this.#open.delete(pooled);
    if (!pooled.client.destroyed) pooled.client.close().catch(() => {});
  }
}
