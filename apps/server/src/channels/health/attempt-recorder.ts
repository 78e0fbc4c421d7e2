/** Applies an attempt's outcome to its channel and model. */
import type { Clock } from '../../platform/clock.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** Outcome of an attempt; exactly one of these methods must be called. */
export interface AttemptRecorder {
  recordSuccess(firstContentMs: number): void;
  /**
   * Records a failure of the channel. While the channel serves other users, only the first of a user's failures counts:
   * a request can make a channel fail, and must not take it from others.
   * @returns false if the failure doesn't count
   */
  recordFailure(): boolean;
  /**
   * Records a rate limit of the key. It counts as a failure of the channel only if no other key is available, the
   * cooldown had not yet begun when the attempt began, and rate limits continue after each cooldown.
   */
  recordRateLimit(): void;
  /**
   * Records an error of the key's account like a rate limit. A single user's content may cause it, so that it counts
   * only if a failure would.
   * @returns false if it doesn't count
   */
  recordAccountError(): boolean;
  /**
   * Records a refusal of the key or account. A single client's content may cause it, so two in a row trigger a probe
   * request of the gateway; until its result the key is in cooldown, and for a minute after a success refusals are
   * ignored.
   * @returns a callback for the probe's result, if a probe must be sent now
   */
  recordRefusal(): ((found: ProbeResult) => void) | undefined;
  /** Ends the attempt without a verdict: the client was at fault, or disconnected. */
  discard(): void;
}

/** Outcome of a probe request: refused in the same way, succeeded, or inconclusive. */
export type ProbeResult = 'refused' | 'answered' | 'unknown';

export interface HealthEntry {
  channelId: number;
  model: string;
  circuitBreaker: CircuitBreaker;
  /** UTC ms. */
  cooldownUntil: number;
  firstContentMs: number | undefined;
  /** Last success, and the last one of another user before it. */
  successes: readonly UserOutcome[];
  /** Last failure that counted. */
  lastFailure: UserOutcome | undefined;
  /** Other model that produced the last response, as reported by the vendor; empty for none. */
  servedModel: string;
  /** State of the channel's keys by their ids; keys without a state are absent. */
  keys: Map<string, KeyHealth>;
  /** Ids of the channel's keys at the last attempt. */
  keyIds: readonly string[];
  /** True after the channel was re-enabled without a test: the first refusal triggers a probe. */
  isOnTrial: boolean;
}

interface UserOutcome {
  /** Undefined for the gateway's own requests. */
  userId: number | undefined;
  /** UTC ms. */
  at: number;
}

export interface KeyHealth {
  /** UTC ms. */
  cooldownUntil: number;
  refusalsInRow: number;
}

/** Returns the UTC ms until which the channel, or every key of it, is in cooldown. */
export function getCooldownEnd({ cooldownUntil, keys, keyIds }: HealthEntry): number {
  const untils = keyIds.map((id) => keys.get(id)?.cooldownUntil ?? 0);
  return untils.length === 0 ? cooldownUntil : Math.max(cooldownUntil, Math.min(...untils));
}

export function getKeyHealth({ keys }: HealthEntry, keyId: string): KeyHealth {
  const known = keys.get(keyId) ?? { cooldownUntil: 0, refusalsInRow: 0 };
  keys.set(keyId, known);
  return known;
}

/** Last probe request of a key. */
export interface ProbeRequest {
  /** `clock.elapsed()` at its start. */
  startedAt: number;
  /** True while it is running, or after a success: refusals of clients' requests are ignored for now. */
  ignoresRefusals: boolean;
}

interface RecorderOptions {
  clock: Clock;
  entry: HealthEntry;
  keyId: string;
  userId: number | undefined;
  /** Probe requests of the channel, by key. */
  probeRequests: Map<string, ProbeRequest>;
  /** Called when the entry may be empty. */
  forgetUntried: () => void;
}

const REFUSALS_BEFORE_PROBE = 2;
/** Limits probes: a client whose content is refused repeatedly must not trigger one each time. */
const PROBE_INTERVAL_MS = 60_000;
/** Time for which a success of another user shows that a channel works. */
const WORKS_MS = 10_000;
/** Weight of the newest response. */
const SMOOTHING = 0.2;

export function createAttemptRecorder({
  clock,
  entry,
  keyId,
  userId,
  probeRequests,
  forgetUntried,
}: RecorderOptions): AttemptRecorder {
  const { circuitBreaker } = entry;
  const begunAt = clock.now();
  const term = circuitBreaker.beginAttempt(begunAt);

  const endedWithoutVerdict = (): void => {
    circuitBreaker.discardAttempt(term);
    // Otherwise unknown model names could evict the state of real ones.
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

  /** Notes a failure of this user, and returns whether it counts against the channel. */
  const countFailure = (): boolean => {
    const now = clock.now();
    const isRecent = ({ at }: UserOutcome): boolean => now - at < WORKS_MS;
    const { lastFailure, successes } = entry;
    const isRepeated = lastFailure !== undefined && lastFailure.userId === userId && isRecent(lastFailure);
    if (isRepeated && successes.some((success) => success.userId !== userId && isRecent(success))) {
      endedWithoutVerdict();
      return false;
    }
    entry.lastFailure = { userId, at: now };
    return true;
  };

  const recordRateLimit = (): void => {
    if (getCooldownEnd(entry) > begunAt) endedWithoutVerdict();
    else doubt();
  };

  return {
    recordSuccess(firstContentMs) {
      circuitBreaker.recordSuccess(term, clock.now());
      entry.isOnTrial = false;
      const other = entry.successes.find((success) => success.userId !== userId);
      entry.successes = [{ userId, at: clock.now() }, ...(other === undefined ? [] : [other])];
      entry.firstContentMs = smooth(entry.firstContentMs, firstContentMs);
      const key = entry.keys.get(keyId);
      if (key !== undefined) key.refusalsInRow = 0;
    },
    recordFailure() {
      if (!countFailure()) return false;
      circuitBreaker.recordFailure(term, clock.now());
      return true;
    },
    recordRateLimit,
    recordAccountError() {
      if (!countFailure()) return false;
      recordRateLimit();
      return true;
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
