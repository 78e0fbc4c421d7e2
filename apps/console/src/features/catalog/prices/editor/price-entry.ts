import { parseNumberText } from '../../../../ui/inputs/number-text.ts';

/** Ways in which prices of tokens are stated, beside dollars for a million. */
export const entryUnits = ['ratio', 'usd-thousand', 'cny-million', 'cny-thousand'] as const;
export type EntryUnit = (typeof entryUnits)[number];

/** A ratio of 1 is one point for a token: 2 USD for a million. */
const USD_OF_RATIO = 2;
/** No price has more than nine decimals. */
const EXACT = 1e9;

/** USD for a million tokens; undefined where no price was typed. */
export function usdPerMillion(typed: string, unit: EntryUnit, yuanPerUsd: number): number | undefined {
  const amount = parseNumberText(typed);
  if (!Number.isFinite(amount) || amount < 0) return undefined;
  return Math.round(amount * factorOf(unit, yuanPerUsd) * EXACT) / EXACT;
}

function factorOf(unit: EntryUnit, yuanPerUsd: number): number {
  switch (unit) {
    case 'ratio':
      return USD_OF_RATIO;
    case 'usd-thousand':
      return 1_000;
    case 'cny-million':
      return 1 / yuanPerUsd;
    case 'cny-thousand':
      return 1_000 / yuanPerUsd;
  }
}
