/**
 * Packs the calls of one hour into bytes. Calls that are equal in every dimension of analytics form one slice, and
 * each field is a column. A site with a million calls has almost as many slices, so reading speed matters: a query
 * reads only its few columns, a million slices in a tenth of a second. Rows of a table take several seconds.
 */
import { getLatencyBucket } from './latency-buckets.ts';
import { readNumbers, VarintReader, VarintWriter } from './varint.ts';

const HOUR = 3_600;
/**
 * Seconds of a quarter of an hour. Time zones differ from UTC by whole quarters, so their hours and days consist of
 * quarters.
 */
export const QUARTER_SECONDS = 900;

/** Fields of a usage record that are packed. */
export interface RollupCall {
  /** UTC seconds. */
  createdAt: number;
  isError: boolean;
  userId: number;
  /** 0: none. */
  keyId: number;
  /** 0: none. */
  channelId: number;
  model: string;
  group: string;
  isStream: number;
  quota: number;
  cost: number | null;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  durationMs: number;
  /** 0: no byte arrived. */
  firstByteMs: number;
}

/**
 * Fields in which the calls of a slice are equal. `key` and `channel`: 0 is none; `model` and `group`: indexes in the
 * hour's lists.
 */
const dimensionFields = ['quarter', 'user', 'key', 'channel', 'model', 'group', 'isStream'] as const;
/** Sums. All but `errors` count successful calls; `cost` and `costed`, the charge, count those with a known cost. */
export const sumFields = [
  'errors',
  'requests',
  'charged',
  'costedRequests',
  'cost',
  'costed',
  'promptTokens',
  'completionTokens',
  'cachedTokens',
] as const;
/** Latency buckets of successful calls, each followed by its number of calls. */
export const timeFields = ['requestTime', 'firstByteTime'] as const;

/** Fields that slices of a coarse hour can be grouped by, besides the quarter. */
export const coarseFields = ['user', 'key', 'channel', 'model', 'group', 'isStream'] as const;
export type CoarseField = (typeof coarseFields)[number];

export type DimensionField = (typeof dimensionFields)[number];
export type SumField = (typeof sumFields)[number];
export type TimeField = (typeof timeFields)[number];

type RollupRow = Record<DimensionField | SumField, number> & Record<TimeField, number[]>;

export class HourRollupBuilder {
  readonly #slices = new Map<string, RollupRow>();
  readonly #models = new Map<string, number>();
  readonly #groups = new Map<string, number>();

  add(call: RollupCall): void {
    const slice = this.#sliceFor({
      quarter: Math.floor((call.createdAt % HOUR) / QUARTER_SECONDS),
      user: call.userId,
      key: call.keyId,
      channel: call.channelId,
      model: indexIn(this.#models, call.model),
      group: indexIn(this.#groups, call.group),
      isStream: call.isStream,
    });
    if (call.isError) slice.errors += 1;
    else addSuccess(slice, call);
  }

  /** Adds a packed hour grouped by the quarter and one field only. The other fields are lost. */
  addCoarse(hour: HourRollupReader, field: CoarseField): void {
    const quarters = hour.numbers('quarter');
    const values = this.#placesOf(hour, field);
    const slices = Array.from({ length: hour.size }, (_, at) =>
      this.#sliceFor({ ...noDimensions, quarter: quarters[at] ?? 0, [field]: values[at] ?? 0 }),
    );
    for (const name of sumFields) {
      const sums = hour.numbers(name);
      for (const [at, slice] of slices.entries()) slice[name] += sums[at] ?? 0;
    }
    for (const name of timeFields) {
      const { lengths, pairs } = hour.times(name);
      let pair = 0;
      for (const [at, slice] of slices.entries())
        for (const end = pair + (lengths[at] ?? 0) * 2; pair < end; pair += 2)
          count(slice[name], pairs[pair] ?? 0, pairs[pair + 1] ?? 0);
    }
  }

  encode(): Uint8Array {
    const writer = new VarintWriter();
    for (const list of [this.#models, this.#groups]) {
      writer.number(list.size);
      for (const text of list.keys()) writer.text(text);
    }
    const slices = [...this.#slices.values()];
    writer.number(slices.length);
    for (const field of [...dimensionFields, ...sumFields])
      writeColumn(
        writer,
        slices.map((slice) => slice[field]),
      );
    for (const field of timeFields) {
      writeColumn(
        writer,
        slices.map((slice) => slice[field].length / 2),
      );
      writeColumn(
        writer,
        slices.flatMap((slice) => slice[field]),
      );
    }
    return writer.toBytes();
  }

  /** Returns the numbers of a field as indexes in the lists of this hour. */
  #placesOf(hour: HourRollupReader, field: CoarseField): Float64Array {
    const numbers = hour.numbers(field);
    if (field === 'model') return numbers.map((at) => indexIn(this.#models, hour.models[at] ?? ''));
    if (field === 'group') return numbers.map((at) => indexIn(this.#groups, hour.groups[at] ?? ''));
    return numbers;
  }

  #sliceFor(alike: Pick<RollupRow, DimensionField>): RollupRow {
    const name = dimensionFields.map((field) => alike[field]).join(' ');
    const known = this.#slices.get(name);
    if (known !== undefined) return known;
    const slice = { ...noSums(), ...alike };
    this.#slices.set(name, slice);
    return slice;
  }
}

/** Reads one packed hour after the other into the same memory. Earlier results are overwritten by the next hour. */
export class HourRollupReader {
  models: readonly string[] = [];
  groups: readonly string[] = [];
  /** Number of slices of the hour; columns may be longer. */
  size = 0;
  readonly #columns: Uint8Array[] = [];
  readonly #memory: Float64Array[] = [];

  open(packed: Uint8Array): void {
    const reader = new VarintReader(packed);
    const list = (): string[] => Array.from({ length: reader.number() }, () => reader.text());
    this.models = list();
    this.groups = list();
    this.size = reader.number();
    for (let index = 0; index < columnCount; index += 1) this.#columns[index] = reader.bytes();
  }

  numbers(field: DimensionField | SumField): Float64Array {
    return this.#column(numberColumns[field], this.size);
  }

  /** Returns the number of buckets of each slice, and the buckets with their counts, one slice after the other. */
  times(field: TimeField): { lengths: Float64Array; pairs: Float64Array } {
    const index = timeColumns[field];
    const lengths = this.#column(index, this.size);
    let pairs = 0;
    for (let at = 0; at < this.size; at += 1) pairs += lengths[at] ?? 0;
    return { lengths, pairs: this.#column(index + 1, pairs * 2) };
  }

  #column(index: number, length: number): Float64Array {
    const known = this.#memory[index];
    const memory = known !== undefined && known.length >= length ? known : new Float64Array(length * 2);
    this.#memory[index] = memory;
    const bytes = this.#columns[index];
    if (bytes !== undefined) readNumbers(bytes, 0, length, memory);
    return memory;
  }
}

const indexFields = <Name extends string>(names: readonly Name[], placeOf: (index: number) => number) =>
  Object.fromEntries(names.map((name, index) => [name, placeOf(index)])) as Record<Name, number>;

const numberColumns = indexFields([...dimensionFields, ...sumFields], (index) => index);
const firstTime = dimensionFields.length + sumFields.length;
const timeColumns = indexFields(timeFields, (index) => firstTime + index * 2);
const columnCount = firstTime + timeFields.length * 2;

function writeColumn(writer: VarintWriter, values: readonly number[]): void {
  const column = new VarintWriter();
  for (const value of values) column.number(value);
  writer.bytes(column.toBytes());
}

function addSuccess(slice: RollupRow, call: RollupCall): void {
  slice.requests += 1;
  slice.charged += call.quota;
  if (call.cost !== null) {
    slice.costedRequests += 1;
    slice.cost += call.cost;
    slice.costed += call.quota;
  }
  slice.promptTokens += call.promptTokens;
  slice.completionTokens += call.completionTokens;
  slice.cachedTokens += call.cachedTokens;
  count(slice.requestTime, getLatencyBucket(call.durationMs), 1);
  if (call.firstByteMs > 0) count(slice.firstByteTime, getLatencyBucket(call.firstByteMs), 1);
}

function count(pairs: number[], wanted: number, calls: number): void {
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at] !== wanted) continue;
    pairs[at + 1] = (pairs[at + 1] ?? 0) + calls;
    return;
  }
  pairs.push(wanted, calls);
}

function indexIn(list: Map<string, number>, text: string): number {
  const known = list.get(text);
  if (known !== undefined) return known;
  list.set(text, list.size);
  return list.size - 1;
}

const noDimensions: Pick<RollupRow, DimensionField> = {
  quarter: 0,
  user: 0,
  key: 0,
  channel: 0,
  model: 0,
  group: 0,
  isStream: 0,
};

const noSums = (): Pick<RollupRow, SumField | TimeField> => ({
  errors: 0,
  requests: 0,
  charged: 0,
  costedRequests: 0,
  cost: 0,
  costed: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  requestTime: [],
  firstByteTime: [],
});
