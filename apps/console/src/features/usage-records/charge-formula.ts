import { NANO_POINTS_PER_POINT } from '@switchyard/contract/rates';
import type { UsageRecordDetail } from '@switchyard/contract/usage-records';

type Receipt = NonNullable<UsageRecordDetail['receipt']>;

const NANO_DIGITS = 9;
const MICRO_DIGITS = 6;

/** A charge calculated again from its receipt, in exact decimal texts that add up. Amounts are in points. */
export interface ChargeFormula {
  lines: { counter: string; quantity: number; rateNano: number; rate: string; amount: string }[];
  /** All lines together, before the group's ratio. */
  sum: string;
  ratio: string;
  /** `sum × ratio`, before it is rounded up. */
  product: string;
  rounded: boolean;
  total: number;
}

export function chargeFormula(receipt: Receipt): ChargeFormula {
  const sum = receipt.lines.reduce((nano, { amount }) => nano + BigInt(amount), 0n);
  const ratio = BigInt(Math.round(receipt.group_ratio * 10 ** MICRO_DIGITS));
  const product = sum * ratio;
  const unit = 10n ** BigInt(NANO_DIGITS + MICRO_DIGITS);
  return {
    lines: receipt.lines.map(({ counter, quantity, rate, amount }) => ({
      counter,
      quantity,
      rateNano: rate,
      rate: decimalText(BigInt(rate), NANO_DIGITS),
      amount: decimalText(BigInt(amount), NANO_DIGITS),
    })),
    sum: decimalText(sum, NANO_DIGITS),
    ratio: decimalText(ratio, MICRO_DIGITS),
    product: decimalText(product, NANO_DIGITS + MICRO_DIGITS),
    rounded: product % unit !== 0n,
    total: receipt.total,
  };
}

/** Points for one token as dollars for a million: 1 point a token is $2. */
export function usdPerMillion(rateNano: number, pointsPerUsd: number): number {
  return ((rateNano / NANO_POINTS_PER_POINT) * 1_000_000) / pointsPerUsd;
}

/** `value ÷ 10^digits` without loss; thousands are grouped, zeros at the end dropped. */
export function decimalText(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const plain = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  const whole = plain.slice(0, -digits).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const fraction = plain.slice(-digits).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
