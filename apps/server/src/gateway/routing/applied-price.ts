import { runsBatches } from '@switchyard/relay';
import { type PriceRule, RATIO_ONE, type Ratios } from '../../ledger/ledger.ts';
import type { BatchTerms, Principal } from '../snapshot/authenticate.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Candidate } from './choose-channel.ts';

/** What a call costs: an entry of the price list, the ratio of the group that serves it, and the key's own, and a batch's. */
export interface AppliedPrice {
  rule: PriceRule;
  ratios: Ratios;
  /** Prices of other models that run within the call, of the same moment. */
  ruleOf: (model: string) => PriceRule;
}

export interface Priced extends Candidate {
  price: AppliedPrice;
  /** What its vendor takes of its price, in millionths, where it ran the call in a batch of its own. */
  vendorBatch?: number;
}

/** Half. https://platform.openai.com/docs/guides/batch, https://console.groq.com/docs/batch */
const VENDOR_BATCH = RATIO_ONE / 2;

/** With the price of this moment. A call keeps it, whatever becomes of the price while it runs. */
export function priced(snapshot: Snapshot, { key, batch }: Principal, candidate: Candidate): Priced {
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
function batchRatio({ ratioMicros, isCalledAlone }: BatchTerms, { key }: Candidate): number {
  return isCalledAlone === true && runsBatches(key.target) ? RATIO_ONE : ratioMicros;
}
