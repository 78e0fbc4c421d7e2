import { type ClientRequest, readsExternalContent } from '@switchyard/relay';
import { emptyUsage } from '@switchyard/relay/usage';
import type { Hold, Ledger, NewUsageRecord } from '../../ledger/ledger.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import { createFailureRecord, createSettlement } from '../billing/charge-and-usage-record.ts';
import { type Consumption, computeConsumption } from '../billing/determine-usage.ts';
import { createHold, estimateUsage } from '../billing/estimate-hold.ts';
import type { TokenCounter } from '../billing/token-counter.ts';
import { type AttemptResult, isBilledRefusal } from '../http/attempt-result-and-errors.ts';
import { isFreeRefusal } from '../http/relay-error.ts';
import type { PacedExecutor } from '../limits/paced-executor.ts';
import type { UnpaidRequestLimit } from '../limits/unpaid-request-limit.ts';
import { adjustToChannel } from '../routing/adjust-expected-usage.ts';
import { type Booked, type FindChannelParts, rememberChannel } from '../routing/find-channel-or-explain.ts';
import { type BeginTaskParts, beginTask } from '../tasks/begin-task.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import { mayHaveRunTools } from '../upstream/failure-policy.ts';
import type { AdmittedCall } from './relayed-call-stages.ts';
import { sendSuccess, sendTask } from './send-response.ts';
import { reportDroppedFields } from './try-channel.ts';

export interface SettleAndRespondParts extends BeginTaskParts, FindChannelParts {
  unpaidRequestLimit: UnpaidRequestLimit;
  siteOf: ClientAddress['getSiteOrigin'];
  tokens: TokenCounter;
  pacedExecutor: PacedExecutor;
}

/** Responses API field by which a client requests that the response is stored. */
const STORE_FIELD = 'store';

/** Sends the end of the response, or throws the error that ends it, only after the ledger has the charge. */
export async function settleAndRespond(
  parts: SettleAndRespondParts,
  call: AdmittedCall,
  candidate: Booked,
  result: AttemptResult,
): Promise<void> {
  const isRecorded = result.outcome !== 'answered' || call.recording?.reserveRoom(result.last.body.length) !== false;
  // A background response that is too large to be recorded is stored by the code that generates it.
  if (!isRecorded && call.storeAs === undefined) reportDroppedFields(call, [...call.log.dropped, STORE_FIELD]);
  const { acceptedTask, meter } = result;
  if (acceptedTask !== undefined && meter !== undefined) {
    const served = { ...call, request: adjustToChannel(candidate, call.request) };
    const task = await beginTask(parts, served, candidate, { acceptedTask, meter, site: parts.siteOf(call.message) });
    rememberChannel(parts, call, candidate);
    return sendTask(call, task);
  }
  const charge = await settleDelivered(parts, call, candidate, result);
  if (result.outcome === 'answered') {
    rememberChannel(parts, call, candidate);
    return sendSuccess(call, result.last, charge ?? 0);
  }
  const { target } = candidate.key;
  const failure = call.client.stopReason ?? createClientError(result, { request: call.request, target });
  if (charge === undefined) {
    parts.unpaidRequestLimit.recordUnpaid(call, result);
    const record = createFailureRecord(parts, call, failure.message);
    if (call.vendorResponse === undefined) parts.ledger.release(call.requestId, record);
    else await parts.ledger.settleLasting(call.requestId, record);
  }
  throw failure;
}

/**
 * Returns whether no client has received the end of an interrupted background stream, and none can fetch it any more.
 * The part up to the last checkpoint was received.
 */
function isLostToClients({ audience }: AdmittedCall, { outcome }: AttemptResult): boolean {
  return outcome !== 'answered' && audience !== undefined && !audience.hasReceived() && !audience.canFetch();
}

/** Returns the charge in points; undefined when nothing that costs something was delivered. */
async function settleDelivered(
  parts: SettleAndRespondParts,
  call: AdmittedCall,
  candidate: Booked,
  result: AttemptResult,
): Promise<number | undefined> {
  // The vendor's own count of characters applies to the charge as it did to the hold.
  const request = adjustToChannel(candidate, call.request);
  const consumptions = await listConsumptions(parts, call, { request, candidate }, result);
  if (consumptions.length === 0) return undefined;
  const isLost = !mayHaveRunTools(call, result) && isLostToClients(call, result);
  const settlements = isLost
    ? [call.log.checkpoint]
    : consumptions.map((consumption) => createSettlement(parts, call, candidate, consumption, result));
  const settlement = settlements.reduce((one, other) => ((other?.charge ?? 0) > (one?.charge ?? 0) ? other : one));
  if (settlement === undefined) return undefined;
  const { charge, record, unrated } = settlement;
  parts.missingRates.add(unrated);
  if (call.tokenCharge !== undefined) call.tokenCharge.used = record.prompt_tokens + record.completion_tokens;
  call.log.charged = record;
  if (call.vendorResponse !== undefined) {
    const newHold = (): Hold => createHold(parts, call.requestId, call.principal, request, candidate);
    return chargeLine(parts.ledger, call.requestId, settlement, newHold);
  }
  await parts.ledger.settle(call.requestId, charge, record, isLost || call.audience?.hasReceived() !== false);
  return charge;
}

/**
 * Returns the usage, of which the dearest is charged: what was reported or counted, and the estimate if that may hide
 * what the vendor bills, because its tools have run, or the report was in an event that is too large.
 */
async function listConsumptions(
  parts: SettleAndRespondParts,
  call: AdmittedCall,
  { request, candidate }: { request: ClientRequest; candidate: Booked },
  result: AttemptResult,
): Promise<Consumption[]> {
  const { principal, client } = call;
  const { mustAbort, stopReason } = client;
  const hasRunTools = mayHaveRunTools(call, result);
  // A response that the gateway blocked before it sent any of it is free. It is charged if the vendor's tools may have
  // run, or if it belongs to a vendor's batch, whose lines have all run before the limit on unpaid requests could apply.
  const isOwed = hasRunTools || call.vendorResponse !== undefined;
  const isLeft = result.outcome === 'left' && !mustAbort && (isOwed || !isFreeRefusal(stopReason));
  const isLeftByClient = isLeft || (hasRunTools && isBilledRefusal(result));
  const error = result.outcome === 'failed' ? result.error : undefined;
  const isBilled = error?.billing === 'result';
  const attempt = { ...result, isLeftByClient, isBilled };
  const known = await computeConsumption(parts, { request, principal }, candidate, attempt);
  const isHidden = error?.isTooLarge === true && known?.source !== 'reported' && readsExternalContent(request.json);
  const isUnseen = hasRunTools || (isBilled && request.operation === 'images');
  const isUnknown = known === undefined ? isUnseen : isHidden;
  const consumptions: Consumption[] = known === undefined ? [] : [known];
  if (error?.billing === 'prompt' && request.operation !== 'images') consumptions.push(estimatePrompt(request));
  if (isUnknown) consumptions.push({ usage: estimateUsage(request, candidate), source: 'estimated' });
  return consumptions;
}

function estimatePrompt({ facts }: ClientRequest): Consumption {
  return { usage: { ...emptyUsage(), input: facts.inputTokensEstimate }, source: 'estimated' };
}

/**
 * Charges a batch line that its vendor has answered, exactly once, however often it is settled. A line without a hold
 * is charged all the same: an earlier attempt to settle it may have ended the hold without a charge.
 * @returns the charged points
 */
async function chargeLine(
  ledger: Ledger,
  requestId: string,
  { charge, record }: { charge: number; record: NewUsageRecord },
  newHold: () => Hold,
): Promise<number> {
  const charged = await ledger.settleLasting(requestId, record, charge);
  if (charged !== undefined) return charged;
  await ledger.hold({ ...newHold(), amount: charge, isOwed: true, lasting: true });
  return (await ledger.settleLasting(requestId, record, charge)) ?? charge;
}
