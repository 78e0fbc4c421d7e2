/**
 * Combines several upstream calls into one for an attempt: a few run concurrently, and the first failure becomes the
 * response.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BytePieces, type JoinedCalls, type JoinedResponses } from '@switchyard/relay';
import type { Dispatcher } from 'undici';
import type { HeldBytes } from '../limits/memory-budget.ts';
import type { PooledHandler, UpstreamPool, UpstreamTarget } from './upstream-and-replay-pool.ts';
import { UpstreamConnection } from './upstream-connection.ts';

type Pool = Pick<UpstreamPool, 'dispatch'>;

const AT_ONCE = 4;

/**
 * Returns a pool that replaces a call by these calls.
 * @param held counts the responses until all are joined
 * @param onAnswered called after each successful call, which the vendor bills even if a later one fails
 */
export function createJoiningPool(pool: Pool, calls: JoinedCalls, held: HeldBytes, onAnswered: () => void): Pool {
  return {
    dispatch(target, handler) {
      new CallGroup({ pool, target, handler, calls, held, onAnswered }).begin();
    },
  };
}

interface JoinedRequest {
  pool: Pool;
  target: UpstreamTarget;
  handler: PooledHandler;
  calls: JoinedCalls;
  held: HeldBytes;
  onAnswered: () => void;
}

class CallGroup {
  readonly #pool: Pool;
  readonly #target: UpstreamTarget;
  readonly #handler: PooledHandler;
  readonly #bodies: readonly Buffer[];
  readonly #answers: JoinedResponses;
  /** Running calls, each with its abort function. */
  readonly #running = new Map<PooledHandler, (reason: Error) => void>();
  readonly #controller: Dispatcher.DispatchController;
  readonly #held: HeldBytes;
  readonly #onAnswered: () => void;
  #bytes = 0;
  #next = 0;
  #answered = 0;
  #isOver = false;

  constructor({ pool, target, handler, calls, held, onAnswered }: JoinedRequest) {
    this.#pool = pool;
    this.#target = target;
    this.#handler = handler;
    this.#bodies = calls.bodies;
    this.#answers = calls.join();
    this.#held = held;
    this.#onAnswered = onAnswered;
    this.#controller = {
      aborted: false,
      paused: false,
      reason: null,
      abort: () => this.#stop(),
      // Nothing reaches the client before all calls have succeeded, so there is nothing to pause.
      pause: () => {},
      resume: () => {},
    };
  }

  begin(): void {
    this.#handler.release = () => {};
    this.#handler.cancel = () => this.#stop();
    for (let started = 0; started < AT_ONCE; started += 1) this.#startNext();
  }

  #startNext(): void {
    const nth = this.#next;
    const body = this.#bodies[nth];
    if (body === undefined || this.#isOver) return;
    this.#next += 1;
    this.#pool.dispatch({ ...this.#target, body }, this.#handlerOf(nth));
  }

  #handlerOf(nth: number): PooledHandler {
    const pieces = new BytePieces();
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const connection = new UpstreamConnection();
    let isRefusal = false;
    const handler: PooledHandler = {
      release: () => {},
      cancel: () => {},
      onRequestStart: (controller) => {
        connection.open(controller);
        if (this.#isOver) controller.abort(new Error('given up'));
        else this.#handler.onRequestStart?.(this.#controller, undefined);
      },
      onResponseStart: (_controller, code, responseHeaders) => {
        connection.answered();
        status = code;
        headers = responseHeaders;
        if (this.#isOver || isSuccess(code)) return;
        isRefusal = true;
        this.#passRefusal(handler, code, responseHeaders);
      },
      onResponseData: (_controller, chunk) => {
        if (isRefusal) this.#handler.onResponseData?.(this.#controller, chunk);
        if (this.#isOver) return;
        pieces.push(chunk);
        this.#bytes += chunk.length;
        this.#held.set(this.#bytes);
      },
      onResponseEnd: () => {
        handler.release();
        this.#running.delete(handler);
        if (isRefusal) this.#handler.onResponseEnd?.(this.#controller, {});
        else this.#ended(nth, { status, headers, body: pieces.whole() });
      },
      onResponseError: (controller, error) => {
        handler.release(controller, error);
        this.#running.delete(handler);
        if (isRefusal) this.#handler.onResponseError?.(this.#controller, error);
        else if (!this.#isOver) this.#fail(error);
      },
    };
    this.#running.set(handler, (reason) => connection.abort(reason, handler.cancel));
    return handler;
  }

  /** Streams an error response as it arrives, because its body may be endless. */
  #passRefusal(handler: PooledHandler, status: number, headers: IncomingHttpHeaders): void {
    const abort = this.#running.get(handler);
    this.#running.delete(handler);
    this.#stop();
    if (abort !== undefined) this.#running.set(handler, abort);
    this.#handler.onResponseStart?.(this.#controller, status, headers);
  }

  #ended(nth: number, answer: { status: number; headers: IncomingHttpHeaders; body: Buffer }): void {
    if (this.#isOver) return;
    if (!this.#answers.add(nth, answer.body)) return this.#complete(answer);
    this.#answered += 1;
    this.#onAnswered();
    if (this.#answered < this.#bodies.length) return this.#startNext();
    this.#complete({ ...answer, body: this.#answers.end() });
  }

  #complete({ status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: Buffer }): void {
    this.#stop();
    this.#handler.onResponseStart?.(this.#controller, status, headers);
    this.#handler.onResponseData?.(this.#controller, body);
    this.#handler.onResponseEnd?.(this.#controller, {});
  }

  #fail(error: Error): void {
    this.#stop();
    this.#handler.onResponseError?.(this.#controller, error);
  }

  #stop(): void {
    this.#isOver = true;
    this.#held.set(0);
    for (const abort of this.#running.values()) abort(new Error('given up'));
    this.#running.clear();
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
