/**
 * Analytics queries over packed hours and the records of hours that are not packed yet. They run in the reading
 * thread, so that neither reaches the thread that relays.
 */

import { type Ranking, RollupAggregator, type RollupQuery, type SeriesResult } from './aggregate-rollups.ts';
import { type CoarseField, coarseFields, HourRollupBuilder, HourRollupReader } from './packed-hour.ts';

export type { RankedRow, Ranking, RollupQuery, SeriesResult } from './aggregate-rollups.ts';
export { type CoarseField, coarseFields } from './packed-hour.ts';

/** Query whose rows are read one by one. */
export interface RowsQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface RollupSource {
  /** Columns `hour` and `packed`. */
  hours: RowsQuery;
  /** Calls of hours that are not packed, sorted by time. */
  calls: RowsQuery | undefined;
}

export type RollupTask =
  | { kind: 'pack'; calls: RowsQuery }
  | { kind: 'coarsen'; hour: RowsQuery }
  | { kind: 'rank'; source: RollupSource; question: RollupQuery; rows: number }
  | { kind: 'lines'; source: RollupSource; question: RollupQuery }
  | { kind: 'models'; source: RollupSource };

/** Returns whether a job stores the result of a task, without a waiting client. */
export const isForJob = ({ kind }: RollupTask): boolean => kind === 'pack' || kind === 'coarsen';

export interface RollupResults {
  /** Packed hour of the calls. */
  pack: Uint8Array;
  /** Packed hour by each field; undefined if the hour was deleted. */
  coarsen: Record<CoarseField, Uint8Array> | undefined;
  rank: Ranking;
  lines: SeriesResult;
  models: string[];
}

type Row = Record<string, unknown>;
/** @param atOnce maximum rows in memory at a time */
export type ReadRows = (query: RowsQuery, atOnce: number) => AsyncIterable<Row> | Iterable<Row>;

const HOUR = 3_600;
/** Hours read at a time. One hour of a site with a million calls a day takes a megabyte. */
const HOURS_PER_PAGE = 16;
const CALLS_PER_PAGE = 2_000;

/**
 * @param isLate whether the deadline has passed
 * @throws once it has passed
 */
export async function runRollupTask(
  task: RollupTask,
  readAll: ReadRows,
  isLate: () => boolean,
): Promise<RollupResults[RollupTask['kind']]> {
  const read: ReadRows = (query, atOnce) => abortWhenLate(readAll(query, atOnce), isLate);
  switch (task.kind) {
    case 'pack': {
      const packer = new HourRollupBuilder();
      for await (const row of read(task.calls, CALLS_PER_PAGE)) packer.add(toRollupCall(row));
      return packer.encode();
    }
    case 'coarsen': {
      for await (const { packed } of readHours({ hours: task.hour, calls: undefined }, read)) return coarsen(packed);
      return undefined;
    }
    case 'rank':
      return (await aggregate(task, read)).ranking(task.rows);
    case 'lines':
      return (await aggregate(task, read)).lines();
    case 'models': {
      const hour = new HourRollupReader();
      const models = new Set<string>();
      for await (const { packed } of readHours(task.source, read)) {
        hour.open(packed);
        for (const model of hour.models) models.add(model);
      }
      return [...models];
    }
  }
}

async function* abortWhenLate(rows: ReturnType<ReadRows>, isLate: () => boolean): AsyncIterable<Row> {
  for await (const row of rows) {
    if (isLate()) throw new Error('The deadline of this report has passed');
    yield row;
  }
}

function coarsen(packed: Uint8Array): Record<CoarseField, Uint8Array> {
  const hour = new HourRollupReader();
  hour.open(packed);
  const by = (field: CoarseField): Uint8Array => {
    const packer = new HourRollupBuilder();
    packer.addCoarse(hour, field);
    return packer.encode();
  };
  return Object.fromEntries(coarseFields.map((field) => [field, by(field)])) as Record<CoarseField, Uint8Array>;
}

async function aggregate(
  { source, question }: { source: RollupSource; question: RollupQuery },
  read: ReadRows,
): Promise<RollupAggregator> {
  const summer = new RollupAggregator(question);
  for await (const { hour, packed } of readHours(source, read)) summer.add(hour, packed);
  return summer;
}

async function* readHours(
  { hours, calls }: RollupSource,
  read: ReadRows,
): AsyncIterable<{ hour: number; packed: Uint8Array }> {
  for await (const { hour, packed } of read(hours, HOURS_PER_PAGE))
    if (packed instanceof Uint8Array) yield { hour: Number(hour), packed };
  if (calls === undefined) return;
  let open: { hour: number; packer: HourRollupBuilder } | undefined;
  for await (const row of read(calls, CALLS_PER_PAGE)) {
    const call = toRollupCall(row);
    const hour = call.createdAt - (call.createdAt % HOUR);
    if (open !== undefined && open.hour !== hour) yield { hour: open.hour, packed: open.packer.encode() };
    if (open?.hour !== hour) open = { hour, packer: new HourRollupBuilder() };
    open.packer.add(call);
  }
  if (open !== undefined) yield { hour: open.hour, packed: open.packer.encode() };
}

const toRollupCall = (row: Row): Parameters<HourRollupBuilder['add']>[0] => ({
  createdAt: Number(row['created_at']),
  isError: row['type'] === 'error',
  userId: Number(row['user_id']),
  keyId: Number(row['api_key_id'] ?? 0),
  channelId: Number(row['channel_id'] ?? 0),
  model: String(row['model']),
  group: String(row['group_symbol']),
  isStream: Number(row['is_stream']),
  quota: toAmount(row['quota']),
  cost: row['cost'] === null ? null : toAmount(row['cost']),
  promptTokens: toAmount(row['prompt_tokens']),
  completionTokens: toAmount(row['completion_tokens']),
  cachedTokens: toAmount(row['cached_tokens']),
  durationMs: toAmount(row['duration_ms']),
  firstByteMs: toAmount(row['first_byte_ms']),
});

/** Converts a negative value to 0, so that one invalid record does not fail the packing of its whole hour. */
const toAmount = (value: unknown): number => Math.max(0, Math.trunc(Number(value)));
