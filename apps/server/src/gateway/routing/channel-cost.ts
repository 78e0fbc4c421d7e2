/** Cost of a call to the operator, by the known prices of the channel. */

import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { ClientRequest } from '@switchyard/relay';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import { type PriceRule, priceCall, RATIO_ONE, type Ratios } from '../../ledger/ledger.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { AppliedPrice, PricedCandidate } from './applied-price.ts';
import type { GetChannelCost } from './channel-order.ts';
import { estimateOutputTokens } from './estimated-tokens.ts';

const LIST = { group: RATIO_ONE, key: RATIO_ONE };

/**
 * The buy price of the model goes before the share of the list price. What the vendor's tools and pictures cost is
 * taken from the list, as buy prices name tokens only.
 * @param batch what the vendor's own price of batches is of its price, in millionths; absent where it ran alone
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

/** The price list at the moment of the call. */
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

/** The channel's own price of a model at the vendor; undefined where it has none. */
function findBuyRule({ models }: LoadedChannel['cost'], model: string, rule: PriceRule): PriceRule | undefined {
  const bought = models.get(model);
  return bought && { ...rule, type: 'tokens', rates: { ...rule.rates, ...bought }, tiers: [] };
}

/** Points that count towards a channel's caps: what a call costs the operator, or by the price list where nobody knows. */
export function computeSpend({ channel, upstreamModel, price, vendorBatch }: PricedCandidate, usage: Usage): number {
  const cost = computeCost(channel.cost, upstreamModel, price, usage, vendorBatch);
  return cost ?? priceCall(price.rule, applyBatchRatio(LIST, vendorBatch), usage, price.ruleOf).points;
}

/** The same of a call that has not begun. */
export function estimateSpend(priced: PricedCandidate, { facts }: ClientRequest): number {
  const { expected, inputTokensEstimate: input } = facts;
  const usage = expected?.usage ?? { ...emptyUsage(), output: estimateOutputTokens(facts) };
  return computeSpend(priced, { ...usage, input });
}

/** A usual call, a thousand times over: small numbers would all be rounded up to the same point. */
const USUAL: Usage = { ...emptyUsage(), input: 2_000_000, output: 500_000 };

/** Compares what channels cost for a model; undefined where nobody knows. */
export function createChannelCosts(snapshot: Snapshot): GetChannelCost {
  return (channel, model) => {
    const { upstreamModel, billedModel } = resolveModelNames(channel.modelMapping, model);
    const price = { rule: snapshot.priceOf(billedModel), ruleOf: snapshot.priceBook };
    return computeCost(channel.cost, upstreamModel, price, USUAL) ?? undefined;
  };
}
