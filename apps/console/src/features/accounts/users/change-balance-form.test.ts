import { toPoints } from '@switchyard/contract/money';
import { describe, expect, it } from 'vitest';
import { planQuotaChange } from './change-balance-form.tsx';

const balance = toPoints(1_000_000);

describe('planQuotaChange', () => {
  it('converts USD to whole points and returns the new balance', () => {
    expect(planQuotaChange(balance, { direction: 'add', unit: 'usd', amount: '1,000.1' })).toEqual({
      problem: undefined,
      change: 500_050_000,
      after: 501_050_000,
    });
  });

  it('deducts down to zero, but not below', () => {
    const all = { direction: 'deduct', unit: 'points', amount: '1000000' } as const;
    expect(planQuotaChange(balance, all)).toEqual({ problem: undefined, change: -1_000_000, after: 0 });
    expect(planQuotaChange(balance, { ...all, amount: '1000001' })).toEqual({ problem: 'tooMuch' });
  });

  it('accepts a comma only between thousands, never as a possible decimal separator', () => {
    for (const amount of ['1,5', '0,05', '1,00', '12,34.5', ',5', '1 5'])
      expect(planQuotaChange(balance, { direction: 'add', unit: 'usd', amount })).toEqual({ problem: 'notAnAmount' });
    expect(planQuotaChange(balance, { direction: 'add', unit: 'points', amount: '1,234,567' })).toMatchObject({
      change: 1_234_567,
    });
  });

  it.each(['0', '-1', 'ten', '0.4', '1e400', '0x10'])('rejects %s points', (amount) => {
    expect(planQuotaChange(balance, { direction: 'add', unit: 'points', amount })).toEqual({ problem: 'notAnAmount' });
  });
});
