/** Adds packed hours up for one question. Runs in the reading thread, as an SQL function. */
import type { CallFigures, Dimension, Measure } from '@switchyard/contract/analytics';
import { QUARTER, type Slice, unpackHour } from './pack-calls.ts';
import { figuresOf, Sum } from './sum.ts';

export interface SliceQuestion {
  /** UTC seconds at which each step begins, in order; the first is the beginning of the time. Whole quarters. */
  steps: readonly number[];
  /** Not included. */
  end: number;
  /** Seconds by which the time before is earlier. */
  shift: number;
  split?: Dimension | undefined;
  measure: Measure;
  /** Only these values stand for themselves; absent: all. */
  keys?: readonly string[];
  /** Values that count, by dimension. */
  filters: Partial<Record<Dimension, readonly string[]>>;
  /** Who owns each model, when that is asked about; others have no owner. */
  owners?: Readonly<Record<string, string>>;
}

/** Of one step: the time, and the time before. */
export interface SummedRow {
  key: string;
  current: CallFigures;
  before: CallFigures;
}

export interface Ranking {
  total: SummedRow;
  /** The largest by the measure, in the time. */
  rows: SummedRow[];
  others: SummedRow;
  /** How many values the others are. */
  otherValues: number;
}

type Line = (number | null)[];

export interface Lines {
  total: CallFigures[];
  /** The measure of the time before. */
  totalBefore: Line;
  /** Of each of the keys, in their order. */
  lines: Line[];
  others: Line;
}

type Key = string | number;
type Filters = Partial<Record<Dimension, ReadonlySet<string>>>;

export class SliceSummer {
  readonly #question: SliceQuestion;
  readonly #filters: Filters;
  readonly #ids: Readonly<Record<'user' | 'token' | 'channel', ReadonlySet<number> | undefined>>;
  readonly #total = new Group('');
  readonly #groups = new Map<Key, Group>();
  readonly #others = new Group('');
  readonly #known: ReadonlyMap<string, Group> | undefined;

  constructor(question: SliceQuestion) {
    this.#question = question;
    this.#filters = Object.fromEntries(
      Object.entries(question.filters).map(([name, values]) => [name, new Set(values)]),
    );
    const ids = (values: readonly string[] | undefined) =>
      values === undefined ? undefined : new Set(values.map(Number));
    const { user, token, channel } = question.filters;
    this.#ids = { user: ids(user), token: ids(token), channel: ids(channel) };
    if (question.keys !== undefined) this.#known = new Map(question.keys.map((key) => [key, new Group(key)]));
  }

  /** @param hour UTC seconds of its beginning */
  add(hour: number, packed: Uint8Array): void {
    const columns = [0, 1, 2, 3].map((quarter) => this.#columnOf(hour + quarter * QUARTER));
    if (columns.every((column) => column === -1)) return;
    const { models, groups, read } = unpackHour(packed);
    const owners = models.map((model) => this.#question.owners?.[model] ?? '');
    const modelCounts = models.map(
      (model, at) => isIn(this.#filters.model, model) && isIn(this.#filters.owner, owners[at] ?? ''),
    );
    const groupCounts = groups.map((group) => isIn(this.#filters.group, group));
    const keyOf = this.#keyReader(models, owners, groups);
    read((slice) => {
      const column = columns[slice.quarter] ?? -1;
      if (column === -1 || modelCounts[slice.model] !== true || groupCounts[slice.group] !== true) return;
      if (!this.#counts(slice)) return;
      this.#addSlice(slice, keyOf, column);
    });
  }

  /** Of a question of one step, with a row for each of so many values. */
  ranking(rowsMax: number): Ranking {
    const ranked = largestFirst([...this.#groups.values()], this.#question.measure);
    const rest = ranked.slice(rowsMax);
    for (const group of rest) this.#others.merge(group);
    const row = (group: Group): SummedRow => ({
      key: group.key,
      current: group.figures(0),
      before: group.figures(1),
    });
    return {
      total: row(this.#total),
      rows: ranked.slice(0, rowsMax).map(row),
      others: row(this.#others),
      otherValues: rest.length,
    };
  }

  lines(): Lines {
    const { steps, measure } = this.#question;
    const line = (group: Group, first = 0): Line => steps.map((_, at) => group.figures(first + at)[measure]);
    return {
      total: steps.map((_, at) => this.#total.figures(at)),
      totalBefore: line(this.#total, steps.length),
      lines: [...(this.#known?.values() ?? [])].map((group) => line(group)),
      others: line(this.#others),
    };
  }

  /** Of the steps of the time, then of those of the time before; -1 outside both. */
  #columnOf(time: number): number {
    const { steps, end, shift } = this.#question;
    const [start = end] = steps;
    if (time >= start && time < end) return lastNotAfter(steps, time);
    const later = time + shift;
    return later >= start && later < end ? steps.length + lastNotAfter(steps, later) : -1;
  }

  #counts(slice: Slice): boolean {
    const { user, token, channel } = this.#ids;
    return (
      (user === undefined || user.has(slice.userId)) &&
      (token === undefined || token.has(slice.keyId)) &&
      (channel === undefined || channel.has(slice.channelId)) &&
      isIn(this.#filters.stream, slice.isStream === 1 ? 'true' : 'false')
    );
  }

  #addSlice(slice: Slice, keyOf: (slice: Slice) => Key, column: number): void {
    const { status } = this.#filters;
    const { split } = this.#question;
    if (slice.requests > 0 && isIn(status, 'answered')) {
      this.#total.sum(column).addAnswered(slice);
      if (split !== undefined)
        this.#groupFor(split === 'status' ? 'answered' : keyOf(slice))
          .sum(column)
          .addAnswered(slice);
    }
    if (slice.errors > 0 && isIn(status, 'error')) {
      this.#total.sum(column).errors += slice.errors;
      if (split !== undefined)
        this.#groupFor(split === 'status' ? 'error' : keyOf(slice)).sum(column).errors += slice.errors;
    }
  }

  #groupFor(key: Key): Group {
    if (this.#known !== undefined) return this.#known.get(String(key)) ?? this.#others;
    const found = this.#groups.get(key);
    if (found !== undefined) return found;
    const group = new Group(String(key));
    this.#groups.set(key, group);
    return group;
  }

  #keyReader(
    models: readonly string[],
    owners: readonly string[],
    groups: readonly string[],
  ): (slice: Slice) => Key {
    switch (this.#question.split) {
      case 'model':
        return ({ model }) => models[model] ?? '';
      case 'owner':
        return ({ model }) => owners[model] ?? '';
      case 'group':
        return ({ group }) => groups[group] ?? '';
      case 'channel':
        return ({ channelId }) => channelId;
      case 'user':
        return ({ userId }) => userId;
      case 'token':
        return ({ keyId }) => keyId;
      case 'stream':
        return ({ isStream }) => (isStream === 1 ? 'true' : 'false');
      default:
        return () => '';
    }
  }
}

const nothing = new Sum();

class Group {
  readonly key: string;
  readonly sums: Sum[] = [];

  constructor(key: string) {
    this.key = key;
  }

  sum(column: number): Sum {
    const known = this.sums[column];
    if (known !== undefined) return known;
    const sum = new Sum();
    this.sums[column] = sum;
    return sum;
  }

  figures(column: number): CallFigures {
    return figuresOf(this.sums[column] ?? nothing);
  }

  merge(other: Group): void {
    other.sums.forEach((sum, column) => this.sum(column).merge(sum));
  }
}

/** What has none of the measure comes last. */
function largestFirst(groups: readonly Group[], measure: Measure): Group[] {
  const sizes = new Map(
    groups.map((group) => [group, group.figures(0)[measure] ?? Number.NEGATIVE_INFINITY]),
  );
  return groups.toSorted((a, b) => {
    const [x = 0, y = 0] = [sizes.get(a), sizes.get(b)];
    if (x === y) return a.key < b.key ? -1 : 1;
    return x < y ? 1 : -1;
  });
}

const isIn = (wanted: ReadonlySet<string> | undefined, value: string): boolean =>
  wanted === undefined || wanted.has(value);

function lastNotAfter(steps: readonly number[], time: number): number {
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((steps[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
