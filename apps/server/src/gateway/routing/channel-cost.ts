/** Calculates the cost of a call to the operator from the known prices of the channel. */
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { ClientRequest } from '@switchyard/relay';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import { type PriceRule, priceCall, RATIO_ONE, type Ratios } from '../../ledger/ledger.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { estimateOutputTokens } from './adjust-expected-usage.ts';
import type { GetChannelCost } from './channel-and-key-order.ts';
import type { AppliedPrice, PricedCandidate } from './price-candidate.ts';

const LIST = { group: RATIO_ONE, key: RATIO_ONE };

/**
 * Calculates the cost by the model's buy price, else by the channel's share of the list price. Vendor tools and
 * images use list prices, since buy prices are per token only.
 * @param batch vendor's ratio for its own batches, in millionths; absent for a single call
 * @returns points, rounded up; null when unknown
 */
export function computeCost(
  cost: LoadedChannel['cost'],
  upstreamModel: string,
  { rule, ruleOf }: ListPrice,
  usage: Usage,
  batch?: number,
): number | null {
  const price = findCostPrice(cost, upstreamModel, rule);
  if (price === null) return null;
  const boughtRule = (model: string): PriceRule => findBuyRule(cost, model, ruleOf(model)) ?? ruleOf(model);
  return priceCall(price.rule, applyBatchRatio(price.ratios, batch), usage, boughtRule).points;
}

/** Price list at the time of the call. */
type ListPrice = Pick<AppliedPrice, 'rule' | 'ruleOf'>;

function applyBatchRatio(ratios: Ratios, batch: number | undefined): Ratios {
  return batch === undefined ? ratios : { ...ratios, batch };
}

/** Returns the price by which a call's cost is calculated; null if it is unknown. */
export function findCostPrice(
  cost: LoadedChannel['cost'],
  upstreamModel: string,
  rule: PriceRule,
): Pick<AppliedPrice, 'rule' | 'ratios'> | null {
  const bought = findBuyRule(cost, upstreamModel, rule);
  if (bought !== undefined) return { rule: bought, ratios: LIST };
  const { ratioMicros } = cost;
  return ratioMicros === undefined ? null : { rule, ratios: { group: ratioMicros, key: RATIO_ONE } };
}

/** Returns the channel's buy price of a model; undefined without one. */
function findBuyRule({ models }: LoadedChannel['cost'], model: string, rule: PriceRule): PriceRule | undefined {
  const bought = models.get(model);
  return bought && { ...rule, type: 'tokens', rates: { ...rule.rates, ...bought }, tiers: [] };
}

export interface CallCost {
  /** Cost to the operator, in points; null when unknown. */
  cost: number | null;
  /** Points that count towards the channel's caps: the cost, or the list price if the cost is unknown. */
  spend: number;
}

export function computeCallCost(
  { channel, upstreamModel, price, vendorBatch }: PricedCandidate,
  usage: Usage,
): CallCost {
  const cost = computeCost(channel.cost, upstreamModel, price, usage, vendorBatch);
  const spend = cost ?? priceCall(price.rule, applyBatchRatio(LIST, vendorBatch), usage, price.ruleOf).points;
  return { cost, spend };
}

/** Estimates the spend of a call that has not begun. */
export function estimateSpend(priced: PricedCandidate, { facts }: ClientRequest): number {
  const { expected, inputTokensEstimate: input } = facts;
  const usage = expected?.usage ?? { ...emptyUsage(), output: estimateOutputTokens(facts) };
  return computeCallCost(priced, { ...usage, input }).spend;
}

/** Typical call, times a thousand, because small amounts would all be rounded up to the same point. */
const USUAL: Usage = { ...emptyUsage(), input: 2_000_000, output: 500_000 };

/** Creates a function that returns a channel's comparable cost for a model; undefined when unknown. */
export function createChannelCosts(snapshot: Snapshot): GetChannelCost {
  return (channel, model) => {
    const { upstreamModel, billedModel } = resolveModelNames(channel.modelMapping, model);
    const price = { rule: snapshot.priceOf(billedModel), ruleOf: snapshot.priceBook };
    return computeCost(channel.cost, upstreamModel, price, USUAL) ?? undefined;
  };
}
