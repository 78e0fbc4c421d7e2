/**
 * The two sockets of a session. Each side is read while the other one accepts its messages, and is terminated when it
 * does not answer a ping.
 */
import type { CountBytes, WebSocket } from '../../platform/outbound/web-socket.ts';

export interface Message {
  data: Buffer;
  isBinary: boolean;
}

/** Above this many unsent bytes of one side the other one is not read. */
const BUFFER_MAX_BYTES = 262_144;
const OPEN = 1;

export class RealtimeSockets {
  readonly client: WebSocket;
  readonly upstream: WebSocket;
  /** Peers that have not responded since the last ping. */
  readonly #silent = new Set<WebSocket>();
  /** Those whose connections took a message since the last ping. */
  readonly #taking = new Set<WebSocket>();
  /** Number of reasons for which each side is paused: a decision is pending, or it sends too many messages. */
  readonly #waiting = new Map<WebSocket, number>();
  readonly #hold: CountBytes;

  /**
   * @param client paused, as is the upstream, so that nothing was lost that came before
   * @param hold counts the bytes of a message until its connection has taken them
   */
  constructor(client: WebSocket, upstream: WebSocket, hold: CountBytes) {
    this.client = client;
    this.upstream = upstream;
    this.#hold = hold;
    for (const side of [client, upstream]) {
      side.on('message', () => this.#silent.delete(side));
      side.on('pong', () => this.#silent.delete(side));
      // The `close` event follows and is enough.
      side.on('error', () => {});
    }
  }

  /** Pauses or resumes both sides. */
  updateFlow(): void {
    this.#read(this.client, this.upstream);
    this.#read(this.upstream, this.client);
  }

  /** Stops reading the side until the work is done. */
  async pauseWhile<T>(side: WebSocket, work: Promise<T>): Promise<T> {
    this.#waiting.set(side, this.#waitsOf(side) + 1);
    this.updateFlow();
    try {
      return await work;
    } finally {
      this.#waiting.set(side, this.#waitsOf(side) - 1);
      this.updateFlow();
    }
  }

  /** @param text replacement of the message */
  forward(to: WebSocket, { data, isBinary }: Message, text: string | undefined): void {
    this.send(to, text ?? data, text === undefined && isBinary);
  }

  send(to: WebSocket, data: Buffer | string, isBinary = false): void {
    if (to.readyState !== OPEN) return;
    const bytes = Buffer.byteLength(data);
    this.#hold(bytes);
    to.send(data, { binary: isBinary }, () => {
      this.#hold(-bytes);
      this.#taking.add(to);
      this.updateFlow();
    });
    this.updateFlow();
  }

  /**
   * Pings both sides, and terminates one that hasn't responded to the last ping. A paused side is skipped, since its
   * pongs cannot be read. A side that reads nothing is terminated whatever it sends: the other one would wait
   * indefinitely, and nothing would show that it has left.
   */
  ping(): void {
    for (const side of [this.client, this.upstream]) {
      if (!this.#taking.delete(side) && side.bufferedAmount > BUFFER_MAX_BYTES) side.terminate();
      if (side.isPaused || side.readyState !== OPEN) continue;
      if (this.#silent.has(side)) side.terminate();
      else {
        this.#silent.add(side);
        side.ping();
      }
    }
  }

  /** Closes the client's side, which is read on to receive its close frame; the upstream no longer waits for it. */
  closeClient(code: number, reason: string): void {
    this.client.close(code, reason);
    this.client.resume();
    this.#read(this.upstream, this.client);
  }

  /** Closes the upstream's side, which is read on to receive its close frame. */
  closeUpstream(): void {
    this.upstream.close(1000);
    this.upstream.resume();
  }

  #waitsOf(side: WebSocket): number {
    return this.#waiting.get(side) ?? 0;
  }

  #read(side: WebSocket, other: WebSocket): void {
    const isBacklogged = other.readyState === OPEN && other.bufferedAmount > BUFFER_MAX_BYTES;
    const isToWait = this.#waitsOf(side) > 0 || isBacklogged;
    if (isToWait === side.isPaused) return;
    if (isToWait) return side.pause();
    this.#silent.delete(side);
    side.resume();
  }
}
