import { toPoints } from '@switchyard/contract/money';
import { describe, expect, it } from 'vitest';
import { chargeFormula, decimalText, unitPrice } from './charge-formula.ts';
import { wireLine } from './usage-records.samples.ts';

const plain = {
  price_type: 'tokens',
  price_model: 'gpt-5*',
  price_version: 3,
  tier_above: null,
  group_ratio: 1,
  token_ratio: 1,
  batch_ratio: null,
  rounding: 'up',
  capped: false,
} as const;

describe('chargeFormula', () => {
  it('adds up from the counters to the rounded charge', () => {
    const formula = chargeFormula({
      ...plain,
      lines: [
        wireLine({ quantity: 1234, rate: 625_000_000, amount: '771250000000' }),
        wireLine({ counter: 'output', quantity: 321, rate: 5_000_000_000, amount: '1605000000000' }),
      ],
      group_ratio: 1.5,
      token_ratio: 0.9,
      batch_ratio: null,
      total: toPoints(3208),
    });
    expect(formula.lines.map(({ amount }) => amount)).toEqual(['$0.0015425', '$0.00321']);
    expect(formula).toMatchObject({
      sum: '$0.0047525',
      groupRatio: '1.5',
      tokenRatio: '0.9',
      points: '3,207.9375',
      rounded: true,
      total: 3208,
    });
  });

  it('multiplies by the ratio of batches, even if it is 1', () => {
    const line = wireLine({ quantity: 3, rate: 1, amount: '3000000000' });
    const of = (batch_ratio: number) => chargeFormula({ ...plain, batch_ratio, lines: [line], total: toPoints(2) });
    expect(of(0.5)).toMatchObject({ batchRatio: '0.5', points: '1.5', rounded: true });
    expect(of(1)).toMatchObject({ batchRatio: '1', points: '3', rounded: false });
  });

  it('applies the ratio of batches to no line that is charged in full', () => {
    const lines = [
      wireLine({ quantity: 3, rate: 1, amount: '3000000000' }),
      wireLine({ counter: 'webSearch', quantity: 1, rate: 1, amount: '7000000000', undiscounted: true }),
    ];
    const formula = chargeFormula({ ...plain, batch_ratio: 0.5, token_ratio: 2, lines, total: toPoints(17) });
    expect(formula).toMatchObject({ points: '17', hasUndiscounted: true, rounded: false });
    expect(chargeFormula({ ...plain, lines: lines.slice(0, 1), total: toPoints(3) }).hasUndiscounted).toBe(false);
  });

  it('leaves out the missing ratios of a token and a batch', () => {
    expect(chargeFormula({ ...plain, lines: [], total: toPoints(0) })).toMatchObject({
      tokenRatio: undefined,
      batchRatio: undefined,
      rounded: false,
    });
  });

  it('keeps amounts exact that a double cannot hold', () => {
    const line = wireLine({ counter: 'output', quantity: 1, rate: 1, amount: '9007199254740993000000001' });
    expect(chargeFormula({ ...plain, lines: [line], total: toPoints(1) })).toMatchObject({
      sum: '$18,014,398,509.481986000000002',
      points: '9,007,199,254,740,993.000000001',
    });
  });
});

describe('decimalText', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [1_000_000_000n, '1'],
    [-1_500_000_000n, '-1.5'],
    [1_234_567_000_000_000n, '1,234,567'],
  ])('writes %s nano-points as %s', (value, text) => {
    expect(decimalText(value, 9)).toBe(text);
  });
});

it.each([
  ['input', 1_000_000_000, 2],
  ['character', 7_500_000_000, 15],
  ['webSearch', 5_000_000_000_000, 0.01],
  ['image', 20_000_000_000_000, 0.04],
])('returns the unit price of %s in USD', (counter, rate, usd) => {
  expect(unitPrice(counter, rate)).toBe(usd);
});
