/**
 * Relays a request, from its bytes to its charge:
 *
 * 1. `relayRequest` identifies the caller, takes a concurrency slot and reads the body.
 * 2. `admitAndServe` applies the limits of the token and the content policy.
 * 3. `serveRequest` adds the earlier turns of a conversation, chooses a channel, holds the funds and tries channels
 *    until one answers (`serve-request.ts`).
 * 4. `settleAndRespond` settles or releases the hold, or leaves it to a task, and then sends the end of the response.
 */

import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { createRequestLog, type RecordRequestParts, recordRequest } from '../billing/request-telemetry.ts';
import { sendLimitHeaders } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencyLimiter, ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { isBackgroundRequest } from '../responses-api/background-request.ts';
import type { BackgroundResponses } from '../responses-api/background-responses.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { resolveTaskOrigin, type TaskOriginParts } from '../tasks/task-origin.ts';
import { type AcquiredResources, type AdmitParts, admitAndAcquire, admitRequest } from './admit-request.ts';
import { checkContent, redactCheckedRequest } from './check-content.ts';
import { type Idempotency, parseIdempotencyKey } from './idempotent-request.ts';
import { type ReadClientRequestParts, readClientRequest } from './read-client-request.ts';
import type { IdentifiedCall, Inbound } from './relayed-call-stages.ts';
import { type ResponseContext, sendError } from './send-response.ts';
import { type ServeRequestParts, serveRequest } from './serve-request.ts';

export interface RelayRequestParts
  extends ReadClientRequestParts,
    RecordRequestParts,
    AdmitParts,
    TaskOriginParts,
    ServeRequestParts {
  concurrencyLimiter: ConcurrencyLimiter;
  overload: OverloadMonitor;
  idempotency: Idempotency;
}

/** Responds in every case; never rejects. */
export async function relayRequest(parts: RelayRequestParts, inbound: Inbound): Promise<void> {
  const log = createRequestLog(parts, inbound.message);
  let refusal: RelayError | undefined;
  let slot: ConcurrencySlot | undefined;
  const answering: ResponseContext = { ...inbound };
  try {
    refuseOverloaded(parts.overload);
    const principal = await inbound.identify();
    const entered = inbound.acquired ?? (await acquireFor(parts, inbound, principal));
    ({ slot } = entered);
    const request = await readClientRequest(parts, inbound, slot, principal.user.id);
    log.model = request.facts.model;
    answering.route = { ...inbound.route, framing: request.framing, stream: request.facts.stream };
    const idempotencyKey = parseIdempotencyKey(inbound.message, principal);
    const call: IdentifiedCall = { ...inbound, principal, request, idempotencyKey, caller: entered.caller, slot, log };
    const { background } = inbound;
    if (background !== undefined && isBackgroundRequest(request))
      await beginInBackground(parts, background, { ...call, acquired: entered });
    else if (idempotencyKey === undefined) await admitAndServe(parts, call);
    else await parts.idempotency.serveOnce(call, idempotencyKey, (client) => admitAndServe(parts, { ...call, client }));
  } catch (error) {
    // An open hold belongs to a request that delivered nothing.
    parts.ledger.release(inbound.requestId);
    refusal = sendError(parts.log, answering, error);
  } finally {
    parts.running.end(inbound.requestId);
    // The background response runs as a separate request, which keeps the slot and records its own end.
    const isMade = inbound.background?.startGeneration(inbound.requestId) === true;
    if (!isMade) recordRequest(parts, inbound, log, refusal);
    if (!isMade && inbound.acquired === undefined) slot?.release(inbound.client);
  }
}

/**
 * Acquires the resources of a request. A vendor's batch line was admitted earlier: it uses no limit of its owner, who
 * could otherwise keep it from being charged, and keeps its group even if that was disabled since.
 */
async function acquireFor(
  parts: RelayRequestParts,
  { vendorResponse, address }: Inbound,
  principal: Principal,
): Promise<AcquiredResources> {
  if (vendorResponse === undefined) return admitAndAcquire(parts, principal, address);
  const group = parts.snapshot.group(principal.batch?.answeredIn ?? '');
  const slot = parts.concurrencyLimiter.openUnlimited();
  return { slot, caller: { groups: group === undefined ? [] : [group], rateLimitStates: [] } };
}

async function beginInBackground(
  parts: RelayRequestParts,
  background: BackgroundResponses,
  call: IdentifiedCall & { acquired: AcquiredResources },
): Promise<void> {
  const { idempotencyKey } = call;
  if (idempotencyKey === undefined) return background.begin(call);
  if (call.request.facts.stream)
    throw new RelayError(
      'invalid_request',
      'A background stream does not support Idempotency-Key. Omit the header, or set stream to false.',
    );
  return parts.idempotency.serveOnce(call, idempotencyKey, (client) => background.begin({ ...call, client }));
}

async function admitAndServe(parts: RelayRequestParts, identified: IdentifiedCall): Promise<void> {
  const { caller, route, client } = identified;
  const submission = { request: identified.request, principal: identified.principal, groups: caller.groups };
  const { request, principal, groups } = await resolveTaskOrigin(parts, submission, route);
  if (identified.vendorResponse !== undefined) {
    // The vendor got the masked text; the stored conversation must contain the same.
    const original = await redactCheckedRequest(parts, principal, request);
    const call = { ...identified, ...caller, tokenCharge: undefined, original, request: original };
    return serveRequest(parts, call);
  }
  const admission = await admitRequest(parts, principal, request, { ...caller, groups });
  try {
    sendLimitHeaders(client, admission.rateLimitStates);
    const rules = parts.safety.forGroup(principal.user.group);
    const original =
      rules === undefined
        ? request
        : await checkContent(parts, rules, { ...identified, ...admission, principal, request });
    await identified.onChecked?.(original);
    await serveRequest(parts, { ...identified, ...admission, principal, original, request: original });
  } finally {
    admission.tokenCharge?.correct();
  }
}
