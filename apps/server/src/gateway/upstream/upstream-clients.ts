/**
 * Connections of all upstream pools. Their number is bounded together, because kept connections to many providers would
 * leave no descriptors for clients.
 */
import type { Client } from 'undici';
import { runAfterPendingEvents } from '../../platform/clock.ts';

export interface UpstreamClient {
  readonly client: Client;
  /** Number of the release that made it free; larger than those of connections that have been free longer. */
  released: number;
}

/** Free connections to one origin; the last used is taken first. */
export type FreeClients = UpstreamClient[];

const FREE_OF_ORIGIN_MAX = 256;

export class UpstreamClients {
  readonly #most: number;
  readonly #open = new Set<UpstreamClient>();
  readonly #origins: FreeClients[] = [];
  #releases = 0;

  /** @param most beyond this number, the gateway closes free connections, but refuses no request */
  constructor(most: number) {
    this.#most = most;
  }

  addOrigin(): FreeClients {
    const free: FreeClients = [];
    this.#origins.push(free);
    return free;
  }

  /** Returns a free connection to the origin, if there is one. */
  take(origin: FreeClients): UpstreamClient | undefined {
    for (;;) {
      const kept = origin.pop();
      if (kept?.client.destroyed !== true) return kept;
      this.#open.delete(kept);
    }
  }

  /** Counts a new connection, which is in use. */
  add(client: Client): UpstreamClient {
    if (this.#open.size >= this.#most) this.#closeOldest();
    const added = { client, released: 0 };
    this.#open.add(added);
    return added;
  }

  /** Keeps the connection for the next request to its origin, if there is room. */
  free(origin: FreeClients, ended: UpstreamClient): void {
    const hasRoom = origin.length < FREE_OF_ORIGIN_MAX && this.#open.size <= this.#most;
    if (ended.client.destroyed || !hasRoom) return this.#close(ended);
    this.#releases += 1;
    ended.released = this.#releases;
    origin.push(ended);
  }

  /**
   * Ends a connection that has failed, a turn later: undici reports the failure of an HTTP/2 session before it has left
   * the session.
   */
  discard(failed: UpstreamClient): void {
    this.#open.delete(failed);
    runAfterPendingEvents(() => void failed.client.destroy().catch(() => {}));
  }

  /** Closes all connections that no request uses. */
  closeFree(): void {
    for (const origin of this.#origins) for (const kept of origin.splice(0)) this.#close(kept);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map(({ client }) => client.destroy()));
  }

  /** Looks at each origin, which is little beside the new connection that it makes room for. */
  #closeOldest(): void {
    let oldest: FreeClients | undefined;
    for (const origin of this.#origins) if (releasedFirst(origin) < releasedFirst(oldest)) oldest = origin;
    const kept = oldest?.shift();
    if (kept !== undefined) this.#close(kept);
  }

  #close(kept: UpstreamClient): void {
    this.#open.delete(kept);
    if (!kept.client.destroyed) kept.client.close().catch(() => {});
  }
}

function releasedFirst(origin: FreeClients | undefined): number {
  return origin?.[0]?.released ?? Number.POSITIVE_INFINITY;
}
