/**
 * Counts the tokens of a chat request. The channel that would serve the request is asked if its provider can count,
 * which is free there; else the tokens are counted locally. Counting is rate limited like any request, and never
 * charged.
 */
import {
  type ClientRequest,
  encodeTokenCount,
  type Meter,
  planTokenCount,
  readTokenizerInput,
  UpstreamError,
} from '@switchyard/relay';
import type { VendorTokenCache } from '../../channels/registry/registry.ts';
import type { Log } from '../../platform/log.ts';
import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { createRequestLog, type RecordRequestParts, recordRequest } from '../billing/request-telemetry.ts';
import type { TokenCounter } from '../billing/token-counter.ts';
import { sendLimitHeaders } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencyLimiter, ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { FairScheduler } from '../limits/fair-scheduler.ts';
import { runPaced } from '../limits/paced-executor.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitParts, admitAndAcquire, admitRequest } from '../pipeline/admit-request.ts';
import { type ReadClientRequestParts, readClientRequest } from '../pipeline/read-client-request.ts';
import type { Inbound } from '../pipeline/relayed-call-stages.ts';
import { sendError } from '../pipeline/send-response.ts';
import type { StoredResponses } from '../responses-api/conversation-state.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import { type FindChannelParts, findChannel, noChannelError } from '../routing/find-channel-or-explain.ts';
import type { ResolveProxy } from '../routing/proxy-and-end-user-ids.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { runAttempt } from '../upstream/attempt.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import type { UpstreamPool } from '../upstream/upstream-and-replay-pool.ts';

export interface TokenCountEndpointParts
  extends AdmitParts,
    ReadClientRequestParts,
    FindChannelParts,
    RecordRequestParts {
  concurrencyLimiter: ConcurrencyLimiter;
  overload: OverloadMonitor;
  pool: UpstreamPool;
  vendorTokens: VendorTokenCache;
  proxyOf: ResolveProxy;
  deadlines: Deadlines;
  scheduler: FairScheduler;
  tokens: TokenCounter;
  responses: StoredResponses;
  log: Log;
}

const CONTENT_TYPE = 'application/json; charset=utf-8';
const COUNT = 'count_tokens';
/** The client waits for the count before it sends its request. */
const VENDOR_MS_MAX = 10_000;

/** Responds in every case; never rejects. */
export async function countRequestTokens(parts: TokenCountEndpointParts, inbound: Inbound): Promise<void> {
  const { client, address } = inbound;
  const log = createRequestLog(parts, inbound.message);
  let refusal: RelayError | undefined;
  let slot: ConcurrencySlot | undefined;
  try {
    refuseOverloaded(parts.overload);
    const principal = await inbound.identify();
    const entered = await admitAndAcquire(parts, principal, address);
    ({ slot } = entered);
    const clientRequest = await readClientRequest(parts, inbound, slot, principal.user.id);
    log.model = clientRequest.facts.model;
    const { groups, rateLimitStates, tokenCharge } = await admitRequest(
      parts,
      principal,
      clientRequest,
      entered.caller,
    );
    tokenCharge?.correct();
    sendLimitHeaders(client, rateLimitStates);
    const continued = await parts.responses.resolvePrevious({ request: clientRequest, principal, groups }, slot);
    const { request } = continued;
    const candidate = findChannel(parts, continued, []);
    if (candidate === undefined) throw await noChannelError(parts, continued);
    const answer = await countAtVendor(parts, { ...inbound, slot }, principal, request, candidate);
    const json = answer ?? (await countLocally(parts, principal, request, candidate.upstreamModel));
    // The provider determines the size of its response.
    slot.growTo(json.length);
    client.send(200, CONTENT_TYPE, json);
  } catch (error) {
    refusal = sendError(parts.log, inbound, error);
  } finally {
    recordRequest(parts, { ...inbound, route: { format: inbound.route.format, operation: COUNT } }, log, refusal);
    slot?.release(client);
  }
}

/** Resolves with undefined when the vendor cannot count, or did not respond. */
async function countAtVendor(
  { pool, deadlines, scheduler, clock, vendorTokens, proxyOf, pacedExecutor }: TokenCountEndpointParts,
  { client, slot }: Inbound & { slot: ConcurrencySlot },
  principal: Principal,
  request: ClientRequest,
  { channel, key, upstreamModel }: Candidate,
): Promise<Buffer | undefined> {
  if (key.target.provider.tokenCountEndpoints === undefined) return undefined;
  const target = await signInIfPossible(vendorTokens, key.target, channel.proxy);
  const plan = () => target && planTokenCount(request, { ...target, model: upstreamModel });
  const exchange = await runPaced(pacedExecutor, principal.user.id, request, plan);
  if (exchange === undefined) return undefined;
  const result = await runAttempt({
    exchange,
    stream: false,
    proxy: proxyOf(channel, principal),
    client,
    pool,
    deadlines,
    limits: channel.deadlines,
    beginWithinMs: VENDOR_MS_MAX,
    slot,
    clock,
    now: () => clock.now(),
    scheduler,
    runSpaced: (work) => pacedExecutor.run(principal.user.id, work),
    onDelivery: () => {},
  });
  if (result.outcome === 'left') throw client.stopReason ?? createClientError(result);
  return result.outcome === 'answered' ? result.last.body : undefined;
}

async function signInIfPossible(
  tokens: VendorTokenCache,
  target: Candidate['key']['target'],
  proxy: string,
): Promise<typeof target | undefined> {
  try {
    return await tokens.signIn(target, proxy);
  } catch (error) {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  }
}

const emptyMeter: Meter = {
  usage: undefined,
  deliveredCharacters: 0,
  deliveredWideCharacters: 0,
  deliveredSample: '',
  servedModel: undefined,
  finished: true,
};

/** Counts with the model's vocabulary if it is known; otherwise estimates. */
async function countLocally(
  parts: TokenCountEndpointParts,
  { user }: Principal,
  request: ClientRequest,
  upstreamModel: string,
): Promise<string> {
  const read = () => readTokenizerInput(request, emptyMeter, upstreamModel);
  const texts = await runPaced(parts.pacedExecutor, user.id, request, read);
  const purpose = { userId: user.id, isSettlement: false };
  const counts = texts === undefined ? undefined : await parts.tokens.count(texts, purpose);
  const answer = encodeTokenCount(request.format, counts?.prompt ?? request.facts.inputTokensEstimate);
  if (answer === undefined) throw new RelayError('not_found', 'This API has no token counting endpoint.');
  return answer;
}
