import { MICROS, roundHalfUp } from '@switchyard/contract/billing/top-up-cost';

/**
 * The tax that is in a price, rounded half up to the smallest coin: price × percent ÷ (100 + percent).
 * @param price in the smallest coin
 */
export function includedTax(price: number, percent: number): number {
  const rate = BigInt(Math.round(percent * MICROS));
  return Number(roundHalfUp(BigInt(price) * rate, BigInt(100 * MICROS) + rate));
}
