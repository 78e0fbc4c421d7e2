/**
 * A client's response that remembers the answer, so that it can be given again. The end of the answer waits until
 * `release`: by then it is kept.
 */
import type { ClientResponse } from './client-response.ts';
import type { RelayError } from './relay-error.ts';

const KEPT_MAX_BYTES = 1_048_576;

export class RecordingResponse implements ClientResponse {
  readonly #client: ClientResponse;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 200;
  #contentType = '';
  #ended = false;
  #release = (): void => {};

  /** @param maxBytes larger answers are given, and not remembered */
  constructor(client: ClientResponse, maxBytes = KEPT_MAX_BYTES) {
    this.#client = client;
    this.#maxBytes = maxBytes;
  }

  /** Undefined when the answer has not ended, or is too large. */
  get answer(): { status: number; contentType: string; body: Buffer } | undefined {
    if (!this.#ended || this.#bytes > this.#maxBytes) return undefined;
    return { status: this.#status, contentType: this.#contentType, body: Buffer.concat(this.#chunks) };
  }

  /** Sends what has waited for it. */
  release(): void {
    this.#release();
  }

  send(status: number, contentType: string, body: Buffer | string): void {
    this.#status = status;
    this.#remember(contentType, body);
    this.#ended = true;
    this.#release = () => this.#client.send(status, contentType, body);
  }

  write(contentType: string, chunk: Buffer | string): boolean {
    this.#remember(contentType, chunk);
    return this.#client.write(contentType, chunk);
  }

  end(last: Buffer | string): void {
    this.#remember(this.#contentType, last);
    this.#ended = true;
    this.#release = () => this.#client.end(last);
  }

  #remember(contentType: string, chunk: Buffer | string): void {
    this.#contentType = contentType;
    this.#bytes += Buffer.byteLength(chunk);
    if (this.#bytes > this.#maxBytes) this.#chunks = [];
    else this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }

  get begun(): boolean {
    return this.#client.begun;
  }
  get delivering(): boolean {
    return this.#client.delivering;
  }
  get left(): boolean {
    return this.#client.left;
  }
  get stopped(): RelayError | undefined {
    return this.#client.stopped;
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
  drop(): void {
    this.#client.drop();
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
