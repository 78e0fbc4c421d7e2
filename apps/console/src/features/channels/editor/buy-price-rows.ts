import { RATE_OF_USD_PER_MILLION, tokenRates } from '@switchyard/contract/catalog/price-rates';
import type { ChannelCost } from '@switchyard/contract/channels/channel-caps-costs-and-deadlines';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';

export const buyKinds = ['input', 'cachedRead', 'output'] as const;
type BuyKind = (typeof buyKinds)[number];

export interface CostRow {
  key: number;
  model: string;
  /** Entered USD per million tokens. */
  usd: Record<BuyKind, string>;
}

export function newRow(key: number): CostRow {
  return { key, model: '', usd: { input: '', cachedRead: '', output: '' } };
}

export function buyRows(models: ChannelCost['models']): CostRow[] {
  const text = (rate: number | null) => (rate === null ? '' : String(rate / RATE_OF_USD_PER_MILLION));
  return Object.entries(models).map(([model, { input, cachedRead, output }], key) => ({
    key,
    model,
    usd: { input: text(input), cachedRead: text(cachedRead), output: text(output) },
  }));
}

const noRates = tokenRates.parse({ input: 0, output: 0 });

/**
 * Returns the costs without rows that have no name; an invalid price becomes NaN, which the schema rejects.
 */
export function buyPrices(rows: readonly CostRow[], before: ChannelCost['models']): ChannelCost['models'] {
  const models = rows.map(({ model, usd }) => {
    const name = model.trim();
    const rates = {
      // Rates without a field in this form keep their values.
      ...(before[name] ?? noRates),
      input: rateOf(usd.input) ?? 0,
      cachedRead: rateOf(usd.cachedRead),
      output: rateOf(usd.output) ?? 0,
    };
    return [name, rates] as const;
  });
  return Object.fromEntries(models.filter(([name]) => name !== ''));
}

export function isPrice(text: string): boolean {
  const usd = parseNumberText(text);
  return text.trim() === '' || (Number.isFinite(usd) && usd >= 0);
}

function rateOf(text: string): number | null {
  return text.trim() === '' ? null : Math.round(parseNumberText(text) * RATE_OF_USD_PER_MILLION);
}
