// Writes the price list that the product ships, from the data of genai-prices and `own-prices.json`. Run it after either
// has changed:
//   node scripts/update-price-list.ts
import { waitForUpdate } from '@pydantic/genai-prices';
import { usageCounters } from '../packages/relay/src/model/usage.ts';
import { readAddedRates, readOwnPrices } from './own-prices.ts';
import { type ListedPrice, listPrices } from './price-list.ts';
import { writeShippedList } from './shipped-list.ts';

const TARGET = 'apps/server/src/catalog/prices/shipped-prices.json';
const ENTRIES_MIN = 500;

const providers = await waitForUpdate();
if (providers === null) throw new Error('genai-prices has no data');
const now = new Date();
const { prices, simplified, skipped } = listPrices(providers, now, readOwnPrices(), readAddedRates());
if (prices.length < ENTRIES_MIN)
  throw new Error(`Only ${prices.length} prices were found; the data's form has changed`);

function sortFields({ model, owner, type, rates, image_rates, tiers, source }: ListedPrice): object {
  const sortedTiers = tiers?.map((tier) => ({ above: tier.above, rates: sortRates(tier.rates) }));
  return { model, owner, type, rates: sortRates(rates), image_rates, tiers: sortedTiers, source };
}

function sortRates(rates: ListedPrice['rates']): Record<string, number> {
  return Object.fromEntries(usageCounters.flatMap((name) => (rates[name] == null ? [] : [[name, rates[name]]])));
}

writeShippedList(TARGET, 'prices', prices.map(sortFields), now);

console.log(`${prices.length} prices → ${TARGET}`);
console.log(`\nSimplified (${simplified.length}):\n  ${simplified.join('\n  ')}`);
console.log(`\nLeft out (${skipped.length}):\n  ${skipped.join('\n  ')}`);
