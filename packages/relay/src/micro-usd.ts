/** Dollars as vendors write them, as a number or a text; undefined when they are neither. */
export function microUsd(dollars: unknown): number | undefined {
  const amount = typeof dollars === 'string' && dollars.trim() !== '' ? Number(dollars) : dollars;
  return typeof amount === 'number' && Number.isFinite(amount) ? Math.round(amount * 1_000_000) : undefined;
}
