import { rates } from '@switchyard/contract/catalog/price-rates';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import { expect, test } from 'vitest';
import { emptyRecord, type NewUsageRecord, type UsageDetail } from '../ledger/ledger.ts';
import { computeFinalCharge, type TaskTerms } from './task-final-charge.ts';

const NANO = 1_000_000_000;
const ratios = { group: 1_000_000, key: 1_000_000 };
const record: NewUsageRecord = {
  ...emptyRecord,
  request_id: 'r',
  created_at: 1,
  user_id: 1,
  model: 'm',
  group_symbol: 'default',
  type: 'consume',
  usage_source: 'counted',
  detail: '{}',
};
const rule = {
  model: 'm',
  version: 1,
  type: 'tokens',
  rates: rates.parse({ input: 0, output: NANO, audioOutput: NANO, second: 100 * NANO, image: NANO, character: NANO }),
  image_rates: {},
  tiers: [],
} as const;

function charged(
  ordered: Partial<Usage>,
  told: Partial<Usage>,
  more: Pick<TaskTerms, 'isExact'> = { isExact: true },
): { charge: number; isFlagged: boolean } {
  const usage = { ...emptyUsage(), ...ordered };
  const terms: TaskTerms = { price: { rule, ratios }, cost: null, usage, ...more, record };
  const { charge, record: ended } = computeFinalCharge(terms, told, 2);
  const detail = JSON.parse(ended.detail) as UsageDetail;
  return { charge, isFlagged: detail.receipt?.capped === true };
}

test.each([
  ['seconds', { second: 5 }, { second: 8 }, 800],
  ['ten times the seconds', { second: 5 }, { second: 50 }, 5_000],
  ['tokens', { output: 100_000 }, { output: 108_900 }, 108_900],
  ['nothing', { second: 5 }, {}, 500],
  ['a counter that was not ordered by', { second: 5 }, { output: 1e6 }, 500],
])('a task is charged by its vendor’s report: %s', (_, ordered, told, charge) => {
  expect(charged(ordered, told)).toEqual({ charge, isFlagged: false });
});

test.each([
  ['milliseconds', { second: 5 }, { second: 8_000 }, 500],
  ['a negative length', { second: 5 }, { second: -1 }, 500],
  ['a fraction', { second: 5 }, { second: 5.5 }, 500],
  ['a nonsense number of tokens', { output: 100_000 }, { output: 1e15 }, 100_000],
])('an impossible report is not charged, and is flagged: %s', (_, ordered, told, charge) => {
  expect(charged(ordered, told)).toEqual({ charge, isFlagged: true });
});

const orders = [
  ['seconds', 'second', 22, 2_200],
  ['tokens', 'output', 100_001, 100_001],
  ['tokens of audio', 'audioOutput', 9_603, 9_603],
  ['images', 'image', 22, 22],
  ['characters', 'character', 3_003, 3_003],
] as const;

test.each(
  orders.flatMap(([name, counter, ordered, charge]) =>
    [0, 1, Math.floor(ordered / 11)].map((told) => ({ name, counter, ordered, told, charge })),
  ),
)('charges the order if an artifact is reported with $told of $ordered $name', ({ counter, ordered, told, charge }) => {
  expect(charged({ [counter]: ordered }, { [counter]: told })).toEqual({ charge, isFlagged: true });
});

test.each(orders)(
  'charges an estimated order of %s by a small report, unless it is 0',
  (_, counter, ordered, charge) => {
    const price = charge / ordered;
    expect(charged({ [counter]: ordered }, { [counter]: 1 }, {})).toEqual({ charge: price, isFlagged: false });
    expect(charged({ [counter]: ordered }, { [counter]: 0 }, {})).toEqual({ charge, isFlagged: true });
  },
);
