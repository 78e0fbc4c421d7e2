/** Calculates the charge and the usage record of a finished request. */
import type { Ending } from '@switchyard/contract/usage/usage-records';
import { cachedTokens, outputTokens, promptTokens, type Usage, usageByModel } from '@switchyard/relay/usage';
import {
  createReceipt,
  emptyRecord,
  findUnratedCounters,
  hasMediaOutput,
  type NewUsageRecord,
  type PriceRule,
  priceCall,
  type UnratedCounter,
  type UsageDetail,
} from '../../ledger/ledger.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { AttemptResult } from '../http/attempt-result-and-errors.ts';
import { assignPricedModels } from '../pipeline/price-image-tool-models.ts';
import { computeCallCost } from '../routing/channel-cost.ts';
import type { PricedCandidate } from '../routing/price-candidate.ts';
import type { Consumption } from './determine-usage.ts';
import { type CallSettlement, type LoggedCall, truncateErrorText } from './logged-call.ts';

export interface SettlementParts {
  clock: Clock;
}

/** Returns the charge in points, at the price when the attempt began, and its usage record. */
export function createSettlement(
  { clock }: SettlementParts,
  call: LoggedCall,
  priced: PricedCandidate,
  { usage: consumed, source, minimumUnit }: Consumption,
  { outcome, firstContentAt }: Pick<AttemptResult, 'outcome' | 'firstContentAt'>,
): CallSettlement {
  const { channel, group, model, price } = priced;
  const { rule, ratios, ruleOf } = price;
  const usage = assignPricedModels(consumed, priced, call.principal.key);
  const charge = priceCall(rule, ratios, usage, ruleOf);
  const { attempts, dropped, safety, startedAt } = call.log;
  const detail: UsageDetail = {
    receipt: createReceipt(rule, ratios, charge),
    ending: resolveEnding(call, outcome),
    attempts,
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(safety === undefined ? {} : { safety }),
    ...batchField(call),
    ...(model === call.request.facts.model ? {} : { requested_model: call.request.facts.model }),
  };
  const record: NewUsageRecord = {
    ...createBaseRecord(call, clock),
    type: 'consume',
    model,
    channel_id: channel.id,
    group_symbol: group.symbol,
    quota: charge.points,
    ...computeCallCost(priced, usage),
    prompt_tokens: sumOverModels(usage, promptTokens),
    completion_tokens: sumOverModels(usage, outputTokens),
    cached_tokens: sumOverModels(usage, cachedTokens),
    first_byte_ms: firstContentAt === 0 ? 0 : firstContentAt - startedAt,
    usage_source: source,
    detail: JSON.stringify(detail),
  };
  const mayLackRates = charge.lines.some(({ rate }) => rate === 0) || hasMediaOutput(usage);
  const unrated = mayLackRates ? findUnratedCounters(rule, usage, ruleOf) : [];
  const unratedTokens = minimumUnit === undefined ? [] : findUnratedTokens(rule, usage);
  return { charge: charge.points, record, unrated: [...unrated, ...unratedTokens] };
}

/** Returns the tokens for which a price by the unit lacks a rate. */
function findUnratedTokens({ model, version }: PriceRule, usage: Usage): UnratedCounter[] {
  // The built-in price cannot be given a rate.
  return version === 0 ? [] : [{ model, version, counter: outputTokens(usage) > 0 ? 'output' : 'input' }];
}

/** Sums a count over all models of a response. */
function sumOverModels(usage: Usage, count: (share: Usage) => number): number {
  return usageByModel(usage).reduce((sum, share) => sum + count(share), 0);
}

/** Creates the record of a failed request: its attempts, and no charge. */
export function createFailureRecord({ clock }: SettlementParts, call: LoggedCall, message: string): NewUsageRecord {
  const outcome = call.client.hasLeft ? 'left' : 'failed';
  const { attempts, safety } = call.log;
  const detail: UsageDetail = {
    ending: resolveEnding(call, outcome),
    attempts,
    ...(safety === undefined ? {} : { safety }),
    ...batchField(call),
  };
  return {
    ...createBaseRecord(call, clock),
    type: 'error',
    channel_id: call.log.attempts.at(-1)?.channel_id ?? null,
    content: truncateErrorText(message),
    detail: JSON.stringify(detail),
  };
}

function batchField({ principal: { batch } }: LoggedCall): Pick<UsageDetail, 'batch'> {
  return batch === undefined ? {} : { batch: batch.id };
}

function resolveEnding({ client }: LoggedCall, outcome: AttemptResult['outcome']): Ending {
  if (client.stopReason !== undefined) return 'gateway-stopped';
  if (outcome === 'answered') return 'complete';
  return outcome === 'left' ? 'client-left' : 'upstream-failed';
}

function createBaseRecord({ requestId, address, request, principal, log }: LoggedCall, clock: Clock) {
  return {
    ...emptyRecord,
    request_id: requestId,
    created_at: nowSeconds(clock),
    user_id: principal.user.id,
    api_key_id: principal.key?.id ?? null,
    model: request.facts.model,
    group_symbol: principal.user.group,
    duration_ms: log.now() - log.startedAt,
    is_stream: request.facts.stream ? 1 : 0,
    address,
  };
}
