/**
 * One relayed request, from its bytes to its charge:
 * identify → read → admit → choose a channel → hold → try it, and others as long as nothing was delivered → settle or
 * void → answer.
 */
import type { IncomingMessage } from 'node:http';
import { type ClientRequest, readRequest, type UpstreamError } from '@switchyard/relay';
import { nowSeconds } from '../platform/clock.ts';
import { type Admission, admit } from './admit.ts';
import { errorAfter, mayRetry, noteFailure } from './after-failure.ts';
import { answerError, answerSuccess } from './answer.ts';
import type { AttemptResult } from './attempt.ts';
import type { Principal } from './authenticate.ts';
import { startCheckpoints } from './checkpoints.ts';
import type { Candidate } from './choose-channel.ts';
import type { ClientResponse } from './client-response.ts';
import { consumptionOf } from './consumption.ts';
import { findChannel, noChannel, rememberChannel } from './find-channel.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { startHeartbeat } from './heartbeat.ts';
import { holdOf } from './hold-of.ts';
import { holdRefusal } from './hold-refusal.ts';
import type { InboundRoute } from './inbound.ts';
import { tellStandings } from './limit-standing.ts';
import type { Place } from './places.ts';
import { refuseOverloaded } from './refuse-overloaded.ts';
import { RelayError } from './relay-error.ts';
import { readBody } from './request-body.ts';
import { failureRecord, type RequestLog, settlementOf } from './settlement.ts';
import { tryChannel } from './try-channel.ts';
import { watchRights } from './watch-rights.ts';

export interface Inbound {
  message: IncomingMessage;
  route: InboundRoute;
  identify(): Principal | Promise<Principal>;
  client: ClientResponse;
  requestId: string;
  address: string;
}

/** A request that has passed admission. */
interface Admitted extends Inbound {
  principal: Principal;
  request: ClientRequest;
  groups: Admission['groups'];
  tokenCharge: Admission['tokenCharge'];
  log: RequestLog;
}

/** Answers the client in every case; never rejects. */
export async function relayRequest(parts: GatewayParts, inbound: Inbound): Promise<void> {
  const startedAt = parts.clock.now();
  let place: Place | undefined;
  try {
    refuseOverloaded(parts.overload);
    const principal = await inbound.identify();
    place = parts.places.enter(principal, inbound.address);
    const request = await readClientRequest(parts, inbound, place);
    const { groups, standings, tokenCharge } = admit(parts, principal, request, inbound.address);
    tellStandings(inbound.client, standings);
    const log = {
      requestId: inbound.requestId,
      address: inbound.address,
      startedAt,
      attempts: [],
      dropped: [],
      delivery: undefined,
    };
    const call = { ...inbound, principal, request, groups, tokenCharge, log };
    const work =
      inbound.message.headers['idempotency-key'] === undefined
        ? serve(parts, call)
        : parts.idempotency.once(call, (client) => serve(parts, { ...call, client }));
    await work.finally(() => tokenCharge?.correct());
  } catch (error) {
    // Gives back a hold that is still open: nothing was delivered then.
    parts.ledger.void(inbound.requestId);
    answerError(parts.log, inbound, error);
  } finally {
    place?.leave();
  }
}

async function serve(parts: GatewayParts, call: Admitted): Promise<void> {
  const first = firstCandidate(parts, call);
  await holdFunds(parts, call, first);
  const stopHeartbeat = startHeartbeat(parts, call);
  const stopWatching = watchRights(parts, call);
  const stopCheckpoints = startCheckpoints(parts, call);
  try {
    const { candidate, result } = await tryChannels(parts, call, first);
    stopHeartbeat();
    await conclude(parts, call, candidate, result);
  } finally {
    stopHeartbeat();
    stopWatching();
    stopCheckpoints();
  }
}

/** One channel after the other, as long as nothing was delivered and another may do better. */
async function tryChannels(
  parts: GatewayParts,
  call: Admitted,
  first: Candidate,
): Promise<{ candidate: Candidate; result: AttemptResult }> {
  const tried: Candidate[] = [];
  let candidate = first;
  let result = await tryChannel(parts, call, candidate);
  while (result.error !== undefined && !call.client.delivering) {
    noteFailure(parts, candidate, result.error);
    tried.push(candidate);
    const next = nextCandidate(parts, call, result.error, tried);
    if (next === undefined) break;
    candidate = next;
    result = await tryChannel(parts, call, candidate);
  }
  return { candidate, result };
}

/** Settles what was delivered, or voids; only then the client gets the end of its answer, or the error. */
async function conclude(
  parts: GatewayParts,
  call: Admitted,
  candidate: Candidate,
  result: AttemptResult,
): Promise<void> {
  const consumption = await consumptionOf(parts, call.request, candidate.upstreamModel, result);
  const now = parts.clock.now();
  const price = parts.snapshot.priceOf(candidate.billedModel);
  const settlement =
    consumption === undefined ? undefined : settlementOf(call, candidate, consumption, result, price, now);
  if (settlement !== undefined) {
    const { charge, record } = settlement;
    if (call.tokenCharge !== undefined)
      call.tokenCharge.used = record.prompt_tokens + record.completion_tokens;
    await parts.ledger.settle(call.requestId, charge, record);
  }
  if (result.outcome === 'answered') {
    rememberChannel(parts, call, candidate);
    answerSuccess(call, result, settlement?.charge ?? 0);
    return;
  }
  if (settlement === undefined && call.client.left) parts.unread.note(call.principal.user.id);
  const failure = call.client.stopped ?? errorAfter(result.error);
  if (settlement === undefined) parts.ledger.void(call.requestId, failureRecord(call, failure.message, now));
  throw failure;
}

async function readClientRequest(
  parts: GatewayParts,
  { message, route }: Inbound,
  place: Place,
): Promise<ClientRequest> {
  if (message.headers['content-type']?.includes('json') !== true) {
    throw new RelayError(
      'unsupported_media_type',
      'Send the body as JSON, with the header "content-type: application/json".',
    );
  }
  const body = await readBody(message, parts.bodyMaxBytes, place);
  return readRequest(route.operation, route.format, body, message.headers);
}

function firstCandidate(parts: GatewayParts, call: Admitted): Candidate {
  parts.retries.noteRequest();
  const candidate = findChannel(parts, call, []);
  if (candidate === undefined) throw noChannel(call.request);
  return candidate;
}

function nextCandidate(
  parts: GatewayParts,
  call: Admitted,
  error: UpstreamError,
  tried: readonly Candidate[],
): Candidate | undefined {
  if (call.principal.pinnedChannelId !== undefined) return undefined;
  const candidate = findChannel(parts, call, tried);
  // Asked last, because it takes a retry from the budget.
  return candidate !== undefined && mayRetry(parts, error, call.log.startedAt) ? candidate : undefined;
}

async function holdFunds(parts: GatewayParts, call: Admitted, candidate: Candidate): Promise<void> {
  const hold = holdOf(parts, call.requestId, call.principal, call.request, candidate);
  const answer = await parts.ledger.hold(hold);
  if (!answer.held)
    throw holdRefusal(answer, call.principal.key?.name ?? '', hold.amount, nowSeconds(parts.clock));
}
