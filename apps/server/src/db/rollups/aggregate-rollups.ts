/** Aggregates packed hours for one query. Runs in the reading thread. */
import type { CallFigures, Dimension, Measure } from '@switchyard/contract/usage/analytics';
import { HourRollupReader, QUARTER_SECONDS } from './packed-hour.ts';
import { FigureSums } from './sum-rollup-measures.ts';

export interface RollupQuery {
  /**
   * UTC seconds at which each step begins, in order; the first is the beginning of the period. Multiples of a quarter
   * of an hour.
   */
  steps: readonly number[];
  /** Exclusive. */
  end: number;
  /** Seconds by which the previous period is earlier. */
  shift: number;
  split?: Dimension | undefined;
  measure: Measure;
  /** True if only the measure is needed, and not the other figures. */
  measureOnly: boolean;
  /** Values with a line of their own; absent: all. */
  keys?: readonly string[];
  /** Values that count, by dimension. */
  filters: Partial<Record<Dimension, readonly string[]>>;
  /** Owner of each model, if the query needs it; models without an entry have no owner. */
  owners?: Readonly<Record<string, string>>;
}

/** Figures of a value in the whole period, and in the period before. */
export interface RankedRow {
  key: string;
  current: CallFigures;
  before: CallFigures;
}

export interface Ranking {
  total: RankedRow;
  /** Values with the largest measure in the period. */
  rows: RankedRow[];
  others: RankedRow;
  /** Number of values that `others` combines. */
  otherValues: number;
}

/** Measure for each step. */
export type Series = (number | null)[];

export interface SeriesResult {
  /** All figures for each step; empty if only the measure is needed. */
  steps: CallFigures[];
  total: Series;
  /** Total of the period before. */
  totalBefore: Series;
  /** Line of each key, in the order of the keys. */
  lines: Series[];
  others: Series;
}

type Key = string | number;
type IdField = 'user' | 'key' | 'channel';
type ListField = 'model' | 'group' | 'isStream';

const TOTAL = 0;
const OTHERS = 1;
const FIRST_VALUE = 2;

export class RollupAggregator {
  readonly #question: RollupQuery;
  readonly #filters: Partial<Record<Dimension, ReadonlySet<string>>>;
  readonly #ids: readonly [field: IdField, wanted: ReadonlySet<number>][];
  readonly #hour = new HourRollupReader();
  readonly #sums: FigureSums;
  /** Number of steps of the period and of the one before. */
  readonly #width: number;
  /** Index of each value, which has one cell for each step. */
  readonly #values = new Map<Key, number>();
  #answered = new Int32Array(0);
  #failed = new Int32Array(0);

  constructor(question: RollupQuery) {
    const { filters, keys = [], split, steps } = question;
    this.#question = question;
    this.#filters = Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, new Set(values)]));
    const idFields = [
      ['user', filters.user],
      ['key', filters.token],
      ['channel', filters.channel],
    ] as const;
    this.#ids = idFields.flatMap(([field, values]) =>
      values === undefined ? [] : [[field, new Set(values.map(Number))] as const],
    );
    const isNumber = split === 'user' || split === 'token' || split === 'channel';
    for (const [at, key] of keys.entries()) this.#values.set(isNumber ? Number(key) : key, FIRST_VALUE + at);
    this.#width = steps.length * 2;
    this.#sums = question.measureOnly ? new FigureSums(question.measure) : new FigureSums();
  }

  /** @param start UTC seconds of the hour */
  add(start: number, packed: Uint8Array): void {
    const columns = [0, 1, 2, 3].map((quarter) => this.#columnOf(start + quarter * QUARTER_SECONDS));
    if (columns.every((column) => column === -1)) return;
    this.#hour.open(packed);
    this.#place(columns);
    this.#sums.add(this.#hour, this.#answered, this.#failed, (FIRST_VALUE + this.#values.size) * this.#width);
  }

  /** Returns the ranking for a query of one step, with up to `rowsMax` rows. */
  ranking(rowsMax: number): Ranking {
    const ranked = this.#largestFirst();
    const rest = ranked.slice(rowsMax);
    for (const [, value] of rest) this.#mergeValue(value, OTHERS);
    for (const [, value] of ranked.slice(0, rowsMax)) this.#mergeValue(value, TOTAL);
    this.#mergeValue(OTHERS, TOTAL);
    const row = (value: number, key: Key = ''): RankedRow => ({
      key: String(key),
      current: this.#figures(value, 0),
      before: this.#figures(value, 1),
    });
    return {
      total: row(TOTAL),
      rows: ranked.slice(0, rowsMax).map(([key, value]) => row(value, key)),
      others: row(OTHERS),
      otherValues: rest.length,
    };
  }

  lines(): SeriesResult {
    const { steps, measure, measureOnly } = this.#question;
    const values = [...this.#values.values()];
    for (const value of [OTHERS, ...values]) this.#mergeValue(value, TOTAL);
    const line = (value: number, first = 0): Series => steps.map((_, at) => this.#figure(value, first + at, measure));
    return {
      steps: measureOnly ? [] : steps.map((_, at) => this.#figures(TOTAL, at)),
      total: line(TOTAL),
      totalBefore: line(TOTAL, steps.length),
      lines: values.map((value) => line(value)),
      others: line(OTHERS),
    };
  }

  /** Finds the cells of each slice of the hour, one column after the other, which makes it fast. */
  #place(columns: readonly number[]): void {
    const { size } = this.#hour;
    if (this.#answered.length < size) {
      this.#answered = new Int32Array(size * 2);
      this.#failed = new Int32Array(size * 2);
    }
    const [answered, failed] = [this.#answered, this.#failed];
    const quarters = this.#hour.numbers('quarter');
    for (let at = 0; at < size; at += 1) answered[at] = columns[quarters[at] ?? 0] ?? -1;
    this.#dropFiltered(answered);
    this.#toCells(answered);
    failed.set(answered.subarray(0, size));
    this.#keepThose(answered, 'requests', 'answered');
    this.#keepThose(failed, 'errors', 'error');
  }

  /** Drops the slices that don't match all filters except that of the status. */
  #dropFiltered(cells: Int32Array): void {
    const { models, groups } = this.#hour;
    const { model, owner, group, stream } = this.#filters;
    for (const [field, wanted] of this.#ids) {
      const ids = this.#hour.numbers(field);
      for (let at = 0; at < this.#hour.size; at += 1) if (!wanted.has(ids[at] ?? 0)) cells[at] = -1;
    }
    const keep = (field: ListField, counts: readonly boolean[]): void => {
      const places = this.#hour.numbers(field);
      for (let at = 0; at < this.#hour.size; at += 1) if (counts[places[at] ?? 0] !== true) cells[at] = -1;
    };
    if (model !== undefined || owner !== undefined)
      keep(
        'model',
        models.map((name) => matchesFilter(model, name) && matchesFilter(owner, this.#ownerOf(name))),
      );
    if (group !== undefined)
      keep(
        'group',
        groups.map((name) => group.has(name)),
      );
    if (stream !== undefined) keep('isStream', [stream.has('false'), stream.has('true')]);
  }

  /** Converts columns of the query to the cells of each slice's value in the split dimension. */
  #toCells(cells: Int32Array): void {
    const { models, groups } = this.#hour;
    switch (this.#question.split) {
      case 'model':
        return this.#toCellsOf(cells, 'model', models);
      case 'owner':
        return this.#toCellsOf(
          cells,
          'model',
          models.map((model) => this.#ownerOf(model)),
        );
      case 'group':
        return this.#toCellsOf(cells, 'group', groups);
      case 'stream':
        return this.#toCellsOf(cells, 'isStream', ['false', 'true']);
      case 'user':
        return this.#toCellsOf(cells, 'user');
      case 'token':
        return this.#toCellsOf(cells, 'key');
      case 'channel':
        return this.#toCellsOf(cells, 'channel');
      // A slice contains both statuses; their cells are computed separately.
      case 'status':
        return;
      case undefined:
        for (let at = 0; at < this.#hour.size; at += 1)
          if ((cells[at] ?? -1) !== -1) cells[at] = OTHERS * this.#width + (cells[at] ?? 0);
    }
  }

  /** @param names the names that the field's numbers index; absent: the numbers are the keys */
  #toCellsOf(cells: Int32Array, field: ListField | IdField, names?: readonly string[]): void {
    const numbers = this.#hour.numbers(field);
    const values: (number | undefined)[] = [];
    for (let at = 0; at < this.#hour.size; at += 1) {
      const column = cells[at] ?? -1;
      if (column === -1) continue;
      const number = numbers[at] ?? 0;
      const value =
        names === undefined ? this.#valueOf(number) : (values[number] ??= this.#valueOf(names[number] ?? ''));
      cells[at] = value * this.#width + column;
    }
  }

  /** Drops the slices without calls of a status, or all slices if the filter excludes that status. */
  #keepThose(cells: Int32Array, field: 'requests' | 'errors', status: 'answered' | 'error'): void {
    const numbers = this.#hour.numbers(field);
    const counts = matchesFilter(this.#filters.status, status);
    const isByStatus = this.#question.split === 'status';
    for (let at = 0; at < this.#hour.size; at += 1) {
      const cell = cells[at] ?? -1;
      if (!counts || numbers[at] === 0) cells[at] = -1;
      else if (isByStatus && cell !== -1) cells[at] = this.#valueOf(status) * this.#width + cell;
    }
  }

  #valueOf(key: Key): number {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#question.keys !== undefined) return OTHERS;
    const value = FIRST_VALUE + this.#values.size;
    this.#values.set(key, value);
    return value;
  }

  #ownerOf(model: string): string {
    return this.#question.owners?.[model] ?? '';
  }

  /** Returns the column of a time: the steps of the period, then those of the period before; -1 outside both. */
  #columnOf(time: number): number {
    const { steps, end, shift } = this.#question;
    const [start = end] = steps;
    if (time >= start && time < end) return findStepIndex(steps, time);
    const later = time + shift;
    return later >= start && later < end ? steps.length + findStepIndex(steps, later) : -1;
  }

  #mergeValue(from: number, to: number): void {
    for (let column = 0; column < this.#width; column += 1)
      this.#sums.merge(from * this.#width + column, to * this.#width + column);
  }

  #figure(value: number, column: number, measure: Measure): number | null {
    return this.#sums.figure(value * this.#width + column, measure);
  }

  #figures(value: number, column: number): CallFigures {
    return this.#sums.figures(value * this.#width + column);
  }

  /** Returns the values with the largest measure first; those without the measure come last. */
  #largestFirst(): [key: Key, value: number][] {
    const { measure } = this.#question;
    const sized = [...this.#values].map(([key, value]) => {
      const size = this.#figure(value, 0, measure) ?? Number.NEGATIVE_INFINITY;
      return { key, value, size };
    });
    sized.sort((a, b) => {
      if (a.size === b.size) return a.value - b.value;
      return a.size < b.size ? 1 : -1;
    });
    return sized.map(({ key, value }) => [key, value]);
  }
}

const matchesFilter = (wanted: ReadonlySet<string> | undefined, value: string): boolean =>
  wanted === undefined || wanted.has(value);

function findStepIndex(steps: readonly number[], time: number): number {
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((steps[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
