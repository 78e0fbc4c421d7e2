import { hasVendorBatches } from '@switchyard/relay';
import { type PriceRule, RATIO_ONE, type Ratios } from '../../ledger/ledger.ts';
import type { BatchTerms, Principal } from '../snapshot/authenticate.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Candidate } from './channel-selector.ts';

/**
 * Price of a call: an entry of the price list, and the ratios of the group that serves it, of the key, and of a
 * batch.
 */
export interface AppliedPrice {
  rule: PriceRule;
  ratios: Ratios;
  /** Prices of other models that run within the call, of the same moment. */
  ruleOf: (model: string) => PriceRule;
}

export interface PricedCandidate extends Candidate {
  price: AppliedPrice;
  /** Share of the price that the provider charges for a call that it ran in a batch of its own, in millionths. */
  vendorBatch?: number;
}

/** Half. https://platform.openai.com/docs/guides/batch, https://console.groq.com/docs/batch */
const VENDOR_BATCH = RATIO_ONE / 2;

/** Returns the candidate with the current price. A call keeps that price, even if it changes while the call runs. */
export function priceCandidate(snapshot: Snapshot, { key, batch }: Principal, candidate: Candidate): PricedCandidate {
  const { billedModel, group } = candidate;
  const ratios = {
    group: group.ratioMicros,
    key: key?.ratioMicros ?? RATIO_ONE,
    ...(batch === undefined ? {} : { batch: batchRatio(batch, candidate) }),
  };
  return {
    ...candidate,
    price: { rule: snapshot.priceOf(billedModel), ratios, ruleOf: snapshot.priceBook },
    ...(batch?.answeredIn !== undefined ? { vendorBatch: VENDOR_BATCH } : {}),
  };
}

/**
 * A vendor that runs batches takes its full price for a single call. The price of batches is for lines that it runs in one,
 * and for channels without: else whoever gets a batch refused would have its lines for less than they cost.
 */
function batchRatio({ ratioMicros, isSingleCall }: BatchTerms, { key }: Candidate): number {
  return isSingleCall === true && hasVendorBatches(key.target) ? RATIO_ONE : ratioMicros;
}
