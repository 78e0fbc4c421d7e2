/**
 * One relayed request, from its bytes to its charge. The functions below stand in the order in which they run:
 *
 * 1. `relayRequest` identifies the caller, takes a concurrency slot and reads the body.
 * 2. `admitAndServe` applies the limits of the token and the content policy.
 * 3. `serveAndKeep` adds the earlier turns of a conversation, and stores the response for the next one.
 * 4. `serveAtOnce` chooses a channel, holds the funds and tries channels until one answers (`try-channels.ts`).
 * 5. `conclude` settles or voids the hold, or leaves it to a task, and then sends the end of the response.
 */
import { startCheckpoints } from '../billing/checkpoints.ts';
import { consumptionOf } from '../billing/consumption.ts';
import { openLog, recordRequest } from '../billing/record-request.ts';
import { failureRecord, settlementOf } from '../billing/settlement.ts';
import type { AttemptResult } from '../http/attempt-result.ts';
import { startHeartbeat } from '../http/heartbeat.ts';
import { sendLimitHeaders } from '../http/rate-limit-state.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { asksForBackground, type BackgroundResponses } from '../responses/background-responses.ts';
import { type Booked, rememberChannel } from '../routing/find-channel.ts';
import { asServedBy } from '../routing/served-request.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import { beginTask } from '../tasks/begin-task.ts';
import { resolveTaskOrigin } from '../tasks/task-origin.ts';
import { errorAfter } from '../upstream/failure-error.ts';
import { admitRequest, type Entered, enter } from './admit.ts';
import { checkContent, redactAgain } from './check-content.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { readClientRequest } from './read-client-request.ts';
import type { AdmittedCall, IdentifiedCall, Inbound } from './relayed-call.ts';
import { type Answering, answerError, answerSuccess, answerTask } from './respond.ts';
import { reportDroppedFields, tryChannel } from './try-channel.ts';
import { firstChannel, holdFunds, tryChannels } from './try-channels.ts';
import { watchRights } from './watch-rights.ts';

/** The field of the Responses API by which a client asks for a stored response. */
const STORE_FIELD = 'store';

/** Answers the client in every case; never rejects. */
export async function relayRequest(parts: GatewayParts, inbound: Inbound): Promise<void> {
  const log = openLog(parts, inbound.message);
  let refusal: RelayError | undefined;
  let place: ConcurrencySlot | undefined;
  const answering: Answering = { ...inbound };
  try {
    refuseOverloaded(parts.overload);
    const principal = await inbound.identify();
    const entered = inbound.entered ?? (await enterFor(parts, inbound, principal));
    ({ place } = entered);
    const request = await readClientRequest(parts, inbound, place, principal.user.id);
    log.model = request.facts.model;
    answering.route = { ...inbound.route, framing: request.framing, stream: request.facts.stream };
    const call: IdentifiedCall = { ...inbound, principal, request, caller: entered.caller, place, log };
    const { background } = inbound;
    if (background !== undefined && asksForBackground(request))
      await beginInBackground(parts, background, { ...call, entered });
    else await onceByKey(parts, call, (client) => admitAndServe(parts, { ...call, client }));
  } catch (error) {
    // A hold that is still open belongs to a request that delivered nothing.
    parts.ledger.void(inbound.requestId);
    refusal = answerError(parts.log, answering, error);
  } finally {
    parts.running.end(inbound.requestId);
    // The background response runs as a request of its own, which keeps the slot and records its own end.
    const isMade = inbound.background?.make(inbound.requestId) === true;
    if (!isMade) recordRequest(parts, inbound, log, refusal);
    if (!isMade && inbound.entered === undefined) place?.leave(inbound.client.sent());
  }
}

/** A line of a batch was admitted before: it uses up no limit, and keeps its group even if that has been closed since. */
async function enterFor(
  parts: GatewayParts,
  { answered, address }: Inbound,
  principal: Principal,
): Promise<Entered> {
  if (answered === undefined) return enter(parts, principal, address);
  const group = parts.snapshot.group(principal.batch?.answeredIn ?? '');
  const place = await parts.places.enter(principal, address);
  return { place, caller: { groups: group === undefined ? [] : [group], standings: [] } };
}

/** Serves a request that repeats an `Idempotency-Key` from the first response. */
async function onceByKey(
  parts: GatewayParts,
  call: IdentifiedCall,
  serve: (client: IdentifiedCall['client']) => Promise<void>,
): Promise<void> {
  return call.message.headers['idempotency-key'] === undefined
    ? serve(call.client)
    : parts.idempotency.once(call, serve);
}

async function beginInBackground(
  parts: GatewayParts,
  background: BackgroundResponses,
  call: IdentifiedCall & { entered: Entered },
): Promise<void> {
  if (call.request.facts.stream && call.message.headers['idempotency-key'] !== undefined)
    throw new RelayError('invalid_request', 'A background stream does not support Idempotency-Key.');
  return onceByKey(parts, call, (client) => background.begin({ ...call, client }));
}

async function admitAndServe(parts: GatewayParts, identified: IdentifiedCall): Promise<void> {
  const { caller, route, message, client } = identified;
  const submission = { request: identified.request, principal: identified.principal, groups: caller.groups };
  const { request, principal, groups } = await resolveTaskOrigin(parts, submission, route, message.headers);
  if (identified.answered !== undefined) {
    // The vendor got the redacted words; the stored conversation must hold no others.
    const original = await redactAgain(parts, principal, request);
    const call = { ...identified, ...caller, tokenCharge: undefined, original, request: original };
    return serveAndKeep(parts, call);
  }
  const admission = await admitRequest(parts, principal, request, { ...caller, groups });
  sendLimitHeaders(client, admission.standings);
  const rules = parts.safety.of(principal.user.group);
  const call = { ...identified, ...admission, principal, request };
  const original = rules === undefined ? request : await checkContent(parts, rules, call);
  await identified.onChecked?.(original);
  try {
    await serveAndKeep(parts, { ...call, original, request: original });
  } finally {
    admission.tokenCharge?.correct();
  }
}

async function serveAndKeep(parts: GatewayParts, call: AdmittedCall): Promise<void> {
  const continued = await parts.responses.resolvePrevious(call, call.place).catch((error: unknown) => {
    // The stored turns may have expired while the vendor, which got them, ran the batch.
    if (call.answered === undefined || !(error instanceof RelayError)) throw error;
    return {};
  });
  const whole: AdmittedCall = { ...call, ...continued };
  return parts.responses.keep(whole, (client, recording) => serve(parts, { ...whole, client, recording }));
}

async function serve(parts: GatewayParts, call: AdmittedCall): Promise<void> {
  if (call.answered !== undefined) return serveAnswered(parts, call);
  return call.request.order === undefined
    ? serveAtOnce(parts, call)
    : parts.openTasks.run(call, () => serveAtOnce(parts, call));
}

async function serveAtOnce(parts: GatewayParts, call: AdmittedCall): Promise<void> {
  parts.retries.noteRequest(call.principal.user.id);
  const first = await firstChannel(parts, call);
  const refusal = await holdFunds(parts, call, first);
  if (refusal !== undefined) throw refusal;
  const watches = [startHeartbeat(parts, call), watchRights(parts, call), startCheckpoints(parts, call)];
  const last = await tryChannels(parts, call, first).finally(() => {
    // A heartbeat after this would send the head, and with it the status of an error that is still to come.
    for (const stop of watches) stop();
  });
  await conclude(parts, last.call, last.candidate, last.result);
}

/** Charges for the vendor's answer to a batch line; asks no channel. */
async function serveAnswered(parts: GatewayParts, call: AdmittedCall): Promise<void> {
  const candidate = await firstChannel(parts, call);
  await parts.ledger.resume(call.requestId);
  await conclude(parts, call, candidate, await tryChannel(parts, call, candidate));
}

/** Sends the end of the response, or throws the error that ends it, only after the ledger has the charge. */
async function conclude(
  parts: GatewayParts,
  call: AdmittedCall,
  candidate: Booked,
  result: AttemptResult,
): Promise<void> {
  if (result.outcome === 'answered' && call.recording?.makeRoomFor(result.last.body.length) === false)
    reportDroppedFields(call, [...call.log.dropped, STORE_FIELD]);
  const { order, meter } = result;
  if (order !== undefined && meter !== undefined) {
    const served = { ...call, request: asServedBy(candidate, call.request) };
    const task = await beginTask(parts, served, candidate, {
      order,
      meter,
      site: parts.siteOf(call.message),
    });
    rememberChannel(parts, call, candidate);
    return answerTask(call, task);
  }
  const charge = await settleDelivered(parts, call, candidate, result);
  if (result.outcome === 'answered') {
    rememberChannel(parts, call, candidate);
    return answerSuccess(call, result.last, charge ?? 0);
  }
  const { target } = candidate.key;
  const failure = call.client.stopped ?? errorAfter(result, { request: call.request, target });
  if (charge === undefined) {
    if (call.client.left) parts.unread.recordLeft(call, result);
    parts.ledger.void(call.requestId, failureRecord(parts, call, failure.message));
  }
  throw failure;
}

/** Returns the charge in points; undefined when nothing was delivered that costs something. */
async function settleDelivered(
  parts: GatewayParts,
  call: AdmittedCall,
  candidate: Booked,
  result: AttemptResult,
): Promise<number | undefined> {
  const consumption = await consumptionOf(parts, call, candidate, result);
  if (consumption === undefined) return undefined;
  const { charge, record, unrated } = settlementOf(parts, call, candidate, consumption, result);
  parts.missingRates.add(unrated);
  if (call.tokenCharge !== undefined) call.tokenCharge.used = record.prompt_tokens + record.completion_tokens;
  call.log.charged = record;
  await parts.ledger.settle(call.requestId, charge, record);
  return charge;
}
