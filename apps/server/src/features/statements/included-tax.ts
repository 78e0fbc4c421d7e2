/** Decimals of a percentage that count. */
const SCALE = 1_000_000;

/**
 * The tax that is in a price, rounded half up to the smallest coin: price × percent ÷ (100 + percent).
 * @param price in the smallest coin
 */
export function includedTax(price: number, percent: number): number {
  const rate = BigInt(Math.round(percent * SCALE));
  const dividend = BigInt(price) * rate;
  const divisor = BigInt(100 * SCALE) + rate;
  return Number((dividend * 2n + divisor) / (divisor * 2n));
}
