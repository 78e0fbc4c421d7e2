// Writes the price list that the product ships, from the data of genai-prices and `own-prices.json`. Run it after either
// has changed:
//   node scripts/update-price-list.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForUpdate } from '@pydantic/genai-prices';
import { usageCounters } from '../packages/relay/src/usage.ts';
import { readOwnPrices } from './own-prices.ts';
import { type ListedPrice, listPrices } from './price-list.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'apps/server/src/features/prices/shipped-prices.json');
const ENTRIES_MIN = 500;

const manifest: { version: string; license: string } = JSON.parse(
  readFileSync(join(root, 'node_modules/@pydantic/genai-prices/package.json'), 'utf8'),
);
const providers = await waitForUpdate();
if (providers === null) throw new Error('genai-prices has no data');
const now = new Date();
const { prices, simplified, skipped } = listPrices(providers, now, readOwnPrices());
if (prices.length < ENTRIES_MIN)
  throw new Error(`Only ${prices.length} prices were found; the data's form has changed`);

/** One entry for each line, so that a change of the list can be reviewed. */
function line({ model, owner, type, rates, image_rates, tiers, source }: ListedPrice): string {
  const sortedTiers = tiers?.map((tier) => ({ above: tier.above, rates: sorted(tier.rates) }));
  const price = { model, owner, type, rates: sorted(rates), image_rates, tiers: sortedTiers, source };
  return `    ${JSON.stringify(price)}`;
}

function sorted(rates: ListedPrice['rates']): Record<string, number> {
  return Object.fromEntries(
    usageCounters.flatMap((name) => (rates[name] == null ? [] : [[name, rates[name]]])),
  );
}

const header = {
  source: 'https://github.com/pydantic/genai-prices',
  version: manifest.version,
  licence: manifest.license,
  date: now.toISOString().slice(0, 10),
};
const head = Object.entries(header).map(
  ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
);
writeFileSync(
  target,
  ['{', ...head, '  "prices": [', prices.map(line).join(',\n'), '  ]', '}', ''].join('\n'),
);

console.log(`${prices.length} prices → ${target}`);
console.log(`\nSimplified (${simplified.length}):\n  ${simplified.join('\n  ')}`);
console.log(`\nLeft out (${skipped.length}):\n  ${skipped.join('\n  ')}`);
