import type { Dispatcher } from 'undici';
import { runAfterPendingEvents } from '../../platform/clock.ts';

/** The client is slow, more has arrived than was read yet, or others are to be read first. */
type Reason = 'client' | 'bytes' | 'others';

/** Bytes of a response that are read at a time. */
const TURN_BYTES = 262_144;

/** The connection that a response comes by. It is paused as long as there is a reason to wait. */
export class UpstreamConnection {
  #controller: Dispatcher.DispatchController | undefined;
  readonly #waits = { client: false, bytes: false, others: false };
  /** Received since other connections were last read. */
  #turnBytes = 0;
  /** All of the response has come: the connection may serve another call, which must not be paused for this one. */
  #isReceived = false;
  /** The head of a response has come. */
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

  /** Ends the connection unless all of the response has come. */
  forget(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#isAnswered = false;
    if (!this.#isReceived) controller?.abort(new Error('the rest is not read'));
  }

  /** @param cancel ends a connection from which no response has come, so that no later request waits on it as well */
  abort(reason: Error, cancel: (reason: Error) => void): void {
    if (!this.#isAnswered) cancel(reason);
    this.#controller?.abort(reason);
  }

  /** Counts what has come. A fast upstream, or many of them, would keep the event loop from everybody else. */
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
