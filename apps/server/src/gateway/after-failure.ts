/** What a failed attempt means for the channel, for the next attempt, and for the client. */
import type { UpstreamError } from '@switchyard/relay';
import { type AttemptWatch, isAccountError } from '../features/channels/channels.ts';
import type { Clock } from '../platform/clock.ts';
import { inBackground } from '../platform/log.ts';
import type { AttemptResult } from './attempt.ts';
import type { Candidate } from './choose-channel.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { RelayError } from './relay-error.ts';
import type { RequestLog } from './settlement.ts';

/** A vendor's `Retry-After` is honoured up to this. */
const REST_MAX_MS = 30 * 60_000;
/** All attempts of one request together, before anything was delivered; a first one alone may take longer. */
const ATTEMPTS_MS_MAX = 90_000;

type Attempted = Pick<RequestLog, 'startedAt' | 'attempts'>;

/** Another channel may do better unless the request itself is at fault; retries are a share of the live traffic. */
export function mayRetry({ clock, retries }: GatewayParts, error: UpstreamError, log: Attempted): boolean {
  return error.kind !== 'rejected' && msToBegin(clock, log) > 0 && retries.take();
}

/** In which the next attempt must bring its first content. */
export function msToBegin(clock: Clock, { startedAt, attempts }: Attempted): number {
  return attempts.length === 0 ? Number.POSITIVE_INFINITY : startedAt + ATTEMPTS_MS_MAX - clock.now();
}

/**
 * Tells the channel's health how an attempt went. A client's own mistakes, and its leaving, say nothing of it.
 * @param startedAt of the attempt, UTC ms
 */
export function noteOutcome(watch: AttemptWatch, result: AttemptResult, startedAt: number): void {
  if (result.outcome === 'failed') {
    const { kind, retryAfterMs } = result.error;
    const isLimited = kind === 'rate-limited' && retryAfterMs !== undefined;
    if (kind === 'rejected' || isLimited) watch.endedWithoutVerdict();
    else watch.failed();
  } else if (result.firstContentAt > 0) watch.answered(result.firstContentAt - startedAt);
  else if (result.outcome === 'answered') watch.answered(0);
  else watch.endedWithoutVerdict();
}

/** Lets the channel rest, and takes it out when its account is confirmed to be unusable. */
export function noteFailure(parts: GatewayParts, { channel, model }: Candidate, error: UpstreamError): void {
  const isFatal = (error: UpstreamError): boolean => isAccountError(error) || matchesKeyword(parts, error);
  if (error.kind === 'rejected' && !isFatal(error)) return;
  const restMs = Math.min(error.retryAfterMs ?? parts.settings.retryCooldownSeconds * 1000, REST_MAX_MS);
  if (restMs > 0) parts.health.rest(channel.id, model, restMs);
  if (!isFatal(error) || !parts.settings.automaticDisableChannel) return;
  if (!parts.health.accountFailed(channel.id)) return;
  const reason = `${error.kind} (HTTP ${error.status}): ${error.message}`;
  inBackground(parts.log, 'disable channel', () => parts.disableIfConfirmed(channel.id, reason, isFatal));
}

function matchesKeyword(parts: GatewayParts, error: UpstreamError): boolean {
  const keywords = parts.settings.disableChannelKeywords;
  if (keywords === '') return false;
  const message = error.message.toLowerCase();
  return keywords
    .split('\n')
    .some((line) => line.trim() !== '' && message.includes(line.trim().toLowerCase()));
}

/** What the client is told. An upstream's 401 or 402 is our account's trouble and never looks like the client's. */
export function errorAfter(result: Exclude<AttemptResult, { outcome: 'answered' }>): RelayError {
  if (result.outcome === 'left') return new RelayError('client_left', 'The client closed the connection.');
  const { error } = result;
  switch (error.kind) {
    case 'rejected':
      return new RelayError('upstream_rejected', error.message, {
        status: clientStatus(error.status),
        cause: error,
      });
    case 'rate-limited':
      return new RelayError(
        'upstream_saturated',
        'All channels for this model are at their limit. Try again later.',
        {
          retryAfterSeconds: Math.ceil((error.retryAfterMs ?? 1_000) / 1000),
          cause: error,
        },
      );
    case 'unauthorised':
    case 'out-of-credit':
      return new RelayError('upstream_error', 'No channel for this model can be used at the moment.', {
        status: 503,
        cause: error,
      });
    case 'unreachable':
      return new RelayError('upstream_error', 'The upstream did not answer in time.', {
        status: 504,
        cause: error,
      });
    case 'overloaded':
    case 'garbled':
      return new RelayError('upstream_error', 'The upstream failed to answer.', {
        status: 502,
        cause: error,
      });
  }
}

function clientStatus(status: number): number {
  return status >= 400 && status < 500 && status !== 401 && status !== 402 && status !== 403 ? status : 400;
}
