/** Opens an upstream session for a waiting client, on the first channel that succeeds. */
import type { Duplex } from 'node:stream';
import { type ClientRequest, planSession, type Target, UpstreamError } from '@switchyard/relay';
import type { VendorTokenCache } from '../../channels/registry/registry.ts';
import type { Metrics, Tracing } from '../../operations/metrics/metrics.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { WebSocket } from '../../platform/outbound/web-socket.ts';
import { type LoggedCall, truncateErrorText } from '../billing/logged-call.ts';
import { recordAttempt } from '../billing/request-telemetry.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { Admission } from '../pipeline/admit-request.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import {
  type Booked,
  book,
  type FailedAttempt,
  type FindChannelParts,
  findChannel,
  noChannelError,
} from '../routing/find-channel-or-explain.ts';
import type { ResolveProxy } from '../routing/proxy-and-end-user-ids.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import {
  type AfterFailureParts,
  canRetry,
  getFirstContentTimeout,
  recordOutcome,
  toFailedAttempt,
} from '../upstream/failure-policy.ts';
import type { RealtimeBilling } from './realtime-billing.ts';
import { type ConnectResult, connectRealtime } from './realtime-connect-attempt.ts';
import type { Message } from './realtime-sockets.ts';

export interface RealtimeOpenParts extends FindChannelParts, AfterFailureParts {
  outbound: Outbound;
  vendorTokens: VendorTokenCache;
  proxyOf: ResolveProxy;
  metrics: Metrics;
  /** Returns the metric label of a model; the number of distinct labels is bounded. */
  modelLabel: (model: string) => string;
  /** Undefined when tracing is off. */
  tracing: Tracing | undefined;
}

/** Admitted realtime session. */
export interface RealtimeCall extends Admission, LoggedCall {
  request: ClientRequest;
  slot: ConcurrencySlot;
}

export interface OpenUpstream {
  booked: Booked;
  /** Address and credentials with which the upstream was called. */
  target: Target;
  upstream: WebSocket;
  connection: Duplex;
  /** Messages that the upstream has already sent. */
  initialMessages: readonly Message[];
}

/** Tries one channel after another while the client's upgrade is unanswered. @throws RelayError */
export async function openUpstream(
  parts: RealtimeOpenParts,
  opening: RealtimeCall,
  billing: RealtimeBilling,
): Promise<OpenUpstream> {
  const { principal } = opening;
  parts.retryBudget.recordRequest(principal.user.id);
  const tried: FailedAttempt[] = [];
  let failure: RelayError | undefined;
  for (let candidate = findChannel(parts, opening, tried); candidate !== undefined; ) {
    const booked = book(parts, principal, candidate);
    const connected = await connect(parts, opening, booked, billing);
    if (connected instanceof RelayError) throw failure ?? connected;
    if (connected.outcome === 'answered') return { ...connected, booked };
    failure = toRealtimeError(opening, connected);
    if (connected.outcome === 'left') break;
    tried.push(toFailedAttempt(parts, candidate, connected.error));
    candidate = nextChannel(parts, opening, connected.error, tried);
  }
  throw failure ?? (await noChannelError(parts, opening));
}

/** @returns the result of the attempt, or the reason why its cost cannot be held */
async function connect(
  parts: RealtimeOpenParts,
  { request, principal, client, log, slot }: RealtimeCall,
  booked: Booked,
  billing: RealtimeBilling,
): Promise<ConnectAttempt | RelayError> {
  try {
    const refusal = await billing.hold(booked);
    if (refusal !== undefined) {
      booked.watch.discard();
      return refusal;
    }
    const startedAt = log.now();
    const connected = await signInAndConnect(parts, booked, { request, principal, client, log, slot });
    if (connected.outcome === 'failed' && connected.error.kind === 'unauthorised')
      parts.vendorTokens.invalidate(booked.key.target);
    recordOutcome(parts, booked, toAttemptResult(connected, log.now()), startedAt);
    recordAttempt(
      parts,
      log,
      { request, ...booked },
      {
        channel_id: booked.channel.id,
        ...(booked.key.hint === '' ? {} : { key_hint: booked.key.hint }),
        upstream_model: booked.upstreamModel,
        status: connected.status,
        started_after: startedAt - log.startedAt,
        duration: log.now() - startedAt,
        outcome: connected.outcome === 'failed' ? connected.error.kind : toAttemptOutcome(connected.outcome),
        message: connected.outcome === 'failed' ? truncateErrorText(connected.error.message) : '',
        why: booked.verdicts,
      },
    );
    return connected;
  } catch (error) {
    booked.watch.discard();
    throw error;
  }
}

type ConnectAttempt =
  | Exclude<ConnectResult, { outcome: 'answered' }>
  | (Extract<ConnectResult, { outcome: 'answered' }> & { target: Target });

async function signInAndConnect(
  parts: RealtimeOpenParts,
  booked: Booked,
  { request, principal, client, log, slot }: Pick<RealtimeCall, 'request' | 'principal' | 'client' | 'log' | 'slot'>,
): Promise<ConnectAttempt> {
  const { vendorTokens, proxyOf } = parts;
  const { channel, key, upstreamModel } = booked;
  try {
    const account = await vendorTokens.signIn(key.target, channel.proxy);
    const target = { ...account, model: upstreamModel };
    const call = planSession(request, target);
    const proxy = proxyOf(channel, principal);
    const withinMs = getFirstContentTimeout(parts, log);
    const connected = await connectRealtime(parts, booked, proxy, call, { client, slot }, withinMs);
    return connected.outcome === 'answered' ? { ...connected, target } : connected;
  } catch (error) {
    if (error instanceof UpstreamError) return { outcome: 'failed', status: error.status, error };
    throw error;
  }
}

const toAttemptOutcome = (outcome: 'answered' | 'left') => (outcome === 'answered' ? outcome : 'abandoned');

function nextChannel(
  parts: RealtimeOpenParts,
  opening: RealtimeCall,
  error: UpstreamError,
  tried: readonly FailedAttempt[],
): Candidate | undefined {
  const candidate = findChannel(parts, opening, tried);
  if (candidate === undefined) return undefined;
  const isOtherKey = candidate.channel.id === tried.at(-1)?.channel.id;
  return canRetry(parts, opening.principal.user.id, error, opening.log, isOtherKey) ? candidate : undefined;
}

function toRealtimeError(
  { client }: RealtimeCall,
  connected: Exclude<ConnectResult, { outcome: 'answered' }>,
): RelayError {
  return client.stopReason ?? createClientError({ ...connected, ...emptyResult });
}

function toAttemptResult(connected: ConnectResult, now: number): Parameters<typeof recordOutcome>[2] {
  if (connected.outcome !== 'answered') return { ...connected, ...emptyResult };
  const last = { contentType: '', body: Buffer.alloc(0) };
  return { outcome: 'answered', last, status: connected.status, ...emptyResult, firstContentAt: now };
}

const emptyResult = { meter: undefined, isDelivered: false, firstContentAt: 0, unsupportedFields: [] };
