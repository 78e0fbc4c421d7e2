const grouped = /^([+-]?\d{1,3}(?:[,\s]\d{3})+)(\.\d*)?$/;
const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The number that somebody typed, full-width digits included; NaN for what is none. Commas and spaces may stand between
 * thousands only: one that is meant as a decimal would make an amount ten times as much.
 */
export function parseNumberText(typed: string): number {
  const text = typed.normalize('NFKC').trim();
  const [, whole, rest = ''] = grouped.exec(text) ?? [];
  if (whole !== undefined) return Number(whole.replaceAll(/[,\s]/g, '') + rest);
  return plain.test(text) ? Number(text) : Number.NaN;
}
