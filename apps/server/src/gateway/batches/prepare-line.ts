/**
 * A line of a batch that its vendor runs, before it is sent: admitted, checked, held and said in the vendor's words. Its
 * hold lasts until the answer is there. https://platform.openai.com/docs/guides/batch
 */
import { batchPath, planExchange } from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import { nowSeconds } from '../../platform/clock.ts';
import type { Overload } from '../../platform/load-shedding.ts';
import { holdOf } from '../billing/hold-of.ts';
import { holdRefusal } from '../billing/hold-refusal.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitParts, tryAdmission } from '../pipeline/admit.ts';
import { type CheckContentParts, checkContent } from '../pipeline/check-content.ts';
import { imageToolModel } from '../pipeline/other-models.ts';
import { type ReadClientRequestParts, readClientRequest } from '../pipeline/read-client-request.ts';
import type { Inbound } from '../pipeline/relayed-call.ts';
import { answerError } from '../pipeline/respond.ts';
import { refuseLosses } from '../pipeline/try-channel.ts';
import type { StoredResponses } from '../responses/stored-responses.ts';
import { priced } from '../routing/applied-price.ts';
import { expectedSpend } from '../routing/channel-cost.ts';
import { findChannel, noChannelError } from '../routing/find-channel.ts';
import type { RunningCosts } from '../routing/spending-caps.ts';

/** Parts of the gateway that the functions below need. */
export interface PrepareLineParts extends ReadClientRequestParts, AdmitParts, CheckContentParts {
  /** Estimated costs of running requests, for the spending caps of channels. */
  running: RunningCosts;
  overload: Overload;
  responses: StoredResponses;
}

/** A line takes no place: as many are prepared at once as one user may have requests in batches. */
const NO_PLACE = { grow: () => {}, leave: () => {} };

/** Answers the client in every case; never rejects. */
export async function prepareLine(parts: PrepareLineParts, inbound: Inbound): Promise<void> {
  try {
    inbound.client.send(200, 'application/json', JSON.stringify(await makeReady(parts, inbound)));
  } catch (error) {
    await release(parts, inbound.requestId);
    answerError(parts.log, inbound, error);
  }
}

/** Gives back what is held for a line that is not going to be answered. */
export async function release({ ledger, running }: PrepareLineParts, requestId: string): Promise<void> {
  running.end(requestId);
  await ledger.resume(requestId);
  ledger.void(requestId);
}

/** @throws RelayError, InvalidRequest */
async function makeReady(parts: PrepareLineParts, inbound: Inbound) {
  refuseOverloaded(parts.overload);
  const principal = await inbound.identify();
  const read = await readClientRequest(parts, inbound, NO_PLACE, principal.user.id);
  const { groups } = await tryAdmission(parts, principal, read, inbound.address);
  const rules = parts.safety.of(principal.user.group);
  const log = { startedAt: parts.clock.now(), attempts: [], dropped: [], delivery: undefined };
  const call = { ...inbound, principal, groups, request: read, log, place: NO_PLACE };
  const said = rules === undefined ? read : await checkContent(parts, rules, call);
  const continued = await parts.responses.resolvePrevious({ request: said, principal, groups }, NO_PLACE);
  const { request } = { ...continued, ...continued.withFullHistory };
  const candidate = findChannel(parts, { request, principal, groups }, []);
  if (candidate === undefined) throw await noChannelError(parts, { request, principal, groups });
  const { channel, key, upstreamModel } = candidate;
  const booked = priced(parts.snapshot, principal, candidate);
  parts.running.set(inbound.requestId, channel, expectedSpend(booked, request));
  const hold = holdOf(parts, inbound.requestId, principal, request, booked);
  const held = await parts.ledger.hold({ ...hold, lasting: true });
  if (!held.held) throw holdRefusal(held, principal.key?.name ?? '', hold.amount, nowSeconds(parts.clock));
  const target = {
    ...(await parts.vendorTokens.signedIn(key.target, channel.proxy)),
    model: upstreamModel,
    imageToolModel: imageToolModel(request, principal, candidate)?.upstreamModel,
  };
  const { url, body, dropped } = planExchange(request, target);
  if (principal.key?.refusesLosses === true) refuseLosses(dropped);
  return { url: batchPath(url), body: parseJson(body.toString()) };
}
