/** Exact arithmetic with decimals. */

/** `digits` × 10^-`scale`. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

const DECIMALS_MAX = 40;

export const ONE: Decimal = { digits: 1n, scale: 0 };

/** Returns the decimal; undefined if the value is not a number, or has an extreme length. */
export function parseDecimal(value: unknown): Decimal | undefined {
  const text =
    typeof value === 'string' ? value.trim() : typeof value === 'bigint' ? String(value) : toShortestText(value);
  const parts = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:e([+-]?\d{1,2}))?$/i.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  if (whole === '' && fraction === '') return undefined;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > DECIMALS_MAX) return undefined;
  const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Returns the shortest decimal of a double, which is what was typed originally. */
function toShortestText(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
}

export function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale };
}

/** Returns the nearest integer to `value` × `unit`, and whether it is exact. */
export function roundToUnit(value: Decimal, unit: bigint): { whole: bigint; isExact: boolean } {
  const divisor = 10n ** BigInt(value.scale);
  const product = value.digits * unit;
  const rest = product % divisor;
  const half = rest * 2n;
  const up = half >= divisor ? 1n : half <= -divisor ? -1n : 0n;
  return { whole: product / divisor + up, isExact: rest === 0n };
}
