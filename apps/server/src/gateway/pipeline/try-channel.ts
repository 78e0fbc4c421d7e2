/** One attempt on one channel: plans the upstream call, makes it, and records its result. */
import type { Attempt } from '@switchyard/contract/usage/usage-records';
import {
  type ClientRequest,
  type Exchange,
  InvalidRequestError,
  isDifferentModel,
  planExchange,
  type ResponseChanges,
  readsExternalContent,
  UpstreamError,
  usesVendorTools,
} from '@switchyard/relay';
import type { Artifacts } from '../../artifacts/artifacts.ts';
import { formatTraceparent, type Metrics, newSpanId, type Tracing } from '../../operations/metrics/metrics.ts';
import { type RequestLog, truncateErrorText } from '../billing/logged-call.ts';
import { recordAttempt } from '../billing/request-telemetry.ts';
import type { AttemptResult } from '../http/attempt-result-and-errors.ts';
import type { ClientResponse } from '../http/client-response.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { HeldBytes } from '../limits/memory-budget.ts';
import { isLongRequest, runPaced } from '../limits/paced-executor.ts';
import type { Booked } from '../routing/find-channel-or-explain.ts';
import type { CreateScopeUserId } from '../routing/proxy-and-end-user-ids.ts';
import { isChannelAdministrator, type Principal } from '../snapshot/authenticate-api-key.ts';
import { runAttempt } from '../upstream/attempt.ts';
import { type DrainBudget, isKnownToHide } from '../upstream/drain-after-disconnect.ts';
import { type AfterFailureParts, getFirstContentTimeout, recordOutcome } from '../upstream/failure-policy.ts';
import { createJoiningPool } from '../upstream/parallel-calls.ts';
import { createReplayPool, type UpstreamPool, type VendorResponse } from '../upstream/upstream-and-replay-pool.ts';
import { type CheckContentParts, createResponseCheck } from './check-content.ts';
import { sendRefusal } from './send-response.ts';

export interface TryChannelParts extends AfterFailureParts, CheckContentParts {
  drainBudget: DrainBudget;
  artifactStore: Artifacts;
  endUserIdsOf: CreateScopeUserId;
  metrics: Metrics;
  /** Returns the metric label of a model; the number of distinct labels is bounded. */
  modelLabel: (model: string) => string;
  /** Undefined when tracing is off. */
  tracing: Tracing | undefined;
}

interface AttemptCall {
  requestId: string;
  request: ClientRequest;
  principal: Principal;
  client: ClientResponse;
  log: RequestLog;
  slot: ConcurrencySlot;
  /** Provider's response to a batch line, which needs no further call. */
  vendorResponse?: VendorResponse | undefined;
}

export async function tryChannel(parts: TryChannelParts, trying: AttemptCall, booked: Booked): Promise<AttemptResult> {
  const { channel, key, upstreamModel, model, verdicts } = booked;
  const { request, principal, client, log } = trying;
  const startedAt = log.now();
  if (isChannelAdministrator(parts, principal)) client.header('x-switchyard-channel', String(channel.id));
  if (model !== request.facts.model) client.header('x-switchyard-model', model);
  const ended = await planAndAttempt(parts, trying, booked).catch((error: unknown) => {
    booked.watch.discard();
    throw error;
  });
  if (ended.outcome === 'failed' && ended.error.kind === 'unauthorised') parts.vendorTokens.invalidate(key.target);
  const isOwn = trying.vendorResponse === undefined;
  if (!isOwn) booked.watch.discard();
  const result = isOwn ? recordOutcome(parts, booked, ended, startedAt) : ended;
  reportDroppedFields(trying, [...log.dropped, ...result.unsupportedFields]);
  if (result.meter !== undefined) parts.drainBudget.recordUsage(channel.id, upstreamModel, request, result.meter);
  const served = detectOtherModel(request.facts.model, upstreamModel, result.meter?.servedModel);
  if (result.outcome === 'answered') parts.health.recordServedModel(channel.id, model, served.served_model ?? '');
  log.keyId = key.id;
  recordAttempt(
    parts,
    log,
    { request, channel, model },
    {
      channel_id: channel.id,
      ...(key.hint === '' ? {} : { key_hint: key.hint }),
      upstream_model: upstreamModel,
      ...served,
      status: result.status,
      started_after: startedAt - log.startedAt,
      duration: log.now() - startedAt,
      outcome: toAttemptOutcome(result, client),
      message: result.outcome === 'failed' ? truncateErrorText(result.error.message) : '',
      why: verdicts,
    },
  );
  return result;
}

async function planAndAttempt(parts: TryChannelParts, trying: AttemptCall, candidate: Booked): Promise<AttemptResult> {
  const { request, principal, client, log, slot } = trying;
  const { pool, deadlines, clock, drainBudget, proxyOf, tracing } = parts;
  const { channel, key, upstreamModel } = candidate;
  const { options } = key.target;
  const exchange = await planExchangeFor(parts, trying, candidate, {
    check: createResponseCheck(parts, trying),
    storeImage: parts.artifactStore.getStoreImage(principal.user.id),
  });
  if (exchange instanceof UpstreamError) return createUnsentResult(exchange);
  reportDroppedFields(trying, exchange.dropped);
  if (log.trace !== undefined && tracing?.shouldPropagateTo(exchange.url) === true) {
    log.attemptSpanId = newSpanId();
    exchange.headers.push('traceparent', formatTraceparent(log.trace, log.attemptSpanId));
  }
  const { stream } = request.facts;
  let answeredCalls = 0;
  const result = await runAttempt({
    exchange,
    stream,
    proxy: proxyOf(channel, principal),
    client,
    pool: selectPool(pool, trying, exchange, () => {
      answeredCalls += 1;
    }),
    deadlines,
    limits: channel.deadlines,
    startDrain: (meter) =>
      drainBudget.startDrain({ userId: principal.user.id, request, channel, options, upstreamModel, exchange }, meter),
    mayReachClientOtherwise: () => usesVendorTools(request.json),
    sendRefusal: (refusal) => sendRefusal(trying, refusal),
    beginWithinMs: getFirstContentTimeout(parts, log),
    slot,
    clock,
    now: () => log.now(),
    scheduler: parts.scheduler,
    runSpaced: (work) => parts.pacedExecutor.run(principal.user.id, work),
    confirmHolds: () => parts.ledger.confirmHolds(),
    onDelivery: (meter, firstContentAt) => {
      log.delivery = { candidate, meter, firstContentAt };
    },
  });
  if (result.outcome === 'left')
    return { ...result, isSilentWork: isKnownToHide({ request, upstreamModel, exchange }, result.meter) };
  if (result.outcome !== 'failed' || answeredCalls === 0) return result;
  return { ...result, mayBeBilled: true, isUsersFault: true, unpaidCalls: answeredCalls };
}

/** Returns the result of an attempt that failed before its request was sent. */
function createUnsentResult(error: UpstreamError): AttemptResult {
  return {
    outcome: 'failed',
    error,
    status: 0,
    meter: undefined,
    isDelivered: false,
    firstContentAt: 0,
    unsupportedFields: [],
  };
}

/** Reports the fields that the channel did not get, in the record and, before the head is sent, in a header. */
export function reportDroppedFields(
  { client, log }: Pick<AttemptCall, 'client' | 'log'>,
  dropped: readonly string[],
): void {
  log.dropped = [...new Set(dropped)];
  if (dropped.length > 0 && !client.hasSentHead) client.header('x-switchyard-dropped', log.dropped.join(', '));
}

function selectPool(
  pool: UpstreamPool,
  { vendorResponse, slot, client }: AttemptCall,
  { calls }: Exchange,
  onAnswered: () => void,
): Pick<UpstreamPool, 'dispatch'> {
  if (vendorResponse !== undefined) return createReplayPool(vendorResponse);
  if (calls === undefined) return pool;
  return createJoiningPool(pool, calls, new HeldBytes(slot, (refusal) => client.stop(refusal)), onAnswered);
}

async function planExchangeFor(
  { vendorTokens, pacedExecutor, endUserIdsOf }: TryChannelParts,
  { request, principal, vendorResponse }: AttemptCall,
  { channel, key: { target }, upstreamModel: model, imageTool }: Booked,
  changes: ResponseChanges,
): Promise<Exchange | UpstreamError> {
  try {
    const account = await vendorTokens.signIn(target, channel.proxy);
    const scopeUserId = endUserIdsOf(principal);
    const plan = (): Exchange => {
      // A client that disconnects needs this at once, and then it is cached.
      if (isLongRequest(request)) readsExternalContent(request.json);
      const whole = { ...account, model, imageToolModel: imageTool?.upstreamModel, scopeUserId };
      return planExchange(request, whole, changes);
    };
    const exchange = await runPaced(pacedExecutor, principal.user.id, request, plan);
    // A line of a batch was checked before its vendor got it, and is owed now.
    const isOwed = vendorResponse !== undefined;
    if (!isOwed && principal.key?.rejectsDroppedFields === true) rejectDroppedFields(exchange.dropped);
    return exchange;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    if (error instanceof InvalidRequestError)
      return new UpstreamError('untranslatable', error.message, { status: 0, cause: error });
    throw error;
  }
}

/** @throws InvalidRequestError */
export function rejectDroppedFields(dropped: readonly string[]): void {
  if (dropped.length === 0) return;
  const lost = `This model’s provider does not support ${dropped.join(', ')}`;
  const remedy = 'Remove these fields, or allow lossy translation for the token.';
  throw new InvalidRequestError(`${lost}, and this token rejects lossy translation. ${remedy}`, dropped[0]);
}

function toAttemptOutcome(result: AttemptResult, client: ClientResponse): Attempt['outcome'] {
  if (result.outcome === 'answered') return 'answered';
  if (result.outcome === 'left') return 'abandoned';
  return client.isDelivering ? 'cut' : result.error.kind;
}

/**
 * Returns the served model if it differs from both the requested and the upstream model: an operator's own name, such
 * as a deployment's, may stand for any model.
 */
function detectOtherModel(asked: string, atVendor: string, served: string | undefined): { served_model?: string } {
  const isOther = served !== undefined && [asked, atVendor].every((name) => isDifferentModel(name, served));
  return isOther ? { served_model: served } : {};
}
