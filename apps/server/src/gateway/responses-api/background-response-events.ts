/** Events of a background response for its followers, which may start at any event, also after the end. */
import type { DetachedStrings } from '@switchyard/relay';
import { textOf } from '@switchyard/relay/json';
import type { Timer, Timers } from '../../platform/clock.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';
/** Maximum stored bytes of a response's events; beyond it, only the final event is sent. */
const BYTES_MAX = 4 * 1_048_576;
const FOLLOWERS_MAX = 10;
/** Milliseconds after which a follower that reads nothing is disconnected. */
const STUCK_MS = 60_000;
const RETRY_SECONDS = 5;

type Event = Readonly<Record<string, unknown>>;

/** @param sequence index of the event within its response, from 0 */
export function encodeEvent(event: Event, sequence: number): string {
  return `event: ${textOf(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence })}\n\n`;
}

export class ResponseEvents {
  readonly #events: string[] = [];
  readonly #followers = new Set<() => void>();
  readonly #timers: Timers;
  readonly #grew: (bytes: number) => boolean;
  readonly #lost: AbortSignal | undefined;
  #bytes = 0;
  /** Number of events that the most advanced follower has been sent. */
  #sent = 0;
  #isFull = false;
  #isOver = false;

  /**
   * @param grew called with the number of added bytes; returns whether more events fit
   * @param lost aborted when another node may end the response
   */
  constructor(timers: Timers, grew: (bytes: number) => boolean, lost?: AbortSignal) {
    this.#timers = timers;
    this.#grew = grew;
    this.#lost = lost;
  }

  /** True if no client may begin to follow: events that none has received may not be charged any more. */
  get isLost(): boolean {
    return this.#lost?.aborted === true;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True if a follower has been sent all events so far, and none was dropped. */
  get areReceived(): boolean {
    return !this.#isFull && this.#sent === this.#events.length;
  }

  /** @param strings strings for which names stand in the event */
  add(event: Event, strings?: DetachedStrings): void {
    if (!this.#isFull) this.#publish(event, strings);
  }

  /** Adds the final event. @param strings as for `add` */
  end(event: Event, strings?: DetachedStrings): void {
    this.#isOver = true;
    this.#publish(event, strings);
  }

  /**
   * Sends the events after the given one, and later ones, as fast as the client reads. The client may disconnect at
   * any time.
   * @returns a promise that resolves when nothing more is sent
   * @throws RelayError when there are too many followers
   */
  follow(client: ClientResponse, after: number): Promise<void> {
    if (this.#followers.size >= FOLLOWERS_MAX)
      throw new RelayError(
        'rate_limit_exceeded',
        `Limit of ${FOLLOWERS_MAX} concurrent streaming clients reached for this response. Retry when one disconnects.`,
        { retryAfterSeconds: RETRY_SECONDS },
      );
    const { promise, resolve } = Promise.withResolvers<void>();
    let next = after + 1;
    let stuck: Timer | undefined;
    const goOn = (): void => {
      if (stuck !== undefined) return;
      for (let event = this.#events[next]; event !== undefined; event = this.#events[next]) {
        next += 1;
        this.#sent = Math.max(this.#sent, next);
        if (client.write(EVENT_STREAM, event)) continue;
        stuck = this.#timers.after(STUCK_MS, () => client.disconnect());
        return;
      }
      if (!this.#isOver) return;
      leave();
      client.end('');
    };
    const leave = (): void => {
      stuck?.close();
      this.#followers.delete(goOn);
      client.onDrain = undefined;
      resolve();
    };
    client.onDrain = () => {
      stuck?.close();
      stuck = undefined;
      goOn();
    };
    client.onLeave = () => {
      leave();
      if (client.stopReason !== undefined) client.disconnect();
    };
    this.#followers.add(goOn);
    if (client.hasLeft || client.stopReason !== undefined) client.onLeave();
    else goOn();
    return promise;
  }

  #publish(event: Event, strings: DetachedStrings | undefined): void {
    const encoded = encodeEvent(event, this.#events.length);
    const written = strings?.attach(encoded) ?? encoded;
    this.#events.push(written);
    this.#bytes += written.length;
    const hasRoom = this.#grew(written.length);
    this.#isFull = !hasRoom || this.#bytes >= BYTES_MAX;
    for (const goOn of this.#followers) goOn();
  }
}
