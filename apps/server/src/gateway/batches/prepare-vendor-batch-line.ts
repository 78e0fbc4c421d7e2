/**
 * Prepares a line of a batch that its vendor runs: admits it, checks its content, holds its funds and translates it.
 * The hold lasts until the response arrives. https://platform.openai.com/docs/guides/batch
 */
import { planExchange, toRequestPath } from '@switchyard/relay';
import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { createHold } from '../billing/estimate-hold.ts';
import { createHoldRefusal } from '../billing/hold-refusal.ts';
import { createRequestLog } from '../billing/request-telemetry.ts';
import { runPaced } from '../limits/paced-executor.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitParts, admitCaller, admitRequest } from '../pipeline/admit-request.ts';
import { type CheckContentParts, checkContent } from '../pipeline/check-content.ts';
import { type ReadClientRequestParts, readClientRequest } from '../pipeline/read-client-request.ts';
import type { Inbound } from '../pipeline/relayed-call-stages.ts';
import { sendError } from '../pipeline/send-response.ts';
import { rejectDroppedFields } from '../pipeline/try-channel.ts';
import type { StoredResponses } from '../responses-api/conversation-state.ts';
import { adjustToChannel, assumeHighUsage } from '../routing/adjust-expected-usage.ts';
import { estimateSpend } from '../routing/channel-cost.ts';
import { findChannel, noChannelError } from '../routing/find-channel-or-explain.ts';
import { priceCandidate } from '../routing/price-candidate.ts';
import type { RunningCosts } from '../routing/running-costs-and-caps.ts';
import type { RoutedRequest } from '../tasks/task-origin.ts';

export interface PrepareLineParts extends ReadClientRequestParts, AdmitParts, CheckContentParts {
  /** Estimated costs of running requests, for the spending caps of channels. */
  running: RunningCosts;
  overload: OverloadMonitor;
  responses: StoredResponses;
}

/**
 * Stands in for a concurrency slot: the limit on a user's concurrent batch requests already bounds the preparation of
 * lines.
 */
const NO_SLOT = { grow: () => {}, growTo: () => {}, release: () => {} };

/** Responds in every case; never rejects. */
export async function prepareLine(parts: PrepareLineParts, inbound: Inbound): Promise<void> {
  try {
    inbound.client.send(200, 'application/json', JSON.stringify(await prepareRequest(parts, inbound)));
  } catch (error) {
    await releaseLine(parts, inbound.requestId);
    sendError(parts.log, inbound, error);
  }
}

/** Releases the hold of a line that will not get a response. */
export async function releaseLine({ ledger, running }: PrepareLineParts, requestId: string): Promise<void> {
  running.end(requestId);
  await ledger.resume(requestId);
  ledger.release(requestId);
}

/** @returns the URL and the JSON of the request. @throws RelayError, InvalidRequestError */
async function prepareRequest(parts: PrepareLineParts, inbound: Inbound): Promise<{ url: string; body: string }> {
  refuseOverloaded(parts.overload);
  const principal = await inbound.identify();
  const request = await readClientRequest(parts, inbound, NO_SLOT, principal.user.id);
  const caller = await admitCaller(parts, principal, inbound.address);
  const { groups, tokenCharge } = await admitRequest(parts, principal, request, caller);
  try {
    return await prepareAdmitted(parts, inbound, { principal, groups, request });
  } catch (error) {
    // Only a line that its vendor gets uses its estimate: the vendor may take a day to report the actual tokens.
    tokenCharge?.correct();
    throw error;
  }
}

async function prepareAdmitted(
  parts: PrepareLineParts,
  inbound: Inbound,
  { principal, groups, request: read }: RoutedRequest,
): Promise<{ url: string; body: string }> {
  const rules = parts.safety.forGroup(principal.user.group);
  const log = createRequestLog({ clock: parts.clock, tracing: undefined }, inbound.message);
  const call = { ...inbound, principal, groups, request: read, log, slot: NO_SLOT };
  const checked = rules === undefined ? read : await checkContent(parts, rules, call);
  const continued = await parts.responses.resolvePrevious({ request: checked, principal, groups }, NO_SLOT);
  const { request } = { ...continued, ...continued.withFullHistory };
  const candidate = findChannel(parts, { request, principal, groups }, []);
  if (candidate === undefined) throw await noChannelError(parts, { request, principal, groups });
  const { channel, key, upstreamModel, imageTool } = candidate;
  const booked = priceCandidate(parts.snapshot, principal, candidate);
  const served = adjustToChannel(booked, request);
  const hold = createHold(parts, inbound.requestId, principal, assumeHighUsage(served, booked.price.rule), booked);
  const { requestId, userId } = hold;
  const cost = { requestId, userId, channel, points: estimateSpend(booked, served), hasUnknownCost: false };
  const held = await parts.running.setDuring(cost, () => parts.ledger.hold({ ...hold, lasting: true }));
  if (!held.held)
    throw createHoldRefusal(parts, held, { key: principal.key, amount: hold.amount, format: request.format });
  const target = {
    ...(await parts.vendorTokens.signIn(key.target, channel.proxy)),
    model: upstreamModel,
    imageToolModel: imageTool?.upstreamModel,
  };
  const plan = () => planExchange(request, target);
  const { url, body, dropped } = await runPaced(parts.pacedExecutor, principal.user.id, request, plan);
  if (principal.key?.rejectsDroppedFields === true) rejectDroppedFields(dropped);
  return { url: toRequestPath(url), body: body.toString() };
}
