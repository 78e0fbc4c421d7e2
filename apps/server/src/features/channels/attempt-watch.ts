/** What the outcome of one attempt says about its channel and model. */
import type { Clock } from '../../platform/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** What became of an attempt; exactly one of these is to be called. */
export interface AttemptWatch {
  answered(firstContentMs: number): void;
  failed(): void;
  /**
   * The vendor's limit was reached. What others had found out already, or what came of not letting the channel rest,
   * says nothing new; limits that go on after each rest are failures.
   */
  limited(): void;
  /**
   * The key or the account was refused. That may be the doing of one client's content, so that two in a row are worth a
   * request of our own; until its answer the channel rests, and for a minute after a good one refusals say nothing.
   * @returns what is to be told how that request went, when one is to be made now
   */
  refused(): ((found: OwnFinding) => void) | undefined;
  /** It says nothing about the channel: the client was at fault, or left. */
  endedWithoutVerdict(): void;
}

/** How a request of our own went: refused in the same way, answered, or neither. */
export type OwnFinding = 'refused' | 'answered' | 'unknown';

export interface HealthEntry {
  channelId: number;
  model: string;
  breaker: CircuitBreaker;
  /** UTC ms. */
  restsUntil: number;
  firstContentMs: number | undefined;
}

/** A channel's last request of our own. */
export interface OwnRequest {
  /** Of `clock.elapsed()`. */
  madeAt: number;
  /** It is on its way, or was answered: refusals of clients' requests say nothing for now. */
  excuses: boolean;
}

interface Watched {
  clock: Clock;
  entry: HealthEntry;
  /** By channel. */
  ownRequests: Map<number, OwnRequest>;
  /** Called when the entry may have nothing to say any more. */
  forgetUntried: () => void;
}

const REFUSALS_TO_ASK = 2;
/** A client whose content is refused again and again must not make us ask the vendor each time. */
const ASK_EVERY_MS = 60_000;
/** Weight of the newest answer. */
const SMOOTHING = 0.2;

export function watchAttempt({ clock, entry, ownRequests, forgetUntried }: Watched): AttemptWatch {
  const { breaker, channelId } = entry;
  const begunAt = clock.now();
  const term = breaker.begin(begunAt);

  const endedWithoutVerdict = (): void => {
    breaker.endedWithoutVerdict(term);
    // Else whoever names models that nobody has would push out what is known of those that are there.
    forgetUntried();
  };

  const ask = (): ((found: OwnFinding) => void) => {
    const own = { madeAt: clock.elapsed(), excuses: true };
    ownRequests.set(channelId, own);
    const restsUntil = clock.now() + ASK_EVERY_MS;
    entry.restsUntil = Math.max(entry.restsUntil, restsUntil);
    return (found) => {
      own.excuses = found === 'answered';
      if (found === 'answered') breaker.answered(term, clock.now());
      if (found !== 'refused' && entry.restsUntil === restsUntil) entry.restsUntil = 0;
    };
  };

  return {
    answered(firstContentMs) {
      breaker.answered(term, clock.now());
      entry.firstContentMs = smooth(entry.firstContentMs, firstContentMs);
    },
    failed: () => breaker.failed(term, clock.now()),
    limited() {
      if (entry.restsUntil > begunAt) endedWithoutVerdict();
      else breaker.doubted(term, clock.now());
    },
    refused() {
      const own = ownRequests.get(channelId);
      const isAsked = own !== undefined && clock.elapsed() - own.madeAt < ASK_EVERY_MS;
      if (isAsked && own.excuses) endedWithoutVerdict();
      else breaker.doubted(term, clock.now());
      return isAsked || breaker.failuresInRow < REFUSALS_TO_ASK ? undefined : ask();
    },
    endedWithoutVerdict,
  };
}

function smooth(before: number | undefined, value: number): number {
  return before === undefined ? value : before + SMOOTHING * (value - before);
}
