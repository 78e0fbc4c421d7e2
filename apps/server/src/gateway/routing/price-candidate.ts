import { hasVendorBatches } from '@switchyard/relay';
import { type PriceRule, RATIO_ONE, type Ratios } from '../../ledger/ledger.ts';
import type { BatchTerms, Principal } from '../snapshot/authenticate-api-key.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Candidate } from './channel-selector.ts';

/**
 * Price of a call: an entry of the price list, and the ratios of the group that serves it, of the key, and of a
 * batch.
 */
export interface AppliedPrice {
  rule: PriceRule;
  ratios: Ratios;
  /** Prices of other models that run within the call, from the same price list. */
  ruleOf: (model: string) => PriceRule;
}

export interface PricedCandidate extends Candidate {
  price: AppliedPrice;
  /** Provider's price ratio for its own batches, in millionths; absent for a single call. */
  vendorBatch?: number;
}

/** https://platform.openai.com/docs/guides/batch, https://console.groq.com/docs/batch */
const VENDOR_BATCH = RATIO_ONE / 2;

/**
 * Returns the candidate with the current price, or the one at which a vendor got its batch. A call keeps its price, even
 * if it changes while the call runs.
 */
export function priceCandidate(snapshot: Snapshot, { key, batch }: Principal, candidate: Candidate): PricedCandidate {
  const { billedModel, group } = candidate;
  const ratios = {
    group: batch?.isPaid === true ? 0 : group.ratioMicros,
    key: key?.ratioMicros ?? RATIO_ONE,
    ...(batch === undefined ? {} : { batch: batchRatio(batch, candidate) }),
  };
  return {
    ...candidate,
    price: { ...(batch?.price ?? { rule: snapshot.priceOf(billedModel), ratios }), ruleOf: snapshot.priceBook },
    ...(batch?.answeredIn !== undefined ? { vendorBatch: VENDOR_BATCH } : {}),
  };
}

/**
 * Returns the price ratio of a batch line. A single call to a vendor that runs batches costs the vendor's full price,
 * so its line is charged in full: otherwise a refused batch would get its lines for less than they cost.
 */
function batchRatio({ ratioMicros, isSingleCall }: BatchTerms, { key }: Candidate): number {
  return isSingleCall === true && hasVendorBatches(key.target) ? RATIO_ONE : ratioMicros;
}
