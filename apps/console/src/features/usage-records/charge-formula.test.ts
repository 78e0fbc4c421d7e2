import { POINTS_PER_USD, toPoints } from '@switchyard/contract/money';
import { describe, expect, it } from 'vitest';
import { chargeFormula, decimalText, usdPerMillion } from './charge-formula.ts';

describe('chargeFormula', () => {
  it('adds up from counters to the rounded charge', () => {
    const formula = chargeFormula({
      price_type: 'tokens',
      price_model: 'gpt-5*',
      lines: [
        { counter: 'input', quantity: 1234, rate: 625_000_000, amount: '771250000000' },
        { counter: 'output', quantity: 321, rate: 5_000_000_000, amount: '1605000000000' },
      ],
      group_ratio: 1.5,
      total: toPoints(3565),
    });
    expect(formula.lines).toEqual([
      { counter: 'input', quantity: 1234, rateNano: 625_000_000, rate: '0.625', amount: '771.25' },
      { counter: 'output', quantity: 321, rateNano: 5_000_000_000, rate: '5', amount: '1,605' },
    ]);
    expect(formula).toMatchObject({ sum: '2,376.25', ratio: '1.5', product: '3,564.375', rounded: true });
    expect(formula.total).toBe(3565);
  });

  it('keeps amounts exact beyond what a double holds', () => {
    const amount = '9007199254740993000000001';
    const line = { counter: 'output', quantity: 1, rate: 1, amount };
    const receipt = { price_type: 'tokens', price_model: 'x', group_ratio: 1, total: toPoints(1) } as const;
    expect(chargeFormula({ ...receipt, lines: [line] }).sum).toBe('9,007,199,254,740,993.000000001');
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

it('shows one point a token as two dollars a million', () => {
  expect(usdPerMillion(1_000_000_000, POINTS_PER_USD)).toBe(2);
});
