/**
 * Connections of all upstream pools. Their total number is bounded, because idle connections to many providers would
 * leave no descriptors for clients.
 */
import type { Client } from 'undici';
import { runAfterPendingEvents } from '../../platform/clock.ts';

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
      const kept = pool.get(origin)?.at(-1);
      if (kept === undefined) return undefined;
      this.#unlist(kept);
      if (!kept.client.destroyed) return kept;
      this.#open.delete(kept);
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

  /**
   * Destroys a failed connection in a later turn: undici reports the failure of an HTTP/2 session before it has left
   * the session.
   */
  discard(failed: UpstreamClient): void {
    this.#open.delete(failed);
    runAfterPendingEvents(() => void failed.client.destroy().catch(() => {}));
  }

  /** Closes all idle connections. */
  closeFree(): void {
    for (const kept of this.#free) this.#closeKept(kept);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map(({ client }) => client.destroy()));
  }

  #closeOldest(): void {
    const [oldest] = this.#free;
    if (oldest !== undefined) this.#closeKept(oldest);
  }

  #closeKept(kept: UpstreamClient): void {
    this.#unlist(kept);
    this.#close(kept);
  }

  /** Removes a free connection that is the first or the last of its origin. */
  #unlist(kept: UpstreamClient): void {
    const { pool, origin } = kept;
    this.#free.delete(kept);
    const free = pool.get(origin) ?? [];
    if (free.at(-1) === kept) free.pop();
    else free.shift();
    if (free.length === 0) pool.delete(origin);
  }

  #close(kept: UpstreamClient): void {
    this.#open.delete(kept);
    if (!kept.client.destroyed) kept.client.close().catch(() => {});
  }
}
