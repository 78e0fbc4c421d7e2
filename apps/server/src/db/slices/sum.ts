import type { CallFigures } from '@switchyard/contract/analytics';
import { type Points, toPoints } from '@switchyard/contract/money';
import { LATENCY_CLASSES, percentileOf } from './latency-classes.ts';
import { addTimes, type Slice } from './pack-calls.ts';

/** Sums of slices, out of which every measure can be told. */
export class Sum {
  requests = 0;
  errors = 0;
  charged = 0;
  costedRequests = 0;
  cost = 0;
  costed = 0;
  promptTokens = 0;
  completionTokens = 0;
  cachedTokens = 0;
  readonly requestTime = new Uint32Array(LATENCY_CLASSES);
  readonly firstByteTime = new Uint32Array(LATENCY_CLASSES);

  addAnswered(slice: Slice): void {
    this.#addNumbers(slice);
    addTimes(this.requestTime, slice.requestTime);
    addTimes(this.firstByteTime, slice.firstByteTime);
  }

  merge(other: Sum): void {
    this.#addNumbers(other);
    this.errors += other.errors;
    addCounts(this.requestTime, other.requestTime);
    addCounts(this.firstByteTime, other.firstByteTime);
  }

  #addNumbers(other: Omit<Sum | Slice, 'requestTime' | 'firstByteTime'>): void {
    this.requests += other.requests;
    this.charged += other.charged;
    this.costedRequests += other.costedRequests;
    this.cost += other.cost;
    this.costed += other.costed;
    this.promptTokens += other.promptTokens;
    this.completionTokens += other.completionTokens;
    this.cachedTokens += other.cachedTokens;
  }
}

export function figuresOf(sum: Sum): CallFigures {
  const { requests, errors } = sum;
  const ofCosted = (amount: number): Points | null => (sum.costedRequests === 0 ? null : toPoints(amount));
  return {
    charged: toPoints(sum.charged),
    cost: ofCosted(sum.cost),
    costed: toPoints(sum.costed),
    margin: ofCosted(sum.costed - sum.cost),
    requests,
    errors,
    error_rate: requests + errors === 0 ? null : errors / (requests + errors),
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    request_time_p50: percentileOf(sum.requestTime, 0.5),
    request_time_p95: percentileOf(sum.requestTime, 0.95),
    request_time_p99: percentileOf(sum.requestTime, 0.99),
    first_byte_time_p50: percentileOf(sum.firstByteTime, 0.5),
    first_byte_time_p95: percentileOf(sum.firstByteTime, 0.95),
    first_byte_time_p99: percentileOf(sum.firstByteTime, 0.99),
  };
}

function addCounts(sum: Uint32Array, counts: Uint32Array): void {
  counts.forEach((count, at) => {
    sum[at] = (sum[at] ?? 0) + count;
  });
}
