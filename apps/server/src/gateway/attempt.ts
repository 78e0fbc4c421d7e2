/**
 * One upstream call. Nothing reaches the client before the answer has content, so that a failure up to then can be
 * tried on another channel; from then on the stream is the client's and an end is final.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type AnswerReader, type Exchange, type Meter, UpstreamError } from '@switchyard/relay';
import type { Dispatcher } from 'undici';
import type { Clock } from '../platform/clock.ts';
import type { ClientResponse } from './client-response.ts';
import type { Deadlines, Wait } from './deadlines.ts';
import { type PhaseLimits, Phases } from './phases.ts';
import type { PooledHandler, UpstreamPool } from './upstream-pool.ts';

export interface AttemptResult {
  /** `answered` to its end, `failed` by the upstream, `left` by the client. */
  outcome: 'answered' | 'failed' | 'left';
  /** HTTP status; 0 when there was no answer. */
  status: number;
  error: UpstreamError | undefined;
  /** Undefined when no 2xx answer came. */
  meter: Meter | undefined;
  /** What is still to be sent of an answer: all of a whole one, the last bytes of a stream. */
  body: Buffer | undefined;
  contentType: string;
  /** UTC ms at which the first content arrived; 0 when none did. */
  firstContentAt: number;
  stream: boolean;
}

export interface AttemptOptions {
  exchange: Exchange;
  stream: boolean;
  /** How many answers the client asked for. */
  choices: number;
  proxy: string;
  client: ClientResponse;
  pool: UpstreamPool;
  deadlines: Deadlines;
  /** How long the channel may take in each phase. */
  limits: PhaseLimits;
  clock: Clock;
  /** Called once, when the client has got the first content of a stream. */
  onDelivery(meter: Meter, firstContentAt: number): void;
}

const ERROR_BODY_MAX_BYTES = 65_536;
/** What comes before the first content, and after the end, is a few hundred bytes of an honest stream. */
const HELD_BACK_MAX_BYTES = 1_048_576;

export function attempt(options: AttemptOptions): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const call = new UpstreamCall(options, resolve);
    if (options.client.left || options.client.stopped !== undefined) return call.leave();
    try {
      const { connectMs } = options.limits;
      options.pool.dispatch({ ...options.exchange, proxy: options.proxy, connectMs }, call);
    } catch (error) {
      call.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
    }
  });
}

class UpstreamCall implements PooledHandler, Wait {
  release = (): void => {};
  readonly #options: AttemptOptions;
  readonly #resolve: (result: AttemptResult) => void;
  readonly #phases: Phases;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #reader: AnswerReader | undefined;
  #arrived: Buffer[] = [];
  #errorBody: Buffer[] = [];
  #errorBytes = 0;
  /** Bytes for the client that are not to be sent yet. */
  #heldBack: Buffer[] = [];
  #heldBackBytes = 0;
  #firstContentAt = 0;
  /** What the client had got when it left, while the rest is read to learn the usage. */
  #deliveredAtLeave: Meter | undefined;
  #done = false;

  constructor(options: AttemptOptions, resolve: (result: AttemptResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#phases = new Phases(options.limits, options.stream, options.clock);
    options.deadlines.add(this);
    options.client.onLeave = () => this.leave();
    options.client.onDrain = () => this.#resume();
  }

  get at(): number {
    return this.#phases.at;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#phases.connected();
    if (this.#done) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status;
    this.#headers = headers;
    this.#phases.answered();
    if (status >= 200 && status < 300) this.#reader = this.#options.exchange.readAnswer();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    if (this.#reader === undefined) {
      this.#errorBytes += chunk.length;
      if (this.#errorBytes <= ERROR_BODY_MAX_BYTES) this.#errorBody.push(chunk);
      return;
    }
    this.#arrived.push(chunk);
    if (this.#arrived.length === 1) queueMicrotask(() => this.#readArrived());
  }

  onResponseEnd(): void {
    this.release();
    this.#readArrived();
    if (this.#done) return;
    if (this.#reader === undefined) {
      this.#stop(
        'failed',
        this.#options.exchange.readError(this.#status, this.#headers, Buffer.concat(this.#errorBody)),
      );
      return;
    }
    this.#end(this.#reader);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.release();
    this.#readArrived();
    if (!this.#done)
      this.#stop(
        'failed',
        new UpstreamError('unreachable', 'The connection to the upstream failed', {
          status: this.#status,
          cause: error,
        }),
      );
  }

  /** The client left or was ended. What it had got is charged; the rest is read only if the channel asks for it. */
  leave(): void {
    const { client, limits, stream } = this.#options;
    const meter = this.#reader?.meter;
    const mayReadOn = client.stopped === undefined && stream && client.delivering && limits.readOnMs > 0;
    if (!mayReadOn || meter === undefined || this.#deliveredAtLeave !== undefined)
      return this.#stop('left', undefined);
    this.#deliveredAtLeave = copyOf(meter);
    this.#heldBack = [];
    this.#phases.readOn();
    if (this.#controller?.paused === true) this.#controller.resume();
  }

  expire(): void {
    if (this.#deliveredAtLeave !== undefined) return this.#stop('left', undefined);
    if (this.#controller?.paused === true) return this.#giveUpClient();
    if (this.#reader?.meter.finished === true) {
      this.#end(this.#reader);
      this.#controller?.abort(new Error('the answer is complete'));
      return;
    }
    this.#stop('failed', new UpstreamError('unreachable', this.#phases.complaint, { status: this.#status }));
  }

  #giveUpClient(): void {
    const { client, deadlines } = this.#options;
    // The leave that follows may read on, with a deadline of its own.
    this.#phases.paused();
    deadlines.add(this);
    client.drop();
  }

  /** Chunks that came with one packet are read, and written to the client, as one. */
  #readArrived(): void {
    const chunks = this.#arrived;
    const reader = this.#reader;
    const [first] = chunks;
    if (this.#done || reader === undefined || first === undefined) return;
    this.#arrived = [];
    try {
      const bytes = reader.push(chunks.length === 1 ? first : Buffer.concat(chunks));
      this.#noteProgress(reader.meter);
      if (this.#options.stream && bytes.length > 0 && this.#deliveredAtLeave === undefined)
        this.#forward(reader, bytes);
    } catch (error) {
      this.#stop('failed', asUpstreamError(error, this.#status));
    }
  }

  #noteProgress(meter: Meter): void {
    if (meter.finished && this.#options.choices === 1) this.#phases.finished();
    // What was on its way before a pause says nothing about the client, for whom this attempt waits; and reading on
    // has one deadline for all.
    else if (this.#controller?.paused !== true && this.#deliveredAtLeave === undefined)
      this.#phases.received(meter.deliveredCharacters);
    if (this.#firstContentAt === 0 && (meter.deliveredCharacters > 0 || !this.#options.stream))
      this.#firstContentAt = this.#options.clock.now();
  }

  /** Holds back what comes before the first content, and the end, which waits until the charge is written. */
  #forward(reader: AnswerReader, bytes: Buffer): void {
    const isEnd = reader.meter.finished && this.#options.choices === 1;
    if (isEnd || this.#firstContentAt === 0) {
      this.#holdBack(reader, bytes);
      return;
    }
    const { client } = this.#options;
    if (!client.delivering) this.#options.onDelivery(reader.meter, this.#firstContentAt);
    let ready = this.#release(reader.contentType);
    ready = client.write(reader.contentType, bytes) && ready;
    if (!ready && this.#controller?.paused === false) {
      this.#controller.pause();
      this.#phases.paused();
    }
  }

  #holdBack(reader: AnswerReader, bytes: Buffer): void {
    this.#heldBack.push(bytes);
    this.#heldBackBytes += bytes.length;
    if (this.#heldBackBytes <= HELD_BACK_MAX_BYTES) return;
    if (reader.meter.finished) this.expire();
    else
      throw new UpstreamError('garbled', 'The upstream sent a stream without content', {
        status: this.#status,
      });
  }

  /** Sends what was held back. */
  #release(contentType: string): boolean {
    let ready = true;
    for (const bytes of this.#heldBack) ready = this.#options.client.write(contentType, bytes);
    this.#heldBack = [];
    this.#heldBackBytes = 0;
    return ready;
  }

  #resume(): void {
    if (this.#done || this.#controller?.paused !== true) return;
    this.#phases.resumed();
    this.#controller.resume();
  }

  #end(reader: AnswerReader): void {
    try {
      const last = reader.end();
      const body = this.#heldBack.length === 0 ? last : Buffer.concat([...this.#heldBack, last]);
      if (this.#deliveredAtLeave === undefined) this.#settle({ outcome: 'answered', error: undefined, body });
      else this.#settle({ outcome: 'left', error: undefined, body: undefined });
    } catch (error) {
      this.#stop('failed', asUpstreamError(error, this.#status));
    }
  }

  #stop(outcome: 'failed' | 'left', error: UpstreamError | undefined): void {
    if (this.#done) return;
    if (this.#deliveredAtLeave === undefined) this.#settle({ outcome, error, body: undefined });
    else this.#settle({ outcome: 'left', error: undefined, body: undefined });
    this.#controller?.abort(error ?? new Error('the client left'));
  }

  #settle(result: Pick<AttemptResult, 'outcome' | 'error' | 'body'>): void {
    this.#done = true;
    const { client, deadlines } = this.#options;
    deadlines.remove(this);
    client.onLeave = undefined;
    client.onDrain = undefined;
    this.#resolve({
      ...result,
      status: this.#status,
      meter: this.#billedMeter(),
      contentType: this.#reader?.contentType ?? '',
      firstContentAt: this.#firstContentAt,
      stream: this.#options.stream,
    });
  }

  /** After the client left, what was read on counts only as a report of the whole answer. */
  #billedMeter(): Meter | undefined {
    const meter = this.#reader?.meter;
    if (this.#deliveredAtLeave === undefined) return meter;
    return meter?.finished === true && meter.usage !== undefined ? meter : this.#deliveredAtLeave;
  }
}

/** A meter as it is now. */
function copyOf(meter: Meter): Meter {
  const { usage, deliveredCharacters, deliveredWideCharacters, deliveredSample, finished } = meter;
  return { usage, deliveredCharacters, deliveredWideCharacters, deliveredSample, finished };
}

function asUpstreamError(error: unknown, status: number): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError('garbled', 'The upstream’s answer could not be read', { status, cause: error });
}
