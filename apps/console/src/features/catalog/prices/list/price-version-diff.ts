import type { Rates } from '@switchyard/contract/catalog/price-rates';
import type { PriceVersion } from '@switchyard/contract/catalog/prices';
import { type PriceType, rateToUsd } from '../editor/rate-units.ts';

/** Amounts in USD; null where there is no own rate. */
interface Amounts {
  from: number | null;
  to: number | null;
}

export type PriceChange =
  | { what: 'type'; from: PriceType; to: PriceType }
  /** `above` is the prompt size in tokens above which the rate applies. */
  | ({ what: 'rate'; kind: keyof Rates; above: number } & Amounts)
  | ({ what: 'image'; variant: string } & Amounts);

export function changesOfVersions(before: PriceVersion, after: PriceVersion): PriceChange[] {
  const changes: PriceChange[] = [];
  if (before.type !== after.type) changes.push({ what: 'type', from: before.type, to: after.type });
  const stages = new Set([...before.tiers, ...after.tiers].map(({ above }) => above));
  for (const above of [0, ...[...stages].toSorted((one, other) => one - other)])
    changes.push(...rateChanges(before, after, above));
  for (const variant of new Set([...Object.keys(before.image_rates), ...Object.keys(after.image_rates)])) {
    const amount = ({ type, image_rates }: PriceVersion) =>
      image_rates[variant] === undefined ? null : rateToUsd(type, image_rates[variant], 'image');
    const [from, to] = [amount(before), amount(after)];
    if (from !== to) changes.push({ what: 'image', variant, from, to });
  }
  return changes;
}

function rateChanges(before: PriceVersion, after: PriceVersion, above: number): PriceChange[] {
  const [old, young] = [usdRates(before, above), usdRates(after, above)];
  const kinds = new Set([...old.keys(), ...young.keys()]);
  return [...kinds].flatMap((kind): PriceChange[] => {
    const [from, to] = [old.get(kind) ?? null, young.get(kind) ?? null];
    return from === to ? [] : [{ what: 'rate', kind, above, from, to }];
  });
}

/** Returns only the rates that are set, in USD. */
function usdRates({ type, rates, tiers }: PriceVersion, above: number): Map<keyof Rates, number> {
  const own = above === 0 ? rates : tiers.find((tier) => tier.above === above)?.rates;
  const entries = Object.entries(own ?? {}) as [keyof Rates, number | null][];
  return new Map(
    entries.flatMap(([kind, rate]) =>
      rate === null ? [] : [[kind, rateToUsd(type, rate, kind)] as [keyof Rates, number]],
    ),
  );
}
