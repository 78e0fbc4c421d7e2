/** Returns an amount in USD, given as a number or text, in micro-USD; undefined for other values. */
export function toMicroUsd(amount: unknown): number | undefined {
  if (typeof amount !== 'number' && (typeof amount !== 'string' || amount.trim() === '')) return undefined;
  const micros = Math.round(Number(amount) * 1_000_000);
  return Number.isSafeInteger(micros) ? micros : undefined;
}
