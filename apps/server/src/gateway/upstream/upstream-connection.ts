import type { Dispatcher } from 'undici';
import { runAfterPendingEvents } from '../../platform/clock.ts';

/** The client is slow, received bytes are not yet parsed, or other connections are read first. */
type Reason = 'client' | 'bytes' | 'others';

/** Bytes that are read before other connections get their turn. */
const TURN_BYTES = 262_144;

/** Connection of a response. It is paused while at least one reason holds. */
export class UpstreamConnection {
  #controller: Dispatcher.DispatchController | undefined;
  readonly #waits = { client: false, bytes: false, others: false };
  /** Received since other connections were last read. */
  #turnBytes = 0;
  /**
   * True once the response is complete: the connection may then serve another call, which must not be paused for this
   * one.
   */
  #isReceived = false;
  /** True once the head of a response has arrived. */
  #isAnswered = false;

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  get waitsForClient(): boolean {
    return this.#waits.client;
  }

  open(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#isReceived = false;
  }

  answered(): void {
    this.#isAnswered = true;
  }

  received(): void {
    this.#isReceived = true;
  }

  /** Aborts the connection unless the response is complete. */
  forget(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#isAnswered = false;
    if (!this.#isReceived) controller?.abort(new Error('the rest is not read'));
  }

  /** @param cancel ends a connection without any response, so that no later request waits on it */
  abort(reason: Error, cancel: (reason: Error) => void): void {
    if (!this.#isAnswered) cancel(reason);
    this.#controller?.abort(reason);
  }

  /**
   * Counts received bytes, and yields to other connections: a fast upstream would otherwise monopolize the event
   * loop.
   */
  count(bytes: number): void {
    this.#turnBytes += bytes;
    if (this.#turnBytes < TURN_BYTES || this.#waits.others) return;
    this.#turnBytes = 0;
    this.wait('others', true);
    runAfterPendingEvents(() => this.wait('others', false));
  }

  wait(reason: Reason, waits: boolean): void {
    this.#waits[reason] = waits;
    const isToWait = this.#waits.client || this.#waits.bytes || this.#waits.others;
    const controller = this.#controller;
    if (controller === undefined || this.#isReceived || controller.paused === isToWait) return;
    if (isToWait) controller.pause();
    else controller.resume();
  }
}
