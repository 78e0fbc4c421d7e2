/**
 * A client's response that remembers the answer, so that it can be given again. The end of the answer waits until
 * `release`: by then it is kept.
 */
import type { ClientResponse } from './client-response.ts';
import type { RelayError } from './relay-error.ts';

export interface RecordingOptions {
  /** Larger answers are given, and not remembered. */
  maxBytes: number;
  /** Counts what is held, as long as the request runs. Throws when all requests together hold too much. */
  grow: (bytes: number) => void;
  /** Part of a stream that is worth keeping; all of it if this is absent. */
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

  /** Undefined when the answer has not ended, or is too large. */
  get response(): { status: number; contentType: string; body: Buffer } | undefined {
    if (!this.#ended || this.#memory === undefined) return undefined;
    const body = this.#whole ?? this.#memory.take();
    return { status: this.#status, contentType: this.#contentType, body };
  }

  /** Counts so many bytes more. @returns whether an answer that ends with them can be remembered */
  reserveRoom(bytes: number): boolean {
    if (this.#memory === undefined) return false;
    const held = this.#memory.heldBytes + bytes;
    if (held > this.#maxBytes || !this.#count(held)) this.#memory = undefined;
    return this.#memory !== undefined;
  }

  /** Sends what has waited for it. */
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
  stop(reason: RelayError): void {
    this.#client.stop(reason);
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

class FullStreamMemory implements StreamMemory {
  heldBytes = 0;
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.heldBytes += chunk.length;
    // A copy: it may be a piece of something larger, which would be held with it.
    this.#chunks.push(Buffer.from(chunk));
  }

  take(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
