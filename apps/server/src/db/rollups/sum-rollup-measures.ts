/** Sums of slices in numbered cells, from which every measure is computed. */

import { type Points, toPoints } from '@switchyard/contract/points';
import type { CallFigures, Measure } from '@switchyard/contract/usage/analytics';
import { estimatePercentile, LATENCY_BUCKETS } from './latency-buckets.ts';
import { type HourRollupReader, type SumField, sumFields, type TimeField, timeFields } from './packed-hour.ts';

const FIRST_CELLS = 256;

/** Fields that have to be summed up for each measure. */
const fieldsByMeasure: Readonly<Record<Measure, readonly (SumField | TimeField)[]>> = {
  charged: ['charged'],
  cost: ['cost', 'costedRequests'],
  margin: ['cost', 'costed', 'costedRequests'],
  requests: ['requests'],
  errors: ['errors'],
  error_rate: ['errors', 'requests'],
  prompt_tokens: ['promptTokens'],
  cached_tokens: ['cachedTokens'],
  completion_tokens: ['completionTokens'],
  request_time_p50: ['requestTime'],
  request_time_p95: ['requestTime'],
  request_time_p99: ['requestTime'],
  first_byte_time_p50: ['firstByteTime'],
  first_byte_time_p95: ['firstByteTime'],
  first_byte_time_p99: ['firstByteTime'],
};

const percentiles = {
  request_time_p50: ['requestTime', 0.5],
  request_time_p95: ['requestTime', 0.95],
  request_time_p99: ['requestTime', 0.99],
  first_byte_time_p50: ['firstByteTime', 0.5],
  first_byte_time_p95: ['firstByteTime', 0.95],
  first_byte_time_p99: ['firstByteTime', 0.99],
} as const satisfies Partial<Record<Measure, readonly [TimeField, number]>>;
type TimeMeasure = keyof typeof percentiles;

const isTimeMeasure = (measure: Measure): measure is TimeMeasure => measure in percentiles;

export class FigureSums {
  readonly #sums: Map<SumField, Float64Array>;
  readonly #times: Map<TimeField, LatencyHistograms>;
  #cells = FIRST_CELLS;

  /** @param measure the only one that will be read; absent: all */
  constructor(measure?: Measure) {
    const isSummed = (field: SumField | TimeField) => measure === undefined || fieldsByMeasure[measure].includes(field);
    this.#sums = new Map(sumFields.filter(isSummed).map((field) => [field, new Float64Array(FIRST_CELLS)]));
    this.#times = new Map(timeFields.filter(isSummed).map((field) => [field, new LatencyHistograms()]));
  }

  /**
   * Adds the slices of an hour.
   * @param answered for each slice the cell to which its successful calls are added; -1: none
   * @param failed the same for its errors
   * @param cells number of cells
   */
  add(hour: HourRollupReader, answered: Int32Array, failed: Int32Array, cells: number): void {
    this.#grow(cells);
    for (const [field, sums] of this.#sums) {
      const values = hour.numbers(field);
      const cellOf = field === 'errors' ? failed : answered;
      for (let at = 0; at < hour.size; at += 1) {
        const cell = cellOf[at] ?? -1;
        if (cell >= 0) sums[cell] = (sums[cell] ?? 0) + (values[at] ?? 0);
      }
    }
    for (const [field, times] of this.#times) addLatencies(times, hour, field, answered);
  }

  /** Adds the sums of a cell to another cell. */
  merge(from: number, to: number): void {
    this.#grow(Math.max(from, to) + 1);
    for (const sums of this.#sums.values()) sums[to] = (sums[to] ?? 0) + (sums[from] ?? 0);
    for (const times of this.#times.values()) {
      const added = times.get(from);
      if (added === undefined) continue;
      const counts = times.make(to);
      for (let index = 0; index < LATENCY_BUCKETS; index += 1)
        counts[index] = (counts[index] ?? 0) + (added[index] ?? 0);
    }
  }

  /** Returns one figure of a cell, without computing the others. */
  figure(cell: number, measure: Measure): number | null {
    return isTimeMeasure(measure) ? this.#percentile(cell, measure) : this.#plainFigures(cell)[measure];
  }

  figures(cell: number): CallFigures {
    const times = Object.keys(percentiles) as TimeMeasure[];
    return {
      ...this.#plainFigures(cell),
      ...(Object.fromEntries(times.map((measure) => [measure, this.#percentile(cell, measure)])) as Pick<
        CallFigures,
        TimeMeasure
      >),
    };
  }

  #plainFigures(cell: number) {
    const sum = (field: SumField): number => this.#sums.get(field)?.[cell] ?? 0;
    const [requests, errors] = [sum('requests'), sum('errors')];
    const ofCosted = (amount: number): Points | null => (sum('costedRequests') === 0 ? null : toPoints(amount));
    return {
      charged: toPoints(sum('charged')),
      cost: ofCosted(sum('cost')),
      costed: toPoints(sum('costed')),
      margin: ofCosted(sum('costed') - sum('cost')),
      requests,
      errors,
      error_rate: requests + errors === 0 ? null : errors / (requests + errors),
      prompt_tokens: sum('promptTokens'),
      cached_tokens: sum('cachedTokens'),
      completion_tokens: sum('completionTokens'),
    };
  }

  #percentile(cell: number, measure: TimeMeasure): number | null {
    const [field, share] = percentiles[measure];
    const counts = this.#times.get(field)?.get(cell);
    return counts === undefined ? null : estimatePercentile(counts, share);
  }

  #grow(cells: number): void {
    if (cells <= this.#cells) return;
    this.#cells = cells * 2;
    for (const [field, sums] of this.#sums) {
      const larger = new Float64Array(this.#cells);
      larger.set(sums);
      this.#sums.set(field, larger);
    }
    for (const times of this.#times.values()) times.grow(this.#cells);
  }
}

/**
 * Counts of calls per latency bucket for each cell. They are allocated with a cell's first call, because most cells
 * have none.
 */
class LatencyHistograms {
  /** Position of each cell's counts, from 1 on; 0: none. */
  #places = new Int32Array(FIRST_CELLS);
  readonly #counts: Uint32Array[] = [];

  grow(cells: number): void {
    const larger = new Int32Array(cells);
    larger.set(this.#places);
    this.#places = larger;
  }

  get(cell: number): Uint32Array | undefined {
    return this.#counts[(this.#places[cell] ?? 0) - 1];
  }

  make(cell: number): Uint32Array {
    const known = this.get(cell);
    if (known !== undefined) return known;
    const counts = new Uint32Array(LATENCY_BUCKETS);
    this.#places[cell] = this.#counts.push(counts);
    return counts;
  }
}

function addLatencies(times: LatencyHistograms, hour: HourRollupReader, field: TimeField, cellOf: Int32Array): void {
  const { lengths, pairs } = hour.times(field);
  let at = 0;
  for (let slice = 0; slice < hour.size; slice += 1) {
    const end = at + (lengths[slice] ?? 0) * 2;
    const cell = cellOf[slice] ?? -1;
    if (cell >= 0 && at < end) {
      const counts = times.make(cell);
      for (let pair = at; pair < end; pair += 2) {
        const index = pairs[pair] ?? 0;
        counts[index] = (counts[index] ?? 0) + (pairs[pair + 1] ?? 0);
      }
    }
    at = end;
  }
}
