import {
  NANO_POINTS_PER_POINT,
  RATE_OF_USD_PER_MILLION,
  RATE_OF_USD_PER_UNIT,
} from '@switchyard/contract/catalog/price-rates';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import type { UsageRecordDetail } from '@switchyard/contract/usage/usage-records';

type Receipt = NonNullable<UsageRecordDetail['receipt']>;

const NANO_DIGITS = 9;
const MICRO_DIGITS = 6;
/** One nano-point is 2 × 10^-15 USD. */
const USD_DIGITS = 15;
const USD_PER_NANO = 10n ** BigInt(USD_DIGITS) / BigInt(POINTS_PER_USD * NANO_POINTS_PER_POINT);

/** Charge recalculated from its receipt, as exact decimal texts that add up. */
export interface ChargeFormula {
  /** `rate` in nano-points, `amount` in USD. */
  lines: { counter: string; model: string; variant: string; quantity: number; rate: number; amount: string }[];
  /** Sum of all lines in USD, before the ratios. */
  sum: string;
  groupRatio: string;
  /** Undefined without an own ratio of the token. */
  tokenRatio: string | undefined;
  /** Undefined for a call outside of a batch. */
  batchRatio: string | undefined;
  /** True if the batch ratio does not apply to all lines. */
  hasUndiscounted: boolean;
  /** `lines × ratios` in points, before rounding up. */
  points: string;
  rounded: boolean;
  total: number;
}

export function chargeFormula(receipt: Receipt): ChargeFormula {
  const sum = sumAmounts(receipt.lines);
  const whole = sumAmounts(receipt.lines.filter(({ undiscounted }) => undiscounted));
  const group = micros(receipt.group_ratio);
  const token = micros(receipt.token_ratio);
  const batch = micros(receipt.batch_ratio ?? 1);
  const points = ((sum - whole) * batch + whole * micros(1)) * group * token;
  const digits = NANO_DIGITS + 3 * MICRO_DIGITS;
  return {
    lines: receipt.lines.map(({ amount, undiscounted: _undiscounted, ...line }) => ({
      ...line,
      amount: usdText(BigInt(amount)),
    })),
    sum: usdText(sum),
    groupRatio: decimalText(group, MICRO_DIGITS),
    tokenRatio: receipt.token_ratio === 1 ? undefined : decimalText(token, MICRO_DIGITS),
    batchRatio: receipt.batch_ratio === null ? undefined : decimalText(batch, MICRO_DIGITS),
    hasUndiscounted: whole > 0n,
    points: decimalText(points, digits),
    rounded: points % 10n ** BigInt(digits) !== 0n,
    total: receipt.total,
  };
}

const sumAmounts = (lines: Receipt['lines']): bigint => lines.reduce((nano, { amount }) => nano + BigInt(amount), 0n);
const micros = (ratio: number): bigint => BigInt(Math.round(ratio * 10 ** MICRO_DIGITS));
const usdText = (nano: bigint): string => `$${decimalText(nano * USD_PER_NANO, USD_DIGITS)}`;

const tools: ReadonlySet<string> = new Set([
  'call',
  'webSearch',
  'mapsGrounding',
  'fileSearch',
  'search',
  'codeExecution',
]);

/** Returns the unit of a counter's price: a million tokens or characters, or a single item. */
export function unitOf(counter: string): 'million' | 'call' | 'image' | 'second' {
  if (counter === 'image' || counter === 'second') return counter;
  return tools.has(counter) ? 'call' : 'million';
}

/** Converts a rate to USD for the unit that `unitOf` returns. */
export function unitPrice(counter: string, rate: number): number {
  return rate / (unitOf(counter) === 'million' ? RATE_OF_USD_PER_MILLION : RATE_OF_USD_PER_UNIT);
}

/** Returns `value ÷ 10^digits` exactly, with grouped thousands and without trailing zeros. */
export function decimalText(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : '';
  const plain = String(value < 0n ? -value : value).padStart(digits + 1, '0');
  const whole = plain.slice(0, -digits).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const fraction = plain.slice(-digits).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
