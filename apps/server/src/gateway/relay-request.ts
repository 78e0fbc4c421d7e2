/**
 * One relayed request, from its bytes to its charge:
 * identify → admit the caller → read → find the task that it goes on from → admit the request → check what it says →
 * put in the turns that it goes on from → choose a channel → hold → try it, and others as long as nothing was delivered → settle or void, or let a task go on →
 * keep the answer → answer.
 */
import type { IncomingMessage } from 'node:http';
import type { ClientRequest, RequestRoute, UpstreamError } from '@switchyard/relay';
import { nowSeconds } from '../platform/clock.ts';
import { type Admission, admitRequest, type Entered, enter } from './admit.ts';
import { mayHaveBeenAccepted, mayRetry, failedAttempt } from './after-failure.ts';
import { type Answering, answerError, answerTask, answerSuccess } from './answer.ts';
import type { AttemptResult } from './attempt-result.ts';
import type { Principal } from './authenticate.ts';
import { asksForBackground, type BackgroundResponses } from './background-responses.ts';
import { beginTask } from './begin-task.ts';
import { expectedSpend } from './channel-cost.ts';
import { checkContent, redactAgain } from './check-content.ts';
import { startCheckpoints } from './checkpoints.ts';
import type { Candidate } from './choose-channel.ts';
import type { ClientResponse } from './client-response.ts';
import { consumptionOf } from './consumption.ts';
import { lacksPreviousResponse } from './continued-request.ts';
import { errorAfter } from './failure-error.ts';
import {
  type Booked,
  book,
  type FailedAttempt,
  findChannel,
  noChannelError,
  rememberChannel,
} from './find-channel.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { startHeartbeat } from './heartbeat.ts';
import { holdOf } from './hold-of.ts';
import { holdRefusal } from './hold-refusal.ts';
import { sendLimitHeaders } from './limit-standing.ts';
import { asServedBy } from './as-served-by.ts';
import { noteRequest, openLog } from './note-request.ts';
import type { Place } from './places.ts';
import { readClientRequest } from './read-client-request.ts';
import type { RecordingResponse } from './recording-response.ts';
import { refuseOverloaded } from './refuse-overloaded.ts';
import { RelayError } from './relay-error.ts';
import { failureRecord, type RequestLog, settlementOf } from './settlement.ts';
import type { Continued } from './stored-responses.ts';
import { resolveTaskOrigin } from './task-origin.ts';
import { reportDroppedFields, tryChannel } from './try-channel.ts';
import type { VendorAnswer } from './vendor-answer.ts';
import { watchRights } from './watch-rights.ts';

export interface Inbound {
  message: IncomingMessage;
  route: RequestRoute;
  identify(): Principal | Promise<Principal>;
  client: ClientResponse;
  requestId: string;
  address: string;
  /** Absent where nothing is made in the background. */
  background?: BackgroundResponses;
  /** By the request in whose stead it is served. */
  entered?: Entered;
  /** The id under which its answer is awaited already. */
  keepAs?: string;
  /** It was admitted, checked and held before, and its vendor has answered. */
  answered?: VendorAnswer | undefined;
  /** Told what may be original, before anybody else is. */
  onChecked?: (original: ClientRequest) => Promise<void>;
}

/** A request of somebody who may ask. */
interface Asked extends Inbound {
  principal: Principal;
  request: ClientRequest;
  caller: Entered['caller'];
  place: Place;
  log: RequestLog;
}

/** A request that may run. */
interface Admitted extends Asked, Admission, Pick<Continued, 'withFullHistory'> {
  /** As the client sent it: without the turns that it goes on from by their id. */
  original: ClientRequest;
  /** Where the answer is to be kept. */
  recording?: RecordingResponse | undefined;
}

/** The field of the Responses API that asks for keeping an answer, which was too large for that. */
const UNKEPT = 'store';

/** Answers the client in every case; never rejects. */
export async function relayRequest(parts: GatewayParts, inbound: Inbound): Promise<void> {
  const log = openLog(parts, inbound.message);
  let refusal: RelayError | undefined;
  let place: Place | undefined;
  const answering: Answering = { ...inbound };
  try {
    refuseOverloaded(parts.overload);
    const presenter = await inbound.identify();
    const entered = inbound.entered ?? (await enterFor(parts, inbound, presenter));
    ({ place } = entered);
    const { caller } = entered;
    const read = await readClientRequest(parts, inbound, place);
    log.model = read.facts.model;
    answering.route = { ...inbound.route, framing: read.framing, stream: read.facts.stream };
    if (inbound.background !== undefined && asksForBackground(read)) {
      const call = { ...inbound, principal: presenter, request: read, place, entered };
      return await beginInBackground(parts, inbound.background, call);
    }
    const call: Asked = { ...inbound, principal: presenter, request: read, caller, place, log };
    await (inbound.message.headers['idempotency-key'] === undefined
      ? admitAndServe(parts, call)
      : parts.idempotency.once(call, (client) => admitAndServe(parts, { ...call, client })));
  } catch (error) {
    // Gives back a hold that is still open: nothing was delivered then.
    parts.ledger.void(inbound.requestId);
    refusal = answerError(parts.log, answering, error);
  } finally {
    parts.running.end(inbound.requestId);
    const isMade = inbound.background?.make(inbound.requestId) === true;
    // What is made in its stead is a request of its own, which tells of itself.
    if (!isMade) noteRequest(parts, inbound, log, refusal);
    if (!isMade && inbound.entered === undefined) place?.leave();
  }
}

/** Nothing counts towards limits that was admitted before, in a group whose price it has also when it is closed now. */
async function enterFor(
  parts: GatewayParts,
  { answered, address }: Inbound,
  presenter: Principal,
): Promise<Entered> {
  if (answered === undefined) return enter(parts, presenter, address);
  const group = parts.snapshot.group(presenter.batch?.answeredIn ?? '');
  const place = await parts.places.enter(presenter, address);
  return { place, caller: { groups: group === undefined ? [] : [group], standings: [] } };
}

async function admitAndServe(parts: GatewayParts, asked: Asked): Promise<void> {
  const { caller, route, message, client } = asked;
  const ordering = { request: asked.request, principal: asked.principal, groups: caller.groups };
  const { request, principal, groups } = await resolveTaskOrigin(parts, ordering, route, message.headers);
  if (asked.answered !== undefined) {
    // What is kept of it must not say what its vendor was not told.
    const original = redactAgain(parts, principal, request);
    return serveAndKeep(parts, { ...asked, ...caller, tokenCharge: undefined, original, request: original });
  }
  const admission = await admitRequest(parts, principal, request, { ...caller, groups });
  sendLimitHeaders(client, admission.standings);
  const rules = parts.safety.of(principal.user.group);
  const admitted = { ...asked, ...admission, principal, request };
  const original = rules === undefined ? request : await checkContent(parts, rules, admitted);
  await asked.onChecked?.(original);
  await serveAndKeep(parts, { ...admitted, original, request: original }).finally(() =>
    admission.tokenCharge?.correct(),
  );
}

/** It is served as a request of its own, once this one has ended. */
async function beginInBackground(
  parts: GatewayParts,
  background: BackgroundResponses,
  call: Inbound & Pick<Admitted, 'principal' | 'request' | 'place'> & { entered: Entered },
): Promise<void> {
  if (call.message.headers['idempotency-key'] === undefined) return background.begin(call);
  if (call.request.facts.stream)
    throw new RelayError('invalid_request', 'A stream in the background takes no Idempotency-Key.');
  return parts.idempotency.once(call, (client) => background.begin({ ...call, client }));
}

/** With the turns that it goes on from; its answer is kept, so that the next can go on from it. */
async function serveAndKeep(parts: GatewayParts, call: Admitted): Promise<void> {
  const continued = await parts.responses.resolvePrevious(call, call.place).catch((error: unknown) => {
    // The turns may have gone while the vendor, who had them, answered.
    if (call.answered === undefined || !(error instanceof RelayError)) throw error;
    return {};
  });
  const whole: Admitted = { ...call, ...continued };
  return parts.responses.keep(whole, (client, recording) => serve(parts, { ...whole, client, recording }));
}

async function serve(parts: GatewayParts, call: Admitted): Promise<void> {
  return call.request.order === undefined
    ? serveAtOnce(parts, call)
    : parts.openOrders.run(call, () => serveAtOnce(parts, call));
}

async function serveAtOnce(parts: GatewayParts, call: Admitted): Promise<void> {
  if (call.answered !== undefined) return serveAnswered(parts, call);
  parts.retries.noteRequest(call.principal.user.id);
  const first = await firstChannel(parts, call);
  const refusal = await holdFunds(parts, call, first);
  if (refusal !== undefined) throw refusal;
  const watches = [startHeartbeat(parts, call), watchRights(parts, call), startCheckpoints(parts, call)];
  // They stop before the end is told: a comment line would fix the status of an error that is still to come.
  const { asked, candidate, result } = await tryChannels(parts, call, first).finally(() => {
    for (const stop of watches) stop();
  });
  await conclude(parts, asked, candidate, result);
}

/** Nobody is asked. What is held lasts on until somebody can say what the answer costs. */
async function serveAnswered(parts: GatewayParts, call: Admitted): Promise<void> {
  const candidate = await firstChannel(parts, call);
  await parts.ledger.resume(call.requestId);
  await conclude(parts, call, candidate, await tryChannel(parts, call, candidate));
}

/** As it was asked last. */
interface Tried {
  asked: Admitted;
  candidate: Booked;
  result: AttemptResult;
}

/** One channel after the other, as long as nothing was delivered and another may do better. */
async function tryChannels(parts: GatewayParts, call: Admitted, first: Booked): Promise<Tried> {
  const tried: FailedAttempt[] = [];
  for (let candidate = first; ; ) {
    const result = await tryChannel(parts, call, candidate);
    if (result.outcome !== 'failed' || call.client.delivering) return { asked: call, candidate, result };
    if (call.withFullHistory !== undefined && lacksPreviousResponse(result.error)) {
      // Nobody's failure, so that no retry is counted.
      const resent: Admitted = { ...call, ...call.withFullHistory, withFullHistory: undefined };
      const next = await bookNext(parts, resent, []);
      return next === undefined ? { asked: resent, candidate, result } : tryChannels(parts, resent, next);
    }
    tried.push(failedAttempt(parts, candidate, result.error));
    const next = await nextChannel(parts, call, result.error, tried);
    if (next === undefined) return { asked: call, candidate, result };
    candidate = next;
  }
}

/** Settles what was delivered, or voids; only then the client gets the end of its answer, or the error. */
async function conclude(
  parts: GatewayParts,
  call: Admitted,
  candidate: Booked,
  result: AttemptResult,
): Promise<void> {
  if (result.outcome === 'answered' && call.recording?.makeRoomFor(result.last.body.length) === false)
    reportDroppedFields(call, [...call.log.dropped, UNKEPT]);
  const { order, meter } = result;
  if (order !== undefined && meter !== undefined) {
    const made = { ...call, request: asServedBy(candidate, call.request) };
    const task = await beginTask(parts, made, candidate, { order, meter });
    rememberChannel(parts, call, candidate);
    return answerTask(call, task);
  }
  const charge = await settleDelivered(parts, call, candidate, result);
  if (result.outcome === 'answered') {
    rememberChannel(parts, call, candidate);
    answerSuccess(call, result.last, charge ?? 0);
    return;
  }
  const target = candidate.key.target;
  const failure = call.client.stopped ?? errorAfter(result, { request: call.request, target });
  if (charge === undefined) {
    if (call.client.left) parts.unread.note(call.principal.user.id);
    parts.ledger.void(call.requestId, failureRecord(parts, call, failure.message));
  }
  throw failure;
}

/** @returns the charge in points; undefined when nothing is to be paid */
async function settleDelivered(
  parts: GatewayParts,
  call: Admitted,
  candidate: Booked,
  result: AttemptResult,
): Promise<number | undefined> {
  const consumption = await consumptionOf(parts, call.request, candidate, result);
  if (consumption === undefined) return undefined;
  const { charge, record, unrated } = settlementOf(parts, call, candidate, consumption, result);
  parts.missingRates.add(unrated);
  if (call.tokenCharge !== undefined) call.tokenCharge.used = record.prompt_tokens + record.completion_tokens;
  call.log.charged = record;
  await parts.ledger.settle(call.requestId, charge, record);
  return charge;
}

async function firstChannel(parts: GatewayParts, call: Admitted): Promise<Booked> {
  const candidate = findChannel(parts, call, []);
  if (candidate !== undefined) return book(parts, call.principal, candidate);
  const refusal = await noChannelError(parts, call);
  // A model that nobody offers would only fill the log, and so would whoever asks on and on.
  if (refusal.code === 'channel_cap_reached' && parts.refusalRecords.tryTake(String(call.principal.user.id)))
    parts.ledger.record(failureRecord(parts, call, refusal.message));
  throw refusal;
}

async function nextChannel(
  parts: GatewayParts,
  call: Admitted,
  error: UpstreamError,
  tried: readonly FailedAttempt[],
): Promise<Booked | undefined> {
  const { principal, log, request } = call;
  if (request.order !== undefined && mayHaveBeenAccepted(error)) return undefined;
  return bookNext(parts, call, tried, ({ channel }) =>
    mayRetry(parts, principal.user.id, error, log, channel.id === tried.at(-1)?.channel.id),
  );
}

/**
 * Undefined also when it may cost more than the first one, and the account cannot hold that.
 * @param mayAsk asked last, because it takes a retry from the budget
 */
async function bookNext(
  parts: GatewayParts,
  call: Admitted,
  tried: readonly FailedAttempt[],
  mayAsk: (candidate: Candidate) => boolean = () => true,
): Promise<Booked | undefined> {
  // What it may cost on its last channel is no reason to pass that one over.
  parts.running.end(call.requestId);
  const candidate = findChannel(parts, call, tried);
  if (candidate === undefined || !mayAsk(candidate)) return undefined;
  const booked = book(parts, call.principal, candidate);
  return (await holdFunds(parts, call, booked)) === undefined ? booked : undefined;
}

/** @returns why the attempt's cost cannot be held; its channel is free for the next request then */
async function holdFunds(
  parts: GatewayParts,
  call: Admitted,
  booked: Booked,
): Promise<RelayError | undefined> {
  const { principal, requestId } = call;
  const request = asServedBy(booked, call.request);
  parts.running.set(requestId, booked.channel, expectedSpend(booked, request));
  const hold = holdOf(parts, requestId, principal, request, booked);
  let held = false;
  try {
    const answer = await parts.ledger.hold(hold);
    held = answer.held;
    return answer.held
      ? undefined
      : holdRefusal(answer, principal.key?.name ?? '', hold.amount, nowSeconds(parts.clock));
  } finally {
    if (!held) booked.watch.endedWithoutVerdict();
  }
}
