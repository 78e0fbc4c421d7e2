import { type ApiKey, apiKey } from '@switchyard/contract/accounts/api-keys';
import { expect, test } from 'vitest';
import { wireApiKey } from '../../../testing/wire-samples.ts';
import { budgetUses, tightestBudget } from './api-key-usage-and-budgets.tsx';

const now = 1_800_000_000;

function keyWith(budgets: { day: number | null; week: number | null; month: number | null }): ApiKey {
  const wire = wireApiKey(1);
  return apiKey.parse({
    ...wire,
    setting: { ...wire.setting, limits: { ...wire.setting.limits, budgets } },
    spent: {
      day: { used: 50, resets_at: now },
      week: { used: 90, resets_at: now },
      month: { used: 300, resets_at: now },
    },
  });
}

test('shows only the periods that have a budget, and never a negative remainder', () => {
  expect(budgetUses(keyWith({ day: 200, week: null, month: 100 }))).toEqual([
    { period: 'day', used: 50, left: 150, resetsAt: now },
    { period: 'month', used: 300, left: 0, resetsAt: now },
  ]);
});

test('returns the budget with the highest used share', () => {
  expect(tightestBudget(budgetUses(keyWith({ day: 200, week: 100, month: 1_000 })))?.period).toBe('week');
  expect(tightestBudget(budgetUses(keyWith({ day: 0, week: 100, month: null })))?.period).toBe('day');
  expect(tightestBudget(budgetUses(keyWith({ day: null, week: null, month: null })))).toBeUndefined();
});
