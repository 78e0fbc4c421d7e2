/**
 * Limits requests that end before anything is delivered because their client disconnects, their content or response is
 * refused, their response takes too long or their user's share of the memory is used up: they cost the user nothing,
 * but the operator may have paid for them. A user with too many of them within a minute is refused for a minute, on
 * all nodes.
 */
import { createBoundedMap } from '../../platform/caches.ts';
import type { Clock } from '../../platform/clock.ts';
import { formatRetryAdvice } from '../../platform/http/app-error.ts';
import { type SharedLimits, unsharedLimits } from '../../platform/limits/shared-limits.ts';
import { type AttemptResult, isBilledRefusal } from '../http/attempt-result-and-errors.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import { UserMemoryError } from './memory-budget.ts';

export interface UnpaidRequestLimit {
  /** Counts a request that ended without a charge because of the user. */
  record(userId: number): void;
  /** Counts a request that ended without a charge, unless the provider or the gateway is at fault. */
  recordUnpaid(call: UnpaidCall, result: AttemptResult): void;
  /** @throws RelayError `rate_limit_exceeded` */
  check(userId: number): void;
}

const PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const USERS_MAX = 100_000;
/** A stream without content for this long is the provider's fault. Non-streaming responses may take longer. */
const SILENCE_MS = 30_000;
/** The same of a model that is silent while it reasons, which is billed. */
const SILENT_WORK_MS = 300_000;
/** Answered calls of a joined request that failed, which count as one request. */
const CALLS_PER_REQUEST = 64;

/**
 * Returns whether the client abandoned a request that the provider may bill. An error response is not billed. Stalled
 * streams don't count either, since a slow provider could otherwise lock the accounts of all its callers.
 * @param attemptMs time since the last attempt began, so that a slowly sent body doesn't excuse the client
 */
export function isAbandoned(
  { outcome, status, isSilentWork }: Pick<AttemptResult, 'outcome' | 'status' | 'isSilentWork'>,
  { isStream, attemptMs }: { isStream: boolean; attemptMs: number },
): boolean {
  const isError = status !== 0 && (status < 200 || status >= 300);
  const silenceMs = isSilentWork === true ? SILENT_WORK_MS : SILENCE_MS;
  return outcome === 'left' && !isError && !(isStream && attemptMs >= silenceMs);
}

interface UnpaidCall {
  client: Pick<ClientResponse, 'stopReason'>;
  principal: { user: { id: number } };
  request: { facts: { stream: boolean } };
  /** Milliseconds that each attempt took. */
  log: { attempts: readonly { duration: number }[] };
}

interface Count {
  /** `clock.elapsed()` in milliseconds. */
  since: number;
  requests: number;
  refusedUntil: number;
}

/** Text by which a node reports to the others that a user is refused. */
const formatRefusal = (userId: number): string => `abandoned ${userId}`;
const parseRefusal = (text: string): number => Number(/^abandoned (\d+)$/.exec(text)?.[1]);

export function createUnpaidRequestLimit(
  clock: Clock,
  shared: Pick<SharedLimits, 'isUp' | 'countInWindow' | 'publishText' | 'subscribeToTexts'> = unsharedLimits,
): UnpaidRequestLimit {
  const counts = createBoundedMap<number, Count>(USERS_MAX);
  const currentCount = (userId: number): Count => {
    const now = clock.elapsed();
    const known = counts.get(userId);
    if (known !== undefined && now - known.since < MINUTE_MS) return known;
    const count = { since: now, requests: 0, refusedUntil: known?.refusedUntil ?? 0 };
    counts.set(userId, count);
    return count;
  };
  const refuse = (userId: number, forMs: number): void => {
    const count = currentCount(userId);
    count.refusedUntil = Math.max(count.refusedUntil, clock.elapsed() + forMs);
  };
  const countOnAllNodes = async (userId: number): Promise<void> => {
    const known = await shared.countInWindow(formatRefusal(userId), MINUTE_MS, 1);
    if ((known?.count ?? 0) < PER_MINUTE) return;
    refuse(userId, MINUTE_MS);
    shared.publishText(formatRefusal(userId), MINUTE_MS);
  };
  shared.subscribeToTexts((text, forMs) => {
    const userId = parseRefusal(text);
    if (userId > 0) refuse(userId, forMs);
  });
  const record = (userId: number): void => {
    const count = currentCount(userId);
    count.requests += 1;
    if (count.requests >= PER_MINUTE) refuse(userId, MINUTE_MS);
    if (shared.isUp === true) void countOnAllNodes(userId);
  };
  return {
    record,
    recordUnpaid({ client, principal, request, log }, result) {
      const { stopReason } = client;
      // A gateway with too little memory must not lock the account as well.
      const isOverloaded = stopReason?.code === 'overloaded' && !(stopReason instanceof UserMemoryError);
      if (result.mayBeBilled !== true || isOverloaded) return;
      const attemptMs = log.attempts.at(-1)?.duration ?? 0;
      const isUsersDoing =
        isBilledRefusal(result) ||
        result.isUsersFault === true ||
        isAbandoned(result, { isStream: request.facts.stream, attemptMs });
      const requests = isUsersDoing ? Math.ceil((result.unpaidCalls ?? 1) / CALLS_PER_REQUEST) : 0;
      for (let nth = 0; nth < requests; nth += 1) record(principal.user.id);
    },
    check(userId) {
      if (counts.size === 0) return;
      const waitMs = (counts.get(userId)?.refusedUntil ?? 0) - clock.elapsed();
      if (waitMs <= 0) return;
      const seconds = Math.ceil(waitMs / 1000);
      const limit = `You have reached the limit of ${PER_MINUTE} failed requests per minute`;
      const counted = 'canceled, blocked, too large or too slow, or without usable output';
      throw new RelayError('rate_limit_exceeded', `${limit} (${counted}). ${formatRetryAdvice(seconds)}`, {
        retryAfterSeconds: seconds,
      });
    },
  };
}
