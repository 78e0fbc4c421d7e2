/** Sums of slices in numbered cells, out of which every measure can be told. */
import type { CallFigures, Measure } from '@switchyard/contract/analytics';
import { type Points, toPoints } from '@switchyard/contract/money';
import { LATENCY_CLASSES, percentileOf } from './latency-classes.ts';
import { type HourReader, type SumField, sumFields, type TimeField, timeFields } from './pack-calls.ts';

const FIRST_CELLS = 256;

/** What has to be summed up to tell a measure. */
const fieldsOf: Readonly<Record<Measure, readonly (SumField | TimeField)[]>> = {
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

export class Sums {
  readonly #sums: Map<SumField, Float64Array>;
  readonly #times: Map<TimeField, Uint32Array>;
  #cells = FIRST_CELLS;

  /** @param measure the only one that will be asked for; absent: all */
  constructor(measure?: Measure) {
    const isSummed = (field: SumField | TimeField) =>
      measure === undefined || fieldsOf[measure].includes(field);
    this.#sums = new Map(sumFields.filter(isSummed).map((field) => [field, new Float64Array(FIRST_CELLS)]));
    this.#times = new Map(
      timeFields.filter(isSummed).map((field) => [field, new Uint32Array(FIRST_CELLS * LATENCY_CLASSES)]),
    );
  }

  /**
   * Adds the slices of an hour.
   * @param answered for each slice the cell to which its answered calls are added; -1: none
   * @param failed the same for its errors
   * @param cells how many there are now
   */
  add(hour: HourReader, answered: Int32Array, failed: Int32Array, cells: number): void {
    this.#grow(cells);
    for (const [field, sums] of this.#sums) {
      const values = hour.numbers(field);
      const cellOf = field === 'errors' ? failed : answered;
      for (let at = 0; at < hour.size; at += 1) {
        const cell = cellOf[at] ?? -1;
        if (cell >= 0) sums[cell] = (sums[cell] ?? 0) + (values[at] ?? 0);
      }
    }
    for (const [field, counts] of this.#times) addTimes(counts, hour, field, answered);
  }

  /** Adds a cell to another. */
  merge(from: number, to: number): void {
    this.#grow(Math.max(from, to) + 1);
    for (const sums of this.#sums.values()) sums[to] = (sums[to] ?? 0) + (sums[from] ?? 0);
    for (const counts of this.#times.values())
      for (let place = 0; place < LATENCY_CLASSES; place += 1) {
        const at = to * LATENCY_CLASSES + place;
        counts[at] = (counts[at] ?? 0) + (counts[from * LATENCY_CLASSES + place] ?? 0);
      }
  }

  figures(cell: number): CallFigures {
    const times = (field: TimeField) => {
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => this.#percentile(cell, field, share));
      return { p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null };
    };
    const [requestTime, firstByteTime] = [times('requestTime'), times('firstByteTime')];
    return {
      ...this.#plainFigures(cell),
      request_time_p50: requestTime.p50,
      request_time_p95: requestTime.p95,
      request_time_p99: requestTime.p99,
      first_byte_time_p50: firstByteTime.p50,
      first_byte_time_p95: firstByteTime.p95,
      first_byte_time_p99: firstByteTime.p99,
    };
  }

  #plainFigures(cell: number) {
    const sum = (field: SumField): number => this.#sums.get(field)?.[cell] ?? 0;
    const [requests, errors] = [sum('requests'), sum('errors')];
    const ofCosted = (amount: number): Points | null =>
      sum('costedRequests') === 0 ? null : toPoints(amount);
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

  #percentile(cell: number, field: TimeField, share: number): number | null {
    const counts = this.#times.get(field);
    if (counts === undefined) return null;
    return percentileOf(counts.subarray(cell * LATENCY_CLASSES, (cell + 1) * LATENCY_CLASSES), share);
  }

  #grow(cells: number): void {
    if (cells <= this.#cells) return;
    this.#cells = cells * 2;
    for (const [field, sums] of this.#sums) {
      const larger = new Float64Array(this.#cells);
      larger.set(sums);
      this.#sums.set(field, larger);
    }
    for (const [field, counts] of this.#times) {
      const larger = new Uint32Array(this.#cells * LATENCY_CLASSES);
      larger.set(counts);
      this.#times.set(field, larger);
    }
  }
}

function addTimes(counts: Uint32Array, hour: HourReader, field: TimeField, cellOf: Int32Array): void {
  const { lengths, pairs } = hour.times(field);
  let at = 0;
  for (let slice = 0; slice < hour.size; slice += 1) {
    const end = at + (lengths[slice] ?? 0) * 2;
    const cell = cellOf[slice] ?? -1;
    for (; at < end; at += 2) {
      if (cell < 0) continue;
      const place = cell * LATENCY_CLASSES + (pairs[at] ?? 0);
      counts[place] = (counts[place] ?? 0) + (pairs[at + 1] ?? 0);
    }
  }
}
