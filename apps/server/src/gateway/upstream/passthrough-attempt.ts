/** One call whose request and response bodies are both streamed unchanged. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { isLocalResourceShortage } from '../../platform/outbound/system-resolver.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { localConnectionError, RelayError } from '../http/relay-error.ts';
import { describeConnectionFailure } from './create-client-error.ts';
import type { Deadline, Deadlines } from './deadline-timer.ts';
import { ErrorBody } from './error-body.ts';
import type { PooledHandler } from './upstream-and-replay-pool.ts';

export interface PassthroughResult {
  status: number;
  headers: IncomingHttpHeaders;
  /** Beginning of an error response, none of which was sent to the client. */
  error: Buffer | undefined;
}

export interface PassthroughOptions {
  response: ServerResponse;
  client: ClientResponse;
  clock: Clock;
  deadlines: Deadlines;
  /** Milliseconds of silence on both sides after which the call is aborted. */
  idleMs: number;
  totalMs: number;
  buildHeaders(answered: IncomingHttpHeaders): Record<string, string>;
}

export class PassthroughAttempt implements PooledHandler, Deadline {
  release: PooledHandler['release'] = () => {};
  cancel = (_reason: Error): void => {};
  /** Resolves when the response is complete; the caller then ends it for the client. @throws RelayError */
  readonly done: Promise<PassthroughResult>;
  readonly #options: PassthroughOptions;
  #settle: (outcome: PassthroughResult | RelayError) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #errorBody: ErrorBody | undefined;
  #isOver = false;
  /**
   * Deadline for the next bytes, in milliseconds of `clock.elapsed()`; `#overAt` is the deadline of the whole call.
   */
  #silentAt = 0;
  readonly #overAt: number;

  constructor(options: PassthroughOptions) {
    this.#options = options;
    const { client, clock, deadlines, totalMs } = options;
    this.#overAt = clock.elapsed() + totalMs;
    this.#recordProgress();
    deadlines.add(this);
    this.done = new Promise((resolve, reject) => {
      this.#settle = (outcome) => (outcome instanceof RelayError ? reject(outcome) : resolve(outcome));
    });
    client.onLeave = () =>
      this.#end(client.stopReason ?? new RelayError('client_left', 'The client closed the connection.'));
    client.onDrain = () => {
      if (this.#controller?.paused === true) this.#controller.resume();
    };
    if (client.hasLeft || client.stopReason !== undefined) client.onLeave();
  }

  get at(): number {
    return Math.min(this.#silentAt, this.#overAt);
  }

  expire(): void {
    const { idleMs, totalMs } = this.#options;
    const complaint =
      this.#overAt <= this.#silentAt
        ? `The request took longer than ${totalMs / 1_000} seconds`
        : `The upstream sent nothing for ${idleMs / 1_000} seconds`;
    this.#end(new RelayError('upstream_error', `${complaint}. Retry the request.`, { status: 504 }));
  }

  #recordProgress(): void {
    const { clock, idleMs } = this.#options;
    this.#silentAt = clock.elapsed() + idleMs;
  }

  /** Returns the client's body with a limit on its size. */
  countBytes(message: IncomingMessage, maxBytes: number, tooLarge: () => RelayError): Readable {
    let bytes = 0;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        bytes += chunk.length;
        this.#recordProgress();
        if (bytes <= maxBytes) return next(null, chunk);
        this.#end(tooLarge());
        // Reads and discards the rest; otherwise the client could not read the refusal.
        message.unpipe(counted).resume();
        return next();
      },
    });
    // The call reports its own errors.
    counted.on('error', () => {});
    return message.pipe(counted);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#recordProgress();
    this.#status = status;
    this.#headers = headers;
    if (this.#isOver) return;
    const options = this.#options;
    if (this.#isAnswer) options.response.writeHead(status, options.buildHeaders(headers));
    else this.#errorBody = new ErrorBody(options.clock, (error) => this.#refuse(error));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#recordProgress();
    if (this.#isAnswer) {
      if (!this.#options.response.write(chunk)) controller.pause();
      return;
    }
    this.#errorBody?.push(chunk);
  }

  onResponseEnd(): void {
    this.release();
    if (this.#errorBody !== undefined) return this.#errorBody.end();
    this.#end({ status: this.#status, headers: this.#headers, error: undefined });
  }

  #refuse(error: Buffer): void {
    this.#end({ status: this.#status, headers: this.#headers, error });
    this.#controller?.abort(new Error('the rest is not read'));
  }

  onResponseError(controller: Dispatcher.DispatchController | undefined, cause: Error): void {
    this.release(controller, cause);
    const lost = (): RelayError =>
      new RelayError('upstream_error', describeConnectionFailure(cause), { status: 502, cause });
    this.#end(isLocalResourceShortage(cause) ? localConnectionError(cause) : lost());
  }

  get #isAnswer(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  #end(outcome: PassthroughResult | RelayError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { client, deadlines } = this.#options;
    deadlines.remove(this);
    this.#errorBody?.close();
    client.onLeave = undefined;
    client.onDrain = undefined;
    this.#settle(outcome);
    if (!(outcome instanceof RelayError)) return;
    if (this.#status === 0) this.cancel(outcome);
    this.#controller?.abort(outcome);
  }
}
