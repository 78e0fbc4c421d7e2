/**
 * One upstream call. Nothing is sent to the client before the response has content, so that a failure until then can
 * be retried on another channel; afterwards a failure is final.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Exchange, type Meter, type NextPoll, UpstreamError, type UpstreamErrorKind } from '@switchyard/relay';
import type { Dispatcher } from 'undici';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Clock, Timer } from '../../platform/clock.ts';
import { InvalidResponseError } from '../../platform/outbound/response-framing-guard.ts';
import { isLocalResourceShortage } from '../../platform/outbound/system-resolver.ts';
import type { AttemptEnd, AttemptResult } from '../http/attempt-result-and-errors.ts';
import { isBilledRefusal, timeoutError, unreachableError, unreadableError } from '../http/attempt-result-and-errors.ts';
import { leaseLostError, localConnectionError, type RelayError } from '../http/relay-error.ts';
import { type FlowOptions, ResponseFlow } from '../http/response-flow.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { FairScheduler } from '../limits/fair-scheduler.ts';
import { HeldBytes, UserMemoryError } from '../limits/memory-budget.ts';
import type { Deadline, Deadlines } from './deadline-timer.ts';
import type { Drain } from './drain-after-disconnect.ts';
import { ErrorBody } from './error-body.ts';
import { type PhaseLimits, PhaseTimeouts } from './phase-timeouts.ts';
import { ReceiveBuffer } from './receive-buffer.ts';
import type { PooledHandler, UpstreamPool, UpstreamTarget } from './upstream-and-replay-pool.ts';
import { UpstreamConnection } from './upstream-connection.ts';

export interface AttemptOptions extends FlowOptions {
  clock: Clock;
  exchange: Exchange;
  proxy: string;
  pool: Pick<UpstreamPool, 'dispatch'>;
  deadlines: Deadlines;
  /** Time limits of the channel for each phase. */
  limits: PhaseLimits;
  /** Milliseconds within which the first content must arrive, whatever the channel's limits. */
  beginWithinMs: number;
  /** Counts the buffered bytes of the response. */
  slot: Pick<ConcurrencySlot, 'grow'>;
  scheduler: FairScheduler;
  /** Runs long work in the paced executor. */
  runSpaced: (work: () => void) => Promise<void>;
  /**
   * Starts the drain of a stream that has ended for its client before its end; absent for responses that are not
   * delivered piece by piece.
   */
  startDrain?: (meter: Meter) => Drain;
  /** Sends the error of a refused stream, and ends the client's response, before the drain. */
  sendRefusal?: (refusal: RelayError) => void;
  /** Confirms that the holds are still valid before more is delivered; absent if the request is free. */
  confirmHolds?: Ledger['confirmHolds'];
}

export function runAttempt(options: AttemptOptions): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const call = new UpstreamCall(options, resolve);
    if (options.client.hasLeft || options.client.stopReason !== undefined) return call.leave();
    call.dispatch(options.exchange);
  });
}

/** Kinds of temporary errors, for polls of a task. */
const transientErrors: ReadonlySet<UpstreamErrorKind> = new Set(['unreachable', 'overloaded', 'rate-limited']);
const FAILED_POLLS_MAX = 5;
const POLL_RETRY_MS = 2_000;
/** Smaller responses are parsed and translated within a few milliseconds. */
const LARGE_BYTES = 262_144;
/** Memory for the rest of a response that lack of memory ends: an event of 1 MiB, which counts as three times that. */
const REPORT_BYTES = 3_145_728;

class UpstreamCall implements PooledHandler, Deadline {
  slot: number | undefined;
  release: PooledHandler['release'] = () => {};
  cancel = (_reason: Error): void => {};
  readonly #options: AttemptOptions;
  readonly #resolve: (result: AttemptResult | Promise<AttemptResult>) => void;
  readonly #phases: PhaseTimeouts;
  readonly #connection = new UpstreamConnection();
  #status = 0;
  /** Flow of a 2xx response. */
  #flow: ResponseFlow | undefined;
  readonly #arrived: ReceiveBuffer;
  readonly #held: HeldBytes;
  /** Body of any other response. */
  #errorBody: ErrorBody | undefined;
  /** True if this attempt has ended the connection itself, and continues. */
  #isDropping = false;
  #done = false;
  #isSent = false;
  #hasExpired = false;
  #drain: Drain | undefined;
  #leaveTimer: Timer | undefined;
  /** Last poll request, for a provider whose response is polled. */
  #lastAsked: { url: string; headers: string[] } | undefined;
  #waitTimer: Timer | undefined;
  /** Number of consecutive failed polls. */
  #failedQuestions = 0;

  constructor(options: AttemptOptions, resolve: (result: AttemptResult | Promise<AttemptResult>) => void) {
    const { limits, exchange, clock, beginWithinMs, deadlines, client, slot } = options;
    this.#options = options;
    this.#resolve = resolve;
    this.#phases = new PhaseTimeouts(limits, exchange.isStreaming, clock, beginWithinMs);
    this.#held = new HeldBytes(slot, (refusal) => this.#endForClient(refusal));
    this.#arrived = new ReceiveBuffer({
      scheduler: options.scheduler,
      hasEvents: exchange.isStreaming,
      mayRead: () => options.confirmHolds?.(),
      read: (bytes) => this.#read(bytes),
      setBehind: (isBehind) => this.#connection.wait('bytes', isBehind),
    });
    deadlines.add(this);
    client.onLeave = () => this.#guard(() => this.leave());
    client.onDrain = () => this.#guard(() => this.#resume());
  }

  get at(): number {
    return this.#phases.at;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isSent = true;
    this.#connection.open(controller);
    this.#phases.connected();
    if (this.#done) controller.abort(new Error('given up'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // The slices of raw headers would keep their packet in memory while the stream runs.
    controller.rawHeaders = null;
    this.#status = status;
    this.#connection.answered();
    this.#phases.answered();
    const { exchange, clock } = this.#options;
    const readError = (body: Buffer): void =>
      this.#guard(() => this.#failOrAskAgain(exchange.readError(status, headers, body)));
    if (status >= 200 && status < 300) this.#flow = new ResponseFlow(exchange.readResponse(headers), this.#options);
    else this.#errorBody = new ErrorBody(clock, readError);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    this.#connection.count(chunk.length);
    if (this.#flow === undefined) return this.#errorBody?.push(chunk);
    this.#arrived.add(chunk);
  }

  onResponseEnd(): void {
    this.release();
    this.#connection.received();
    this.#arrived.end(() => {
      if (this.#done) return;
      if (this.#flow === undefined) this.#errorBody?.end();
      else this.#endInTurn(this.#flow);
    });
  }

  onResponseError(controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.release(controller, error);
    this.#connection.received();
    if (!this.#isDropping) this.#arrived.end(() => this.#connectionFailed(error));
  }

  #connectionFailed(error: Error): void {
    if (this.#done) return;
    this.#errorBody?.close();
    // The response is complete; a connection error after it does not concern the client.
    if (this.#flow?.isFinished === true) return this.#endInTurn(this.#flow);
    const isInvalid = error instanceof InvalidResponseError;
    this.#failOrAskAgain(isInvalid ? unreadableError(error, this.#status) : unreachableError(this.#status, error));
  }

  /**
   * Handles the client's disconnect, or the end of the response by the gateway. What was delivered is charged; the
   * rest is only drained to learn the usage.
   */
  leave(): void {
    const { client, clock, exchange, sendRefusal } = this.#options;
    const { stopReason, mustAbort } = client;
    if (this.#connection.isOpen && (!mustAbort || stopReason === leaseLostError)) {
      // The vendor may have accepted the task, and will charge for it.
      if (exchange.isTaskSubmission) return;
      if (!mustAbort && !client.isDelivering && this.#options.mayReachClientOtherwise?.() === true) {
        if (stopReason !== undefined) sendRefusal?.(stopReason);
        return;
      }
    }
    const flow = this.#flow;
    if (mustAbort || flow === undefined || !client.isDelivering) return this.#giveUp();
    // A refusal after a disconnect, or a disconnect after a refusal, changes nothing.
    if (flow.isDraining) return;
    const drain = this.#options.startDrain?.(flow.billedMeter);
    if (drain === undefined) return this.#giveUp();
    this.#drain = drain;
    flow.drain();
    this.#phases.startDrain(drain.ms);
    // A separate timer, because the sweep of the deadlines may be half a second late.
    this.#leaveTimer = clock.after(drain.ms, () => this.#giveUp());
    this.#connection.wait('client', false);
    if (stopReason !== undefined) sendRefusal?.(stopReason);
  }

  /** Ends the response for lack of memory. The channel is not at fault, and the vendor bills the response. */
  #endForClient(refusal: RelayError): void {
    if (this.#held.allowance === REPORT_BYTES) return this.#giveUp();
    this.#held.allowance = REPORT_BYTES;
    this.#options.client.refuse(refusal);
  }

  expire(): void {
    const flow = this.#flow;
    if (flow?.isDraining === true) return this.#giveUp();
    if (this.#connection.waitsForClient) return this.#dropClient();
    if (flow?.isFinished === true) return this.#endNow(flow);
    this.#hasExpired = true;
    this.#fail(timeoutError(this.#status, this.#phases.timeout));
  }

  #dropClient(): void {
    // The disconnect that follows may drain with its own deadline.
    this.#phases.paused();
    this.#options.deadlines.add(this);
    this.#options.client.disconnect();
  }

  #read(bytes: Buffer): void {
    const flow = this.#flow;
    if (this.#done || flow === undefined) return;
    try {
      const isReady = flow.push(bytes);
      // The content check may have stopped the request.
      if (this.#isDone()) return;
      this.#held.set(flow.heldBytes);
      // The memory budget may have refused the bytes.
      if (this.#isDone()) return;
      if (flow.isFinished) this.#phases.finished();
      // Bytes that were in flight before a pause are no progress of the client.
      else if (!this.#connection.waitsForClient) this.#phases.received(flow.progress);
      if (flow.hasLongTail) this.#endNow(flow);
      else if (!isReady) this.#pause();
    } catch (error) {
      this.#fail(unreadableError(error, this.#status));
    }
  }

  #pause(): void {
    if (this.#connection.waitsForClient || this.#flow?.isDraining === true) return;
    this.#connection.wait('client', true);
    this.#phases.paused();
  }

  #resume(): void {
    if (this.#done || !this.#connection.waitsForClient) return;
    this.#phases.resumed();
    if (this.#flow !== undefined) this.#held.set(this.#flow.heldBytes);
    this.#connection.wait('client', false);
  }

  #endInTurn(flow: ResponseFlow): void {
    const { runSpaced, deadlines } = this.#options;
    if (flow.heldBytes < LARGE_BYTES) return this.#endOrGoOn(flow);
    // All bytes have arrived: the attempt no longer waits for the upstream.
    deadlines.remove(this);
    runSpaced(() => {
      if (this.#done) return;
      deadlines.add(this);
      this.#endOrGoOn(flow);
    }).catch((error: unknown) => this.#fail(unreadableError(error, this.#status)));
  }

  #endOrGoOn(flow: ResponseFlow): void {
    try {
      const next = flow.nextPoll();
      if (next !== undefined) this.#goOn(next);
      else if (flow.translatePart()) this.#endInTurn(flow);
      else this.#end(flow);
    } catch (error) {
      this.#failOrAskAgain(unreadableError(error, this.#status));
    }
  }

  /** Polls again when the response is not ready. All polls together have the deadlines of one response. */
  #goOn(next: NextPoll): void {
    const request = 'url' in next ? next : this.#lastAsked;
    if (request === undefined)
      throw new UpstreamError('garbled', 'The upstream did not return an address to poll', { status: 200 });
    this.#lastAsked = request;
    this.#failedQuestions = 0;
    this.#askLater(request, next.waitMs);
  }

  /** Fails, or polls again after a temporary failure: the task is paid for, and must not be submitted elsewhere. */
  #failOrAskAgain(error: UpstreamError): void {
    const request = this.#lastAsked;
    const mayAsk = transientErrors.has(error.kind) && this.#failedQuestions < FAILED_POLLS_MAX;
    if (request === undefined || !mayAsk) return this.#fail(error);
    this.#failedQuestions += 1;
    this.#askLater(request, POLL_RETRY_MS);
  }

  #askLater(request: { url: string; headers: string[] }, waitMs: number): void {
    this.#flow = undefined;
    this.#isDropping = true;
    this.#connection.forget();
    this.#isDropping = false;
    this.#phases.answered();
    this.#waitTimer = this.#options.clock.after(waitMs, () => this.dispatch({ ...request, method: 'GET', body: null }));
  }

  dispatch(request: Omit<UpstreamTarget, 'proxy' | 'connectMs'>): void {
    const { pool, proxy, limits } = this.#options;
    try {
      pool.dispatch({ ...request, proxy, connectMs: limits.connectMs }, this);
    } catch (error) {
      this.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
    }
  }

  #end(flow: ResponseFlow): void {
    try {
      const last = flow.end();
      if (this.#isDone()) return;
      this.#settle(flow.isDraining ? { outcome: 'left' } : { outcome: 'answered', last });
    } catch (error) {
      this.#fail(unreadableError(error, this.#status));
    }
  }

  /** Ends a complete response without waiting for the upstream to close. */
  #endNow(flow: ResponseFlow): void {
    this.#isDropping = true;
    this.#connection.abort(new Error('the answer is complete'), this.cancel);
    this.#endInTurn(flow);
  }

  #fail(error: UpstreamError): void {
    if (this.#flow?.isDraining === true) return this.#stop({ outcome: 'left' }, error);
    // The channel is not at fault: the request ends as if the gateway had stopped it.
    if (isLocalResourceShortage(error.cause)) return this.#options.client.stop(localConnectionError(error.cause));
    this.#stop({ outcome: 'failed', error }, error);
  }

  #isDone(): boolean {
    return this.#done;
  }

  #giveUp(): void {
    this.#stop({ outcome: 'left' }, new Error('the client left'));
  }

  /** Runs the work of an event. A fault of the gateway in it ends this request instead of the process. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      const fault = new Error('The gateway failed to handle an event of a request', { cause: error });
      this.#stop({ outcome: 'left' }, fault, fault);
    }
  }

  #stop(ended: AttemptEnd, reason: Error, fault?: Error): void {
    if (this.#done) return;
    this.#settle(ended, fault);
    this.#connection.abort(reason, this.cancel);
  }

  /** @param fault fault of the gateway that ended the attempt */
  #settle(ended: AttemptEnd, fault?: Error): void {
    this.#done = true;
    const { client, deadlines } = this.#options;
    deadlines.remove(this);
    this.#drain?.end();
    this.#leaveTimer?.close();
    this.#waitTimer?.close();
    this.#errorBody?.close();
    client.onLeave = undefined;
    client.onDrain = undefined;
    this.#held.set(ended.outcome === 'answered' ? ended.last.body.length + client.unsentBytes : 0);
    const flow = this.#flow;
    const isLeft = !client.mustAbort || client.stopReason instanceof UserMemoryError;
    const isRefused = isBilledRefusal(ended);
    const isCut = this.#hasExpired || isRefused || (ended.outcome === 'left' && isLeft);
    try {
      if (fault !== undefined) throw fault;
      this.#resolve({
        ...ended,
        status: this.#status,
        mayBeBilled: isCut && this.#isSent && (isRefused || this.#errorBody === undefined),
        meter: flow?.billedMeter,
        isDelivered: flow?.isDelivered ?? false,
        firstContentAt: flow?.firstContentAt ?? 0,
        unsupportedFields: flow?.unsupportedFields ?? [],
        acceptedTask: flow?.acceptedTask,
      });
    } catch (error) {
      this.#resolve(Promise.reject(error));
    }
  }
}
