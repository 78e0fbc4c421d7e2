/** Cost of quota in integer arithmetic, shared by the console and the server. */
import { z } from 'zod';

export const AMOUNT_MAX_USD = 1_000_000;

/** Millionths in a USD, or in a factor of 1. */
export const MICROS = 1_000_000;

/** Decimal on the wire, whole millionths internally. */
export const micros = z.codec(z.number().min(0).max(1_000_000), z.int(), {
  decode: (decimal) => Math.round(decimal * MICROS),
  encode: (whole) => whole / MICROS,
});

/** Number of decimals of a currency's minor unit (ISO 4217). */
const decimalsByCurrency = { USD: 2, CNY: 2, EUR: 2, GBP: 2, HKD: 2, SGD: 2, JPY: 0 } as const;

export const currencies = Object.keys(decimalsByCurrency) as (keyof typeof decimalsByCurrency)[];
export const currency = z.enum(currencies);
export type Currency = z.output<typeof currency>;

export function getCurrencyDecimals(code: Currency): number {
  return decimalsByCurrency[code];
}

/** Returns whether the currency has a rate without configuration: 1 for USD, and the settings' rate for CNY. */
export function hasDefaultRate(code: Currency): boolean {
  return code === 'USD' || code === 'CNY';
}

/** Returns minor units as the decimal of the public API: 1234 of USD is 12.34. */
export function toMajorUnits(minor: number, code: Currency): number {
  return minor / 10 ** decimalsByCurrency[code];
}

/** Returns minor units as text with all decimals, as payment providers require: `12.30`. */
export function formatMinorUnits(minor: number, code: Currency): string {
  const decimals = decimalsByCurrency[code];
  if (decimals === 0) return String(minor);
  const digits = String(minor).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Parses an amount; returns undefined if the text is not an amount of this currency or has too many decimals. */
export function parseMinorUnits(text: string, code: Currency): number | undefined {
  const decimals = decimalsByCurrency[code];
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === '' || /[^0]/.test(fraction.slice(decimals))) return undefined;
  return Number(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

export interface TopUpTerms {
  /** Price factor × 1,000,000: 900,000 is ten per cent off. */
  discount: number;
  /** Micro-USD. */
  fixedFee: number;
  /** Fee as a share of the discounted value, × 1,000,000. */
  percentFee: number;
  /** Units of `currency` per USD, × 1,000,000. */
  rate: number;
  currency: Currency;
}

export interface TopUpCost {
  /** Amount to pay, in minor units of the currency. */
  total: number;
  /** Micro-USD, both fees together, rounded half up. */
  fee: number;
  /** Reduction of the undiscounted value in micro-USD. */
  saved: number;
}

/**
 * Computes (value × discount + value × discount × fee rate + fixed fee) × exchange rate exactly, and rounds once,
 * half up, to the minor unit; the minimum is one minor unit.
 * @param amount whole USD
 * @throws RangeError when it is not a whole number from 1 to a million, or the total is not a safe integer
 */
export function topUpCost(amount: number, terms: TopUpTerms): TopUpCost {
  if (!Number.isInteger(amount) || amount < 1 || amount > AMOUNT_MAX_USD)
    throw new RangeError(`${amount} is not a valid top-up amount`);
  const one = BigInt(MICROS);
  // Micro-USD.
  const discounted = BigInt(amount) * BigInt(terms.discount);
  // Micro-USD × 1,000,000.
  const fee = discounted * BigInt(terms.percentFee) + BigInt(terms.fixedFee) * one;
  // Units of the currency × 10^18.
  const exact = (discounted * one + fee) * BigInt(terms.rate);
  const coins = 10n ** BigInt(decimalsByCurrency[terms.currency]);
  const total = Number(roundHalfUp(exact * coins, one ** 3n));
  if (!Number.isSafeInteger(total)) throw new RangeError('This cost is too large');
  return { total: Math.max(1, total), fee: Number(roundHalfUp(fee, one)), saved: amount * MICROS - Number(discounted) };
}

/** Divides non-negative integers and rounds half up. */
export function roundHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n);
}
