/**
 * Finds a channel, holds the maximum cost of the request there, and tries it; moves to the next channel until one
 * answers, none is left, or the client has received content.
 */
import type { UpstreamError } from '@switchyard/relay';
import { createFailureRecord } from '../billing/charge-and-usage-record.ts';
import { createHold } from '../billing/estimate-hold.ts';
import { createHoldRefusal, createParallelRefusal } from '../billing/hold-refusal.ts';
import type { AttemptResult } from '../http/attempt-result-and-errors.ts';
import type { RelayError } from '../http/relay-error.ts';
import { isPreviousResponseMissing } from '../responses-api/add-earlier-turns.ts';
import { adjustToChannel, assumeHighUsage, hasUnknownCost } from '../routing/adjust-expected-usage.ts';
import { estimateSpend } from '../routing/channel-cost.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import {
  type Booked,
  book,
  type FailedAttempt,
  findChannel,
  noChannelError,
} from '../routing/find-channel-or-explain.ts';
import type { RunningCosts } from '../routing/running-costs-and-caps.ts';
import { canRetry, mayHaveBeenAccepted, mayHaveRunTools, toFailedAttempt } from '../upstream/failure-policy.ts';
import type { AdmittedCall } from './relayed-call-stages.ts';
import { type TryChannelParts, tryChannel } from './try-channel.ts';

export interface TryChannelsParts extends TryChannelParts {
  /** Estimated costs of running requests, for the spending caps of channels. */
  running: RunningCosts;
}

/** Last attempt, with the call as that attempt sent it. */
interface LastAttempt {
  call: AdmittedCall;
  candidate: Booked;
  result: AttemptResult;
}

/** @throws RelayError when no channel can serve the request */
export async function findFirstChannel(parts: TryChannelsParts, call: AdmittedCall): Promise<Booked> {
  const candidate = findChannel(parts, call, []);
  if (candidate !== undefined) return book(parts, call.principal, candidate);
  const error = await noChannelError(parts, call);
  // Other errors, such as unknown models, and repeated refusals would fill the log.
  if (error.code === 'channel_cap_reached' && parts.refusalRecords.tryConsume(String(call.principal.user.id)))
    parts.ledger.record(createFailureRecord(parts, call, error.message));
  throw error;
}

/**
 * Holds the maximum cost of the attempt.
 * @returns the error when the account lacks the funds; the channel is then free for other requests
 */
export async function holdFunds(
  parts: TryChannelsParts,
  call: AdmittedCall,
  booked: Booked,
): Promise<RelayError | undefined> {
  const { principal, requestId } = call;
  const request = adjustToChannel(booked, call.request);
  const isBesideOthers = parts.running.hasUnknownCost(principal.user.id);
  const { rule } = booked.price;
  const held = isBesideOthers ? assumeHighUsage(request, rule) : request;
  const hold = createHold(parts, requestId, principal, held, booked);
  hold.idempotencyKey = call.idempotencyKey;
  // The client of a background response has received nothing of it when another node fails it.
  if (call.storeAs !== undefined && !request.facts.stream) hold.isSentAgain = true;
  let isHeld = false;
  try {
    const cost = {
      requestId,
      userId: hold.userId,
      channel: booked.channel,
      points: estimateSpend(booked, request),
      hasUnknownCost: hasUnknownCost(request, rule),
    };
    const reply = await parts.running.setDuring(cost, () => parts.ledger.hold(hold));
    isHeld = reply.held;
    if (reply.held) return undefined;
    const unpaid = { key: principal.key, amount: hold.amount, format: request.format };
    if (isBesideOthers && reply.short !== 'alarm') {
      const alone = createHold(parts, requestId, principal, request, booked);
      if (alone.amount <= reply.available) return createParallelRefusal(parts, reply.available, unpaid);
    }
    return createHoldRefusal(parts, reply, unpaid);
  } finally {
    if (!isHeld) booked.watch.discard();
  }
}

/** @param first channel to begin with, for which funds are held */
export async function tryChannels(parts: TryChannelsParts, call: AdmittedCall, first: Booked): Promise<LastAttempt> {
  const failed: FailedAttempt[] = [];
  for (let candidate = first; ; ) {
    const result = await tryChannel(parts, call, candidate);
    if (result.outcome !== 'failed' || call.client.isDelivering || mayHaveRunTools(call, result))
      return { call, candidate, result };
    if (call.withFullHistory !== undefined && isPreviousResponseMissing(result.error))
      return resendWithHistory(parts, { ...call, ...call.withFullHistory }, { candidate, result });
    failed.push(toFailedAttempt(parts, candidate, result.error));
    const next = await findNextChannel(parts, call, result.error, failed);
    if (next === undefined) return { call, candidate, result };
    candidate = next;
  }
}

/**
 * Resends the request with its full history after the vendor has deleted the earlier response. No channel is at
 * fault, so every channel and retry is available.
 */
async function resendWithHistory(
  parts: TryChannelsParts,
  continued: AdmittedCall,
  last: Omit<LastAttempt, 'call'>,
): Promise<LastAttempt> {
  const call = { ...continued, withFullHistory: undefined };
  const next = await bookNext(parts, call, []);
  return next === undefined ? { ...last, call } : tryChannels(parts, call, next);
}

async function findNextChannel(
  parts: TryChannelsParts,
  call: AdmittedCall,
  error: UpstreamError,
  failed: readonly FailedAttempt[],
): Promise<Booked | undefined> {
  const { principal, log, request } = call;
  // A second vendor would run the task twice.
  if (request.submission !== undefined && mayHaveBeenAccepted(error)) return undefined;
  return bookNext(parts, call, failed, ({ channel }) =>
    canRetry(parts, principal.user.id, error, log, channel.id === failed.at(-1)?.channel.id),
  );
}

/**
 * Returns the next channel with its funds held; undefined when none is left, or the account cannot pay for it.
 * @param canAttempt called last, because it takes a retry from the budget
 */
async function bookNext(
  parts: TryChannelsParts,
  call: AdmittedCall,
  failed: readonly FailedAttempt[],
  canAttempt: (candidate: Candidate) => boolean = () => true,
): Promise<Booked | undefined> {
  // The last attempt's expected cost would count against that channel's cap.
  parts.running.end(call.requestId);
  const candidate = findChannel(parts, call, failed);
  if (candidate === undefined || !canAttempt(candidate)) return undefined;
  const booked = book(parts, call.principal, candidate);
  return (await holdFunds(parts, call, booked)) === undefined ? booked : undefined;
}
