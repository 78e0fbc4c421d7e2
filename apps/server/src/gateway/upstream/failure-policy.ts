/** Effects of a failed attempt on the channel and on the next attempt. */
import type { Settings } from '@switchyard/contract/operations/settings';
import { type ClientRequest, type UpstreamError, usesVendorTools } from '@switchyard/relay';
import type { AttemptCounter } from '../../channels/attempt-stats/attempt-stats.ts';
import {
  type ChannelHealth,
  isAccountError,
  isUnusableAccountError,
  type ProbeResult,
} from '../../channels/registry/registry.ts';
import { type Log, runInBackground } from '../../platform/log.ts';
import type { RequestLog } from '../billing/logged-call.ts';
import { type AttemptResult, isOutputRefused } from '../http/attempt-result-and-errors.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import { type Booked, type FailedAttempt, toAttemptKey } from '../routing/find-channel-or-explain.ts';
import type { RetryBudget } from '../routing/retry-budget.ts';
import { neverConnected } from './create-client-error.ts';

export interface AfterFailureParts {
  health: ChannelHealth;
  attemptCounts: AttemptCounter;
  retryBudget: RetryBudget;
  log: Log;
  readonly settings: Settings;
  /**
   * Disables a key until an administrator or a successful test enables it, if the gateway's own test request fails in
   * the same way.
   */
  disableIfConfirmed(
    channelId: number,
    refusal: { keyId: string; model: string; error: UpstreamError },
    isFatal: (error: UpstreamError) => boolean,
  ): Promise<ProbeResult>;
}

/** Bounds for a vendor's `Retry-After`; the minimum applies even if the operator disables cooldowns. */
const COOLDOWN_MIN_MS = 1_000;
const COOLDOWN_MAX_MS = 30 * 60_000;
const FAILURES_TO_COOLDOWN = 2;

type AttemptedRequest = Pick<RequestLog, 'startedAt' | 'now' | 'attempts'>;

/**
 * Returns whether another attempt is allowed. A request that is itself at fault, or whose response is too large, is not
 * retried. Retries come out of a budget, except after an attempt that sent nothing, and for another key after the key's
 * own failure, since that key is then in cooldown.
 */
export function canRetry(
  parts: AfterFailureParts,
  userId: number,
  error: UpstreamError,
  log: AttemptedRequest,
  isOtherKey: boolean,
): boolean {
  if (error.kind === 'rejected' || error.isTooLarge || getFirstContentTimeout(parts, log) <= 0) return false;
  return error.kind === 'untranslatable' || isOtherKey || parts.retryBudget.tryConsume(userId);
}

/** Statuses of a gateway in front of the vendor (also Cloudflare) that forwarded the request and got no response. */
const gatewayTimeoutStatuses: ReadonlySet<number> = new Set([408, 502, 504, 520, 524]);

/**
 * Returns whether a failed task submission may have been accepted all the same: sending it to another provider would
 * duplicate it.
 */
export function mayHaveBeenAccepted({ kind, status, cause }: UpstreamError): boolean {
  if (kind === 'untranslatable') return false;
  if (status === 0) return !neverConnected(cause);
  return gatewayTimeoutStatuses.has(status) || (status < 400 && (kind === 'garbled' || kind === 'unreachable'));
}

/**
 * Returns whether tools at the vendor may have run, and may have delivered what neither the client nor the gateway has
 * received. The request is charged then, and not sent again: the tools would run twice.
 */
export function mayHaveRunTools(
  { request }: { request: Pick<ClientRequest, 'json'> },
  { mayBeBilled }: Pick<AttemptResult, 'mayBeBilled'>,
): boolean {
  return mayBeBilled === true && usesVendorTools(request.json);
}

/** Returns a failed attempt, for the selection of the next. */
export function toFailedAttempt(parts: AfterFailureParts, candidate: Candidate, error: UpstreamError): FailedAttempt {
  return { ...candidate, isKeyFailure: isKeyFailure(parts, error) };
}

/**
 * Returns whether the account's limit, credit or permission is at fault, so that another account of the channel may
 * succeed.
 */
function isKeyFailure(parts: AfterFailureParts, error: UpstreamError): boolean {
  return error.kind === 'rate-limited' || isUnusableAccountError(parts.settings, error);
}

/** Returns the milliseconds within which the next attempt must receive its first content. */
export function getFirstContentTimeout(
  { settings }: Pick<AfterFailureParts, 'settings'>,
  log: AttemptedRequest,
): number {
  if (log.attempts.length === 0) return Number.POSITIVE_INFINITY;
  return log.startedAt + settings.retrySeconds * 1_000 - log.now();
}

/**
 * Records the outcome of an attempt in the channel's health and history. Client errors and disconnects are not
 * counted.
 * @param startedAt start of the attempt, by the `now` of the request's log
 * @returns the result, with whose fault a failure is
 */
export function recordOutcome(
  parts: AfterFailureParts,
  booked: Booked,
  result: AttemptResult,
  startedAt: number,
): AttemptResult {
  const { watch, channel, model } = booked;
  if (result.outcome === 'failed') {
    const isUsersFault = !recordFailure(parts, booked, result.error);
    parts.attemptCounts.countFailure(channel, model, result.error.kind);
    return isUsersFault ? { ...result, isUsersFault } : result;
  }
  if (result.outcome === 'answered' || result.firstContentAt > 0) {
    const firstContentMs = result.firstContentAt > 0 ? result.firstContentAt - startedAt : 0;
    watch.recordSuccess(firstContentMs);
    parts.attemptCounts.countSuccess(channel, model, firstContentMs);
  } else watch.discard();
  return result;
}

/** @returns false if the channel fails for this user's requests only */
function recordFailure(parts: AfterFailureParts, booked: Booked, error: UpstreamError): boolean {
  const { health, settings } = parts;
  const { channel, model, watch } = booked;
  const isFatal = (failure: UpstreamError): boolean => isUnusableAccountError(settings, failure);
  const restMs = settings.retryCooldownSeconds * 1000;
  const key = toAttemptKey(booked);
  if (settings.automaticDisableChannel && isFatal(error)) recordRefusal(parts, booked, error, isFatal);
  else if (error.kind === 'rejected' || error.kind === 'untranslatable' || isOutputRefused(error)) watch.discard();
  else if (error.kind === 'rate-limited') watch.recordRateLimit();
  else if (isAccountError(error) && (key.all.length > 1 || error.retryAfterMs !== undefined)) {
    if (!watch.recordAccountError()) return false;
    health.startCooldown(channel.id, model, Math.max(clampCooldown(restMs), error.retryAfterMs ?? 0), key);
  } else {
    if (!watch.recordFailure()) return false;
    // A single failure must not move every conversation to a channel with a cold prompt cache.
    if (health.get(channel.id, model).failuresInRow >= FAILURES_TO_COOLDOWN)
      health.startCooldown(channel.id, model, restMs);
  }
  if (error.kind === 'rate-limited')
    health.startCooldown(channel.id, model, clampCooldown(restMs, error.retryAfterMs), key);
  return true;
}

/** Tests the account when a test is due, and disables the key if the account is unusable. */
function recordRefusal(
  parts: AfterFailureParts,
  { channel, key, model, watch }: Booked,
  error: UpstreamError,
  isFatal: (error: UpstreamError) => boolean,
): void {
  const recordDecision = watch.recordRefusal();
  if (recordDecision === undefined) return;
  runInBackground(parts.log, 'test a channel that rejected a request', async () => {
    recordDecision(await parts.disableIfConfirmed(channel.id, { keyId: key.id, model, error }, isFatal));
  });
}

/**
 * Returns a cooldown within the bounds: without `Retry-After`, or with one in the past, every request would call the
 * vendor again at once.
 */
function clampCooldown(cooldownMs: number, retryAfterMs = 0): number {
  return Math.min(Math.max(cooldownMs, retryAfterMs, COOLDOWN_MIN_MS), COOLDOWN_MAX_MS);
}
