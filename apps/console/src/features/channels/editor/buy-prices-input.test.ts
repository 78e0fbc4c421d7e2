import { tokenRates } from '@switchyard/contract/catalog/price-rates';
import { channelCost } from '@switchyard/contract/channels/channel-nested-settings';
import { expect, it } from 'vitest';
import { buyPrices, buyRows, isPrice, newRow } from './buy-prices-input.tsx';

const stored = {
  'gpt-5.4': tokenRates.parse({ input: 500_000_000, output: 4_000_000_000, reasoning: 7, cachedRead: 50_000_000 }),
};

it('shows USD per million tokens and preserves stored rates without a field', () => {
  const rows = buyRows(stored);
  expect(rows).toEqual([{ key: 0, model: 'gpt-5.4', usd: { input: '1', cachedRead: '0.1', output: '8' } }]);
  expect(buyPrices(rows, stored)).toEqual(stored);
});

it('drops a row without a name and lets the schema reject an invalid price', () => {
  const wrong = { ...newRow(1), model: 'm', usd: { input: 'x', cachedRead: '', output: '1' } };
  const models = buyPrices([newRow(0), wrong], {});
  expect(Object.keys(models)).toEqual(['m']);
  expect(channelCost.safeParse({ models }).success).toBe(false);
  expect(['x', '-1', '0x10', '1e400', '1,5'].map(isPrice)).toEqual([false, false, false, false, false]);
  expect(['', '0.5', '１，２００.5'].map(isPrice)).toEqual([true, true, true]);
});

it('parses numbers like other fields', () => {
  const row = { ...newRow(0), model: 'm', usd: { input: '1,000', cachedRead: '０.5', output: '3' } };
  expect(buyPrices([row], {})['m']).toMatchObject({ input: 500_000_000_000, cachedRead: 250_000_000 });
});

it('treats an empty cached rate as the input rate', () => {
  const row = { ...newRow(0), model: ' m ', usd: { input: '2', cachedRead: '', output: '3' } };
  expect(buyPrices([row], {})['m']).toMatchObject({ input: 1_000_000_000, cachedRead: null });
});
