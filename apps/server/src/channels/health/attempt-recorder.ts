/** Effect of an attempt's outcome on its channel and model. */
import type { Clock } from '../../platform/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** Outcome of an attempt; exactly one of these methods must be called. */
export interface AttemptRecorder {
  recordSuccess(firstContentMs: number): void;
  recordFailure(): void;
  /**
   * The limit of the key was reached. As long as another key goes on, that says nothing of the channel; no more does
   * what others had found out already, or what came of not letting the channel rest. Limits that go on after each rest
   * are failures.
   */
  recordRateLimit(): void;
  /**
   * The key or the account was refused. That may be the doing of one client's content, so that two in a row are worth a
   * request of our own; until its answer the key rests, and for a minute after a good one refusals say nothing.
   * @returns what is to be told how that request went, when one is to be made now
   */
  recordRefusal(): ((found: ProbeResult) => void) | undefined;
  /** It says nothing about the channel: the client was at fault, or left. */
  discard(): void;
}

/** Outcome of a probe request: refused in the same way, succeeded, or neither. */
export type ProbeResult = 'refused' | 'answered' | 'unknown';

export interface HealthEntry {
  channelId: number;
  model: string;
  circuitBreaker: CircuitBreaker;
  /** UTC ms. */
  cooldownUntil: number;
  firstContentMs: number | undefined;
  /** Another model that the last answer was made by, as the vendor says; empty for none. */
  servedModel: string;
  /** State of the channel's keys by their ids; keys without a state are absent. */
  keys: Map<string, KeyHealth>;
  /** Those that the channel had at the last attempt. */
  keyIds: readonly string[];
  /** It was taken out and came back without a test: the first refusal is worth a question. */
  isOnTrial: boolean;
}

export interface KeyHealth {
  /** UTC ms. */
  cooldownUntil: number;
  refusalsInRow: number;
}

/** UTC ms until which nothing is to be asked of the channel: it rests, or each of its keys does. */
export function getCooldownEnd({ cooldownUntil, keys, keyIds }: HealthEntry): number {
  const untils = keyIds.map((id) => keys.get(id)?.cooldownUntil ?? 0);
  return untils.length === 0 ? cooldownUntil : Math.max(cooldownUntil, Math.min(...untils));
}

export function getKeyHealth({ keys }: HealthEntry, keyId: string): KeyHealth {
  const known = keys.get(keyId) ?? { cooldownUntil: 0, refusalsInRow: 0 };
  keys.set(keyId, known);
  return known;
}

/** A key's last request of our own. */
export interface ProbeRequest {
  /** Time of `clock.elapsed()` at which it was made. */
  startedAt: number;
  /** It is on its way, or was answered: refusals of clients' requests say nothing for now. */
  ignoresRefusals: boolean;
}

interface RecorderOptions {
  clock: Clock;
  entry: HealthEntry;
  keyId: string;
  /** Probe requests of the channel, by key. */
  probeRequests: Map<string, ProbeRequest>;
  /** Called when the entry may have nothing to say any more. */
  forgetUntried: () => void;
}

const REFUSALS_BEFORE_PROBE = 2;
/** A client whose content is refused again and again must not make us ask the vendor each time. */
const PROBE_INTERVAL_MS = 60_000;
/** Weight of the newest answer. */
const SMOOTHING = 0.2;

export function createAttemptRecorder({
  clock,
  entry,
  keyId,
  probeRequests,
  forgetUntried,
}: RecorderOptions): AttemptRecorder {
  const { circuitBreaker } = entry;
  const begunAt = clock.now();
  const term = circuitBreaker.beginAttempt(begunAt);

  const endedWithoutVerdict = (): void => {
    circuitBreaker.discardAttempt(term);
    // Else whoever names models that nobody has would push out what is known of those that are there.
    forgetUntried();
  };

  const goesOn = (): boolean =>
    entry.keyIds.some((id) => id !== keyId && (entry.keys.get(id)?.cooldownUntil ?? 0) <= clock.now());

  const doubt = (): void =>
    goesOn() ? endedWithoutVerdict() : circuitBreaker.recordTransientFailure(term, clock.now());

  const ask = (): ((found: ProbeResult) => void) => {
    const own = { startedAt: clock.elapsed(), ignoresRefusals: true };
    probeRequests.set(keyId, own);
    const key = getKeyHealth(entry, keyId);
    const restsUntil = clock.now() + PROBE_INTERVAL_MS;
    key.cooldownUntil = Math.max(key.cooldownUntil, restsUntil);
    return (found) => {
      own.ignoresRefusals = found === 'answered';
      if (found === 'answered') {
        key.refusalsInRow = 0;
        circuitBreaker.recordSuccess(term, clock.now());
      }
      if (found !== 'refused' && key.cooldownUntil === restsUntil) key.cooldownUntil = 0;
    };
  };

  return {
    recordSuccess(firstContentMs) {
      circuitBreaker.recordSuccess(term, clock.now());
      entry.isOnTrial = false;
      entry.firstContentMs = smooth(entry.firstContentMs, firstContentMs);
      const key = entry.keys.get(keyId);
      if (key !== undefined) key.refusalsInRow = 0;
    },
    recordFailure: () => circuitBreaker.recordFailure(term, clock.now()),
    recordRateLimit() {
      if (getCooldownEnd(entry) > begunAt) endedWithoutVerdict();
      else doubt();
    },
    recordRefusal() {
      const key = getKeyHealth(entry, keyId);
      const own = probeRequests.get(keyId);
      const isAsked = own !== undefined && clock.elapsed() - own.startedAt < PROBE_INTERVAL_MS;
      if (!(isAsked && own.ignoresRefusals)) key.refusalsInRow += 1;
      if (isAsked && own.ignoresRefusals) endedWithoutVerdict();
      else doubt();
      return isAsked || key.refusalsInRow < (entry.isOnTrial ? 1 : REFUSALS_BEFORE_PROBE) ? undefined : ask();
    },
    discard: endedWithoutVerdict,
  };
}

function smooth(before: number | undefined, value: number): number {
  return before === undefined ? value : before + SMOOTHING * (value - before);
}
