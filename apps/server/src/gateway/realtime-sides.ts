/**
 * The two sockets of a session. Each side is read as long as the other one takes what it says, and is given up when it
 * does not answer a ping.
 */
import type { WebSocket } from '../platform/web-socket.ts';

export interface Message {
  data: Buffer | string;
  isBinary: boolean;
}

/** Above this many unsent bytes of one side the other one is not read. */
const BUFFER_MAX_BYTES = 262_144;
const OPEN = 1;

export class RealtimeSides {
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  /** Those that have been asked and have said nothing since. */
  readonly #silent = new Set<WebSocket>();
  #isWaiting = false;

  /** @param client paused, as is the upstream, so that nothing was lost that came before */
  constructor(client: WebSocket, upstream: WebSocket) {
    this.client = client;
    this.upstream = upstream;
    for (const side of [client, upstream]) {
      side.on('message', () => this.#silent.delete(side));
      side.on('pong', () => this.#silent.delete(side));
      // The close that follows says it all.
      side.on('error', () => {});
    }
  }

  /** Reads on, or no further, as both allow. */
  flow(): void {
    this.#read(this.client, this.upstream.bufferedAmount > BUFFER_MAX_BYTES);
    this.#read(this.upstream, this.#isWaiting || this.client.bufferedAmount > BUFFER_MAX_BYTES);
  }

  /** The upstream is not read until the work is done. */
  async whileUpstreamWaits<T>(work: Promise<T>): Promise<T> {
    this.#isWaiting = true;
    this.flow();
    try {
      return await work;
    } finally {
      this.#isWaiting = false;
      this.flow();
    }
  }

  pass(to: WebSocket, { data, isBinary }: Message): void {
    if (to.readyState !== OPEN) return;
    to.send(data, { binary: isBinary }, () => this.flow());
    this.flow();
  }

  /** Of a side that waits for the other one nothing can be heard. */
  ping(): void {
    for (const side of [this.client, this.upstream]) {
      if (side.isPaused || side.readyState !== OPEN) continue;
      if (this.#silent.has(side)) side.terminate();
      else {
        this.#silent.add(side);
        side.ping();
      }
    }
  }

  /** Close frames are waited for, a moment; whatever else is still said is thrown away. */
  close(code: number, reason: string): void {
    this.client.close(code, reason);
    this.upstream.close(1000);
    this.client.resume();
    this.upstream.resume();
  }

  #read(side: WebSocket, isToWait: boolean): void {
    if (isToWait === side.isPaused) return;
    if (isToWait) return side.pause();
    this.#silent.delete(side);
    side.resume();
  }
}
