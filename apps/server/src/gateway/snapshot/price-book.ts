import { RATE_OF_USD_PER_UNIT, rates } from '@switchyard/contract/catalog/rates';
import type { PriceRule } from '../../ledger/ledger.ts';

/**
 * Unknown models cost 30 points for a token, 60 USD for a million, either way: dear enough that nobody offers one
 * for long without a price, and never free by mistake.
 */
const DEFAULT_RATE = 30_000_000_000;

/** 1 USD for an image, 10 cents for each run of a vendor's tool, 1 cent for a second of audio. */
const DEFAULT_IMAGE_RATE = RATE_OF_USD_PER_UNIT;
const DEFAULT_TOOL_RATE = RATE_OF_USD_PER_UNIT / 10;
const DEFAULT_SECOND_RATE = RATE_OF_USD_PER_UNIT / 100;

const defaultPrice: PriceRule = {
  model: '*',
  version: 0,
  type: 'tokens',
  rates: rates.parse({
    input: DEFAULT_RATE,
    output: DEFAULT_RATE,
    webSearch: DEFAULT_TOOL_RATE,
    mapsGrounding: DEFAULT_TOOL_RATE,
    codeExecution: DEFAULT_TOOL_RATE,
    fileSearch: DEFAULT_TOOL_RATE,
    image: DEFAULT_IMAGE_RATE,
    second: DEFAULT_SECOND_RATE,
    character: DEFAULT_RATE,
  }),
  image_rates: {},
  tiers: [],
};

const REMEMBERED_MAX = 10_000;

/** Every model has a price here. Answers are remembered for as long as the book lives: until the list changes. */
export function createPriceBook(
  find: (model: string) => PriceRule | undefined,
): (model: string) => PriceRule {
  const remembered = new Map<string, PriceRule>();
  return (model) => {
    const known = remembered.get(model);
    if (known !== undefined) return known;
    const rule = find(model) ?? defaultPrice;
    if (remembered.size < REMEMBERED_MAX) remembered.set(model, rule);
    return rule;
  };
}
