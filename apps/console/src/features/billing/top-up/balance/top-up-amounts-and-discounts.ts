/** Offered top-up amounts, and the validation of a typed amount. */

import type { PaymentOption } from '@switchyard/contract/billing/orders';
import { AMOUNT_MAX_USD, MICROS, type TopUpTerms } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../../ui/format/use-format.ts';
import { parseNumberText } from '../../../../ui/inputs/parse-number-text.ts';

/** Price factor by amount in whole USD. */
export type Discounts = ReadonlyMap<number, number>;

export type AmountProblem = 'notWhole' | 'belowMinimum' | 'tooMuch';

const USUAL = [5, 10, 20, 50, 100, 200];

/** Returns the discounts of the public site information; invalid entries are left out. */
export function discountsFrom(text: string): Discounts {
  return new Map(
    Object.entries(parseObject(text))
      .map(([amount, factor]) => [Number(amount), Number(factor)] as const)
      .filter(([amount, factor]) => isAmount(amount) && factor > 0 && factor <= 1)
      .toSorted(([one], [other]) => one - other),
  );
}

function parseObject(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

const isAmount = (value: number) => Number.isInteger(value) && value >= 1 && value <= AMOUNT_MAX_USD;

/** Returns the amounts that the operator configured, or the default ones, from the minimum on. */
export function offeredAmounts(discounts: Discounts, minimum: number): number[] {
  const offered = discounts.size > 0 ? [...discounts.keys()] : USUAL;
  return offered.filter((amount) => amount >= minimum);
}

/** Returns the entered amount in whole USD, or the reason why it is invalid. */
export function readAmount(text: string, minimum: number): { amount: number } | { problem: AmountProblem } {
  const amount = parseNumberText(text);
  if (!Number.isInteger(amount) || amount < 1) return { problem: 'notWhole' };
  if (amount > AMOUNT_MAX_USD) return { problem: 'tooMuch' };
  return amount < minimum ? { problem: 'belowMinimum' } : { amount };
}

export function discountFor(amount: number, offer: PaymentOption, discounts: Discounts): TopUpTerms {
  return {
    discount: Math.round((discounts.get(amount) ?? 1) * MICROS),
    fixedFee: offer.fixed_fee,
    percentFee: offer.percent_fee,
    rate: offer.exchange_rate,
    currency: offer.currency,
  };
}

/** Returns a function that explains what is wrong with an amount. */
export function useAmountSentence(minimum: number): (problem: AmountProblem) => string {
  const { t } = useTranslation('top-up');
  const format = useFormat();
  return (problem) => t(`problem.${problem}`, { minimum: format.usd(minimum), maximum: String(AMOUNT_MAX_USD) });
}
