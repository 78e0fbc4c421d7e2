/**
 * Expected costs of open tasks to the operator, for the spending caps of channels: recently read rows, plus the tasks
 * that this node has begun since. A task outlives its request and its process, and may end on another node.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { startRepeating } from '../platform/timeouts-and-intervals.ts';

export interface OpenTaskCosts {
  /** Adds a task whose row this node has stored. @param points its expected cost */
  add(channelId: number, points: number): void;
  /** Returns points. A task that has ended counts until the next read. */
  get(channelId: number): number;
  close(): Promise<void>;
}

const READ_MS = 5_000;

/** @param hasCaps returns whether any channel has a spending cap; without one, nothing is read */
export function startOpenTaskCosts(
  { db, clock, log }: Pick<Context, 'db' | 'clock' | 'log'>,
  hasCaps: () => boolean,
): OpenTaskCosts {
  let known: ReadonlyMap<number, number> = new Map();
  /** Points of the tasks that the last read did not include, by channel. */
  const begun = new Map<number, number>();
  const add = (channelId: number, points: number): void => {
    const sum = (begun.get(channelId) ?? 0) + points;
    if (sum === 0) begun.delete(channelId);
    else begun.set(channelId, sum);
  };
  const read = async (): Promise<void> => {
    const included = [...begun];
    known = hasCaps() ? await readOpenTaskCosts(db) : new Map();
    for (const [channelId, points] of included) add(channelId, -points);
  };
  const reads = startRepeating(clock, READ_MS, read, (error) =>
    log.error({ err: error }, 'the costs of open tasks could not be read'),
  );
  void reads.runNow();
  return {
    add,
    get: (channelId) => (known.get(channelId) ?? 0) + (begun.get(channelId) ?? 0),
    close: () => reads.stop(),
  };
}

/** Reads only channels with a cap. The records of earlier versions lack `spend`. */
async function readOpenTaskCosts({ reader }: Context['db']): Promise<Map<number, number>> {
  const inRecord = (field: string) => sql`cast(json_extract(terms, ${sql.lit(`$.record.${field}`)}) as bigint)`;
  const hasCap = sql<boolean>`coalesce(json_extract(caps, '$.day'), json_extract(caps, '$.month')) is not null`;
  const rows = await reader
    .selectFrom('task')
    .select([
      'channel_id',
      sql<number>`sum(coalesce(${inRecord('spend')}, ${inRecord('cost')}, expected))`.as('points'),
    ])
    .where('ended_at', 'is', null)
    .where('channel_id', 'in', (eb) => eb.selectFrom('channel').select('channel.id').where(hasCap))
    .groupBy('channel_id')
    .execute();
  return new Map(rows.map(({ channel_id, points }) => [channel_id, points]));
}
