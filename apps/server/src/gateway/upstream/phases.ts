/**
 * Time limits for each phase of one attempt: to connect, to begin the response, to send the first content, between
 * two pieces of content, and in all. Comment lines and empty events count as silence.
 */
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import type { Clock } from '../../platform/clock.ts';

/**
 * `firstByteMs` is for streams: the head of a whole answer comes when the answer is ready, so that it has
 * `firstContentMs`. `idleMs` lies between two pieces of content. For `readOnMs` the rest of a stream is read after its
 * client left, to learn the usage.
 */
export type PhaseLimits = LoadedChannel['deadlines'];

/** Milliseconds for which an upstream may keep the connection open after the end of its response. */
const LINGER_MS = 2_000;
/** A client that reads nothing for this long is given up. */
const DRAIN_MS = 30_000;

export class Phases {
  /** When the present phase is over, of `clock.elapsed()`. */
  at: number;
  /** Why the upstream is given up when it is. */
  timeoutMessage = 'The connection to the upstream timed out';
  readonly #limits: PhaseLimits;
  readonly #stream: boolean;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #characters = 0;

  /** @param beginWithinMs in which the first content must come, whatever the limits */
  constructor(limits: PhaseLimits, stream: boolean, clock: Clock, beginWithinMs = Number.POSITIVE_INFINITY) {
    this.#limits = beginWithinMs === Number.POSITIVE_INFINITY ? limits : limitFirstContent(limits, beginWithinMs);
    this.#stream = stream;
    this.#clock = clock;
    this.#startedAt = clock.elapsed();
    this.at = this.#startedAt + Math.min(this.#limits.connectMs, limits.totalMs);
  }

  connected(): void {
    const { firstByteMs, firstContentMs } = this.#limits;
    this.#wait(
      'The upstream did not start to respond in time',
      this.#startedAt,
      this.#stream ? firstByteMs : firstContentMs,
    );
  }

  answered(): void {
    this.#wait('The upstream sent no content in time', this.#startedAt, this.#limits.firstContentMs);
  }

  /** Bytes came. @param characters content of the answer so far; of a whole answer every byte is content */
  received(characters: number): void {
    if (this.#stream && characters === this.#characters) return;
    this.#characters = characters;
    this.#wait('The upstream stopped sending', this.#clock.elapsed(), this.#limits.idleMs);
  }

  /** The answer has ended, the connection not yet. */
  finished(): void {
    this.at = Math.min(this.at, this.#clock.elapsed() + LINGER_MS);
  }

  /** The client reads more slowly than the upstream sends. */
  paused(): void {
    this.at = this.#clock.elapsed() + DRAIN_MS;
  }

  resumed(): void {
    this.#wait('The upstream stopped sending', this.#clock.elapsed(), this.#limits.idleMs);
  }

  startDrain(): void {
    this.#wait('The upstream did not finish in time', this.#clock.elapsed(), this.#limits.drainMs);
  }

  #wait(complaint: string, since: number, ms: number): void {
    const end = this.#startedAt + this.#limits.totalMs;
    const isLast = since + ms >= end;
    this.at = isLast ? end : since + ms;
    this.timeoutMessage = isLast ? 'The response exceeded the total timeout of this channel' : complaint;
  }
}

function limitFirstContent(limits: PhaseLimits, ms: number): PhaseLimits {
  return {
    ...limits,
    connectMs: Math.min(limits.connectMs, ms),
    firstByteMs: Math.min(limits.firstByteMs, ms),
    firstContentMs: Math.min(limits.firstContentMs, ms),
  };
}
