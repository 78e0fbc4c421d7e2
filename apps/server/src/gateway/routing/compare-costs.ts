import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { computeCost } from './channel-cost.ts';
import type { GetChannelCost } from './channel-order.ts';

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
