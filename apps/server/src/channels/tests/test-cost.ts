/** Cost of tests by the list price. */
import { POINTS_PER_USD } from '@switchyard/contract/money';
import type { ClientRequest } from '@switchyard/relay';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { priceCall, RATIO_ONE } from '../../ledger/ledger.ts';
import type { PaidKind } from './free-probes.ts';

export const MICRO_USD_PER_POINT = 1_000_000 / POINTS_PER_USD;
const atList = { group: RATIO_ONE, key: RATIO_ONE };
/** Estimate for tokens that are single letters or JSON punctuation. */
const BYTES_PER_TOKEN = 4;
/** Tokens of a small image, whatever its bytes. */
const IMAGE_TOKENS = 300;
/** Output tokens of typical models; reasoning models write more. */
const typicalOutputTokens: Readonly<Record<PaidKind, number>> = {
  short: 16,
  stream: 30,
  answer: 10,
  refusal: 0,
  image: 10,
  json: 30,
  tool: 40,
  pieces: 30,
  identity: 16,
};

export interface TestCosts {
  /** Returns micro-USD; null if the model has no price. */
  compute(model: string, usage: Usage): number | null;
}

export async function loadTestCosts(ctx: Context): Promise<TestCosts> {
  const priceOf = await loadPriceLookup(ctx);
  return {
    compute(model, usage) {
      const price = priceOf(model);
      return price === undefined ? null : priceCall(price, atList, usage).points * MICRO_USD_PER_POINT;
    },
  };
}

/** Returns the expected usage of a test before it is made. */
export function estimateUsage(kind: PaidKind, { operation, body }: ClientRequest): Usage {
  const usage = emptyUsage();
  if (kind === 'refusal') return usage;
  if (operation === 'images') return { ...usage, image: 1 };
  const input = kind === 'image' ? IMAGE_TOKENS : Math.ceil(body.length / BYTES_PER_TOKEN);
  if (operation === 'speech') return { ...usage, input, character: 2 };
  const writes = operation === 'chat' || operation === 'completions';
  return { ...usage, input, output: writes ? typicalOutputTokens[kind] : 0 };
}
