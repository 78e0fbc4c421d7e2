const grouped = /^([+-]?\d{1,3}(?:[,\s]\d{3})+)(\.\d*)?$/;
const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Parses an entered number, including full-width digits; NaN for an invalid text. Commas and spaces may only
 * separate thousands: reading a decimal comma as one would multiply the amount.
 */
export function parseNumberText(typed: string): number {
  const text = typed.normalize('NFKC').trim();
  const [, whole, rest = ''] = grouped.exec(text) ?? [];
  if (whole !== undefined) return Number(whole.replaceAll(/[,\s]/g, '') + rest);
  return plain.test(text) ? Number(text) : Number.NaN;
}
