/** Converts top-up discounts between form rows and the setting's map. */

import { AMOUNT_MAX_USD } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { type Settings, settingDefinitions } from '@switchyard/contract/operations/settings';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';

export type Discounts = Settings['rechargeDiscount'];

export interface DiscountRow {
  /** Stable React key while the row is edited. */
  key: number;
  amount: string;
  factor: string;
}

export type RowProblem = 'amount' | 'twice' | 'factor';

export function rowsOfDiscounts(discounts: Discounts): DiscountRow[] {
  return Object.entries(discounts).map(([amount, factor], key) => ({ key, amount, factor: String(factor) }));
}

const isAmount = (usd: number) => Number.isInteger(usd) && usd >= 1 && usd <= AMOUNT_MAX_USD;
const isFactor = (factor: number) => factor > 0 && factor <= 1;

const isEmpty = ({ amount, factor }: DiscountRow) => amount.trim() === '' && factor.trim() === '';

/** Returns the problem of each row, by its key. Empty rows are ignored. */
export function problemsOfRows(rows: readonly DiscountRow[]): Map<number, RowProblem> {
  const seen = new Set<number>();
  const found = new Map<number, RowProblem>();
  for (const { key, amount, factor } of rows.filter((row) => !isEmpty(row))) {
    const usd = parseNumberText(amount);
    if (!isAmount(usd)) found.set(key, 'amount');
    else if (seen.has(usd)) found.set(key, 'twice');
    else if (!isFactor(parseNumberText(factor))) found.set(key, 'factor');
    seen.add(usd);
  }
  return found;
}

/** Returns the rows' map; while a row is invalid, a text that the setting's schema rejects. */
export function discountsOfRows(rows: readonly DiscountRow[]): Discounts | string {
  if (problemsOfRows(rows).size > 0) return JSON.stringify(rows);
  return Object.fromEntries(
    rows.filter((row) => !isEmpty(row)).map(({ amount, factor }) => [parseNumberText(amount), parseNumberText(factor)]),
  );
}

/** Returns the map; undefined for an invalid text. */
export function parseDiscounts(text: string): Discounts | undefined {
  try {
    return settingDefinitions.rechargeDiscount.schema.safeParse(text.trim() === '' ? {} : JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function isDiscounts(value: unknown): value is Discounts {
  return typeof value === 'object' && value !== null;
}
