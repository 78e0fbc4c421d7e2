/**
 * Client response that records what it sends, so that the response can be replayed. The end of the response waits for
 * `release`, after it has been stored.
 */
import { BytePieces } from '@switchyard/relay';
import type { ClientResponse } from './client-response.ts';
import type { RelayError } from './relay-error.ts';

export interface RecordingOptions {
  /** Maximum recorded bytes; larger responses are sent and not recorded. */
  maxBytes: number;
  /** Counts the recorded bytes while the request runs. Throws when the memory budget is used up. */
  grow: (bytes: number) => void;
  /** Memory that keeps part of a stream; absent to keep all of it. */
  memory?: StreamMemory;
}

export interface StreamMemory {
  readonly heldBytes: number;
  add(chunk: Buffer): void;
  take(): Buffer;
}

export class RecordingResponse implements ClientResponse {
  readonly #client: ClientResponse;
  readonly #maxBytes: number;
  readonly #grow: (bytes: number) => void;
  #memory: StreamMemory | undefined;
  #countedBytes = 0;
  #whole: Buffer | undefined;
  #status = 200;
  #contentType = '';
  #ended = false;
  #release = (): void => {};

  constructor(client: ClientResponse, { maxBytes, grow, memory = new FullStreamMemory() }: RecordingOptions) {
    this.#client = client;
    this.#maxBytes = maxBytes;
    this.#grow = grow;
    this.#memory = memory;
  }

  /** Returns undefined when the response has not ended, or is too large. */
  get response(): { status: number; contentType: string; body: Buffer } | undefined {
    if (!this.#ended || this.#memory === undefined) return undefined;
    const body = this.#whole ?? this.#memory.take();
    return { status: this.#status, contentType: this.#contentType, body };
  }

  /** Counts additional bytes. @returns whether a response that ends with them can be recorded */
  reserveRoom(bytes: number): boolean {
    if (this.#memory === undefined) return false;
    const held = this.#memory.heldBytes + bytes;
    if (held > this.#maxBytes || !this.#count(held)) this.#memory = undefined;
    return this.#memory !== undefined;
  }

  /** Sends the end of the response. */
  release(): void {
    this.#release();
  }

  send(status: number, contentType: string, body: Buffer | string): void {
    this.#status = status;
    this.#contentType = contentType;
    if (this.reserveRoom(Buffer.byteLength(body))) this.#whole = toBuffer(body);
    this.#ended = true;
    this.#release = () => this.#client.send(status, contentType, body);
  }

  sendNow(status: number, contentType: string, body: Buffer | string): void {
    this.#client.sendNow(status, contentType, body);
  }

  write(contentType: string, chunk: Buffer | string): boolean {
    this.#contentType = contentType;
    this.#remember(chunk);
    return this.#client.write(contentType, chunk);
  }

  end(last: Buffer | string): void {
    this.#remember(last);
    this.#ended = true;
    this.#release = () => this.#client.end(last);
  }

  endNow(last: Buffer | string): void {
    this.#client.endNow(last);
  }

  #remember(chunk: Buffer | string): void {
    this.#memory?.add(toBuffer(chunk));
    this.reserveRoom(0);
  }

  /** Counts the bytes in memory; once counted, they stay counted until the request ends. */
  #count(held: number): boolean {
    if (held <= this.#countedBytes) return true;
    try {
      this.#grow(held - this.#countedBytes);
    } catch {
      return false;
    }
    this.#countedBytes = held;
    return true;
  }

  get hasSentHead(): boolean {
    return this.#client.hasSentHead;
  }
  get isDelivering(): boolean {
    return this.#client.isDelivering;
  }
  get hasLeft(): boolean {
    return this.#client.hasLeft;
  }
  get unsentBytes(): number {
    return this.#client.unsentBytes;
  }
  waitUntilSent(): Promise<void> | undefined {
    return this.#client.waitUntilSent();
  }
  get stopReason(): RelayError | undefined {
    return this.#client.stopReason;
  }
  get mustAbort(): boolean {
    return this.#client.mustAbort;
  }
  stop(reason: RelayError): void {
    this.#client.stop(reason);
  }
  refuse(reason: RelayError): void {
    this.#client.refuse(reason);
  }
  header(name: string, value: string): void {
    this.#client.header(name, value);
  }
  comment(contentType: string, line: string): void {
    this.#client.comment(contentType, line);
  }
  disconnect(): void {
    this.#client.disconnect();
  }
  get onDrain(): (() => void) | undefined {
    return this.#client.onDrain;
  }
  set onDrain(listener: (() => void) | undefined) {
    this.#client.onDrain = listener;
  }
  get onLeave(): (() => void) | undefined {
    return this.#client.onLeave;
  }
  set onLeave(listener: (() => void) | undefined) {
    this.#client.onLeave = listener;
  }
}

function toBuffer(chunk: Buffer | string): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Keeps a whole stream. Small chunks are joined, because a million of them takes ten times the counted memory. */
class FullStreamMemory implements StreamMemory {
  readonly #chunks = new BytePieces();

  get heldBytes(): number {
    return this.#chunks.length;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  take(): Buffer {
    return this.#chunks.whole();
  }
}
