/** Of an amount in USD, as a number or as the text of one; undefined where there is none. */
export function microUsd(amount: unknown): number | undefined {
  if (typeof amount !== 'number' && (typeof amount !== 'string' || amount.trim() === '')) return undefined;
  const micros = Math.round(Number(amount) * 1_000_000);
  return Number.isSafeInteger(micros) ? micros : undefined;
}
