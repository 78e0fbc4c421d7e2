/** What a call cost the operator, by what is known of the channel's own prices. */
import type { Usage } from '@switchyard/relay';
import type { LoadedChannel } from '../features/channels/channels.ts';
import { type PriceRule, priceCall, RATIO_ONE } from '../ledger/ledger.ts';

/**
 * The buy price of the model goes before the share of the list price. What the vendor's tools and pictures cost is
 * taken from the list, as buy prices name tokens only.
 * @returns points, rounded up; null when unknown
 */
export function costOf(
  { ratioMicros, models }: LoadedChannel['cost'],
  upstreamModel: string,
  rule: PriceRule,
  usage: Usage,
): number | null {
  const bought = models.get(upstreamModel);
  if (bought !== undefined) {
    const own: PriceRule = { ...rule, type: 'tokens', rates: { ...rule.rates, ...bought }, tiers: [] };
    return priceCall(own, { group: RATIO_ONE, key: RATIO_ONE }, usage).points;
  }
  if (ratioMicros === undefined) return null;
  return priceCall(rule, { group: ratioMicros, key: RATIO_ONE }, usage).points;
}
