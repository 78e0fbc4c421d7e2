/** Price of a task: the price at its submission, even if it changes before the task ends. */
import { PLAUSIBLE_FACTOR } from '@switchyard/relay';
import { promptTokens, type Usage, usageCounters } from '@switchyard/relay/usage';
import {
  createReceipt,
  type NewUsageRecord,
  type PriceRule,
  priceCall,
  RATIO_ONE,
  type Ratios,
  type UsageDetail,
} from '../ledger/ledger.ts';

interface Price {
  rule: PriceRule;
  ratios: Ratios;
}

export interface TaskTerms {
  price: Price;
  /** Operator's cost; null if unknown. */
  cost: Price | null;
  /** Usage as submitted. */
  usage: Usage;
  /** Present if the submission determines the usage; absent if `usage` is an estimate or a maximum. */
  isExact?: true;
  /** Record to write if the artifact matches the submission. */
  record: NewUsageRecord;
  /** Present for a modal task: charged if artifacts come without an answer. */
  isWindow?: true;
}

const LIST_RATIOS: Ratios = { group: RATIO_ONE, key: RATIO_ONE };

/**
 * @param reported usage that the vendor reports
 * @param now UTC seconds
 * @returns the charge in points, and its record
 */
export function computeFinalCharge(
  { price, cost, usage: ordered, isExact, record }: TaskTerms,
  reported: Partial<Usage>,
  now: number,
): { charge: number; record: NewUsageRecord } {
  // Counters that were not part of the submission, such as tokens when seconds have a price, are not charged.
  const counted = usageCounters.filter((counter) => ordered[counter] > 0);
  const implausible = counted.filter((counter) => !isPlausible(reported[counter], ordered[counter], isExact === true));
  const made = Object.fromEntries(
    counted
      .filter((counter) => !implausible.includes(counter))
      .map((counter) => [counter, reported[counter] ?? ordered[counter]]),
  );
  const usage: Usage = {
    ...ordered,
    ...made,
    imageVariant: reported.imageVariant ?? ordered.imageVariant,
    ...(implausible.length > 0 && { implausible }),
  };
  const charge = priceCall(price.rule, price.ratios, usage);
  const bought = cost === null ? null : priceCall(cost.rule, cost.ratios, usage).points;
  const detail = JSON.parse(record.detail) as UsageDetail;
  return {
    charge: charge.points,
    record: {
      ...withEndTime(record, now),
      quota: charge.points,
      cost: bought,
      spend: bought ?? priceCall(price.rule, LIST_RATIOS, usage).points,
      prompt_tokens: promptTokens(usage),
      completion_tokens: usage.output,
      usage_source: Object.keys(reported).length > 0 ? 'reported' : record.usage_source,
      detail: JSON.stringify({ ...detail, receipt: createReceipt(price.rule, price.ratios, charge) }),
    },
  };
}

/**
 * Returns whether a count can be charged; an unreported count can. A task with an artifact has used something, so that a
 * count of 0 would make it free. Less than a tenth of an exact submission is no other length or resolution either: those
 * of a vendor differ by less, such as 5 times the pixels from 480p to 1080p at Ark. An estimate or a maximum can exceed the
 * true usage by more: a lip-sync takes 2 of at most 60 seconds, a text to sing 100 of 3,000 characters.
 * https://docs.byteplus.com/en/docs/ModelArk/1544106
 */
function isPlausible(reported: number | undefined, ordered: number, isExact: boolean): boolean {
  if (reported === undefined) return true;
  const least = isExact ? ordered / PLAUSIBLE_FACTOR : 1;
  return Number.isSafeInteger(reported) && reported >= least && reported <= PLAUSIBLE_FACTOR * ordered;
}

/**
 * Returns the record of a task that costs nothing, such as a modal task that was answered.
 * @param now UTC seconds
 */
export function createFreeRecord({ record }: TaskTerms, now: number): NewUsageRecord {
  const { receipt: _receipt, ...detail } = JSON.parse(record.detail) as UsageDetail;
  const { spend: _spend, ...rest } = withEndTime(record, now);
  return {
    ...rest,
    quota: 0,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    usage_source: 'none',
    detail: JSON.stringify(detail satisfies UsageDetail),
  };
}

/**
 * Returns the record of a task that failed and costs nothing.
 * @param now UTC seconds
 */
export function createFailureRecord(terms: TaskTerms, failure: string, now: number): NewUsageRecord {
  return { ...markFailed(createFreeRecord(terms, now), failure), type: 'error' };
}

/** Returns the record with the reason why its task failed. */
export function markFailed(record: NewUsageRecord, failure: string): NewUsageRecord {
  const detail = JSON.parse(record.detail) as UsageDetail;
  return {
    ...record,
    content: failure,
    detail: JSON.stringify({ ...detail, ending: 'upstream-failed' } satisfies UsageDetail),
  };
}

function withEndTime(record: NewUsageRecord, now: number): NewUsageRecord {
  return { ...record, created_at: now, duration_ms: record.duration_ms + (now - record.created_at) * 1000 };
}
