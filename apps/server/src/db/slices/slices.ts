/**
 * Queries on the calls of months, over packed hours and the records of hours that are not packed yet. They run in the
 * reading thread, so that neither reach the thread that relays.
 */
import { CallPacker, type CoarseField, coarseFields, HourReader } from './pack-calls.ts';
import { type Lines, type Ranking, type SliceQuestion, SliceSummer } from './sum-slices.ts';

export { type CoarseField, coarseFields } from './pack-calls.ts';
export type { Lines, Ranking, SliceQuestion, SummedRow } from './sum-slices.ts';

/** Query whose rows are read one after the other. */
export interface RowsQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface SliceSource {
  /** `hour` and `packed`. */
  hours: RowsQuery;
  /** Calls of hours that are not packed, in the order of time. */
  calls: RowsQuery | undefined;
}

export type SliceTask =
  | { kind: 'pack'; calls: RowsQuery }
  | { kind: 'coarsen'; hour: RowsQuery }
  | { kind: 'rank'; source: SliceSource; question: SliceQuestion; rows: number }
  | { kind: 'lines'; source: SliceSource; question: SliceQuestion }
  | { kind: 'models'; source: SliceSource };

/** Returns whether the response of a task is written to the database for a job, without a waiting client. */
export const isForJob = ({ kind }: SliceTask): boolean => kind === 'pack' || kind === 'coarsen';

export interface SliceAnswers {
  /** A packed hour of the calls. */
  pack: Uint8Array;
  /** The packed hour by each field; undefined when it has gone. */
  coarsen: Record<CoarseField, Uint8Array> | undefined;
  rank: Ranking;
  lines: Lines;
  models: string[];
}

type Row = Record<string, unknown>;
/** @param atOnce how many rows may lie in memory together */
export type ReadRows = (query: RowsQuery, atOnce: number) => AsyncIterable<Row> | Iterable<Row>;

const HOUR = 3_600;
/** One of a site with a million calls a day takes a megabyte. */
const HOURS_AT_ONCE = 16;
const CALLS_AT_ONCE = 2_000;

/**
 * @param isLate whether nobody waits for it any more
 * @throws once it is
 */
export async function answerTask(
  task: SliceTask,
  readAll: ReadRows,
  isLate: () => boolean,
): Promise<SliceAnswers[SliceTask['kind']]> {
  const read: ReadRows = (query, atOnce) => inTime(readAll(query, atOnce), isLate);
  switch (task.kind) {
    case 'pack': {
      const packer = new CallPacker();
      for await (const row of read(task.calls, CALLS_AT_ONCE)) packer.add(callOf(row));
      return packer.pack();
    }
    case 'coarsen': {
      for await (const { packed } of hoursOf({ hours: task.hour, calls: undefined }, read))
        return coarsen(packed);
      return undefined;
    }
    case 'rank':
      return (await sum(task, read)).ranking(task.rows);
    case 'lines':
      return (await sum(task, read)).lines();
    case 'models': {
      const hour = new HourReader();
      const models = new Set<string>();
      for await (const { packed } of hoursOf(task.source, read)) {
        hour.open(packed);
        for (const model of hour.models) models.add(model);
      }
      return [...models];
    }
  }
}

async function* inTime(rows: ReturnType<ReadRows>, isLate: () => boolean): AsyncIterable<Row> {
  for await (const row of rows) {
    if (isLate()) throw new Error('The deadline of this report has passed');
    yield row;
  }
}

function coarsen(packed: Uint8Array): Record<CoarseField, Uint8Array> {
  const hour = new HourReader();
  hour.open(packed);
  const by = (field: CoarseField): Uint8Array => {
    const packer = new CallPacker();
    packer.addCoarsely(hour, field);
    return packer.pack();
  };
  return Object.fromEntries(coarseFields.map((field) => [field, by(field)])) as Record<
    CoarseField,
    Uint8Array
  >;
}

async function sum(
  { source, question }: { source: SliceSource; question: SliceQuestion },
  read: ReadRows,
): Promise<SliceSummer> {
  const summer = new SliceSummer(question);
  for await (const { hour, packed } of hoursOf(source, read)) summer.add(hour, packed);
  return summer;
}

async function* hoursOf(
  { hours, calls }: SliceSource,
  read: ReadRows,
): AsyncIterable<{ hour: number; packed: Uint8Array }> {
  for await (const { hour, packed } of read(hours, HOURS_AT_ONCE))
    if (packed instanceof Uint8Array) yield { hour: Number(hour), packed };
  if (calls === undefined) return;
  let open: { hour: number; packer: CallPacker } | undefined;
  for await (const row of read(calls, CALLS_AT_ONCE)) {
    const call = callOf(row);
    const hour = call.createdAt - (call.createdAt % HOUR);
    if (open !== undefined && open.hour !== hour) yield { hour: open.hour, packed: open.packer.pack() };
    if (open?.hour !== hour) open = { hour, packer: new CallPacker() };
    open.packer.add(call);
  }
  if (open !== undefined) yield { hour: open.hour, packed: open.packer.pack() };
}

const callOf = (row: Row): Parameters<CallPacker['add']>[0] => ({
  createdAt: Number(row['created_at']),
  isError: row['type'] === 'error',
  userId: Number(row['user_id']),
  keyId: Number(row['api_key_id'] ?? 0),
  channelId: Number(row['channel_id'] ?? 0),
  model: String(row['model']),
  group: String(row['group_symbol']),
  isStream: Number(row['is_stream']),
  quota: amount(row['quota']),
  cost: row['cost'] === null ? null : amount(row['cost']),
  promptTokens: amount(row['prompt_tokens']),
  completionTokens: amount(row['completion_tokens']),
  cachedTokens: amount(row['cached_tokens']),
  durationMs: amount(row['duration_ms']),
  firstByteMs: amount(row['first_byte_ms']),
});

/** Nothing is below zero; one record that says so must not keep its whole hour from being packed. */
const amount = (value: unknown): number => Math.max(0, Math.trunc(Number(value)));
