/**
 * Time limits for each phase of one attempt: connection, head of the response, first content, gaps between content,
 * and total time. Comment lines and empty events count as silence.
 */
import type { TimedPhase, UpstreamTimeout } from '@switchyard/relay';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import type { Clock } from '../../platform/clock.ts';

/**
 * `firstByteMs` is for streams: the head of a non-streaming response comes when the response is ready, so
 * `firstContentMs` applies to it. `idleMs` is the maximum gap between content. `drainMs` is the time for which each
 * stream is drained after its client has disconnected, to learn the usage; 0: as `DrainBudget` determines.
 */
export type PhaseLimits = LoadedChannel['deadlines'];

/** Milliseconds for which an upstream may keep the connection open after the end of its response. */
const LINGER_MS = 2_000;
/** Milliseconds after which a client that reads nothing is disconnected. */
const DRAIN_MS = 30_000;

export class PhaseTimeouts {
  /** End of the current phase, in milliseconds of `clock.elapsed()`. */
  at: number;
  #phase: TimedPhase = 'connect';
  /** Milliseconds that the current phase may last. */
  #limitMs: number;
  readonly #limits: PhaseLimits;
  readonly #stream: boolean;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #characters = 0;
  /** End of the drain, in milliseconds of `clock.elapsed()`. */
  #drainEnd = Number.POSITIVE_INFINITY;

  /** @param beginWithinMs maximum milliseconds until the first content, whatever the limits */
  constructor(limits: PhaseLimits, stream: boolean, clock: Clock, beginWithinMs = Number.POSITIVE_INFINITY) {
    this.#limits = beginWithinMs === Number.POSITIVE_INFINITY ? limits : limitFirstContent(limits, beginWithinMs);
    this.#stream = stream;
    this.#clock = clock;
    this.#startedAt = clock.elapsed();
    this.#limitMs = Math.min(this.#limits.connectMs, limits.totalMs);
    this.at = this.#startedAt + this.#limitMs;
  }

  /** Timeout if the current phase does not end in time. */
  get timeout(): UpstreamTimeout {
    return { phase: this.#phase, limitMs: this.#limitMs };
  }

  connected(): void {
    const { firstByteMs, firstContentMs } = this.#limits;
    this.#wait('first-byte', this.#startedAt, this.#stream ? firstByteMs : firstContentMs);
  }

  answered(): void {
    this.#wait('first-content', this.#startedAt, this.#limits.firstContentMs);
  }

  /** Records received bytes. @param characters content so far; every byte of a non-streaming response is content */
  received(characters: number): void {
    if (this.#stream && characters === this.#characters) return;
    this.#characters = characters;
    this.#wait('idle', this.#clock.elapsed(), this.#limits.idleMs);
  }

  /** Records the end of the response while the connection is still open. */
  finished(): void {
    this.at = Math.min(this.at, this.#clock.elapsed() + LINGER_MS);
  }

  /** Records a pause, because the client reads more slowly than the upstream sends. */
  paused(): void {
    this.at = this.#clock.elapsed() + DRAIN_MS;
  }

  resumed(): void {
    this.#wait('idle', this.#clock.elapsed(), this.#limits.idleMs);
  }

  /** Begins the drain after the client's disconnect. Gaps between content are limited as before. */
  startDrain(drainMs: number): void {
    const now = this.#clock.elapsed();
    this.#drainEnd = now + drainMs;
    this.#wait('idle', now, this.#limits.idleMs);
  }

  #wait(phase: TimedPhase, since: number, ms: number): void {
    const end = Math.min(this.#startedAt + this.#limits.totalMs, this.#drainEnd);
    const isLast = since + ms >= end;
    this.at = isLast ? end : since + ms;
    this.#phase = isLast ? 'total' : phase;
    this.#limitMs = isLast ? this.#limits.totalMs : ms;
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
