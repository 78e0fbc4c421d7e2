/**
 * Costs of each channel to the operator: recently read rows, plus what this node has added since. A cap limits the
 * operator's costs and belongs to no account, so it may be slightly inexact: what is added while the rows are read
 * may count twice until the next read.
 */
import type { Pool } from 'pg';
import { type Clock, nowSeconds, type Timers } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/timeouts-and-intervals.ts';
import { type ChannelSpend, getSpend } from '../budgets/channel-spend.ts';
import { createUsageFromDays, getPeriodStart, type PeriodUsage } from '../budgets/period-usage.ts';
import type { NewUsageRecord } from '../ledger-write-types.ts';

const READ_MS = 2_000;

interface Parts {
  clock: Clock;
  machine: Timers;
  log: Log;
  /** Resolves when everything added earlier is in the rows. */
  flushed: () => Promise<void>;
}

export async function createSharedSpend(
  pool: Pool,
  { clock, machine, log, flushed }: Parts,
): Promise<ChannelSpend & { close(): Promise<void> }> {
  let known = await readSpend(pool, nowSeconds(clock));
  /** Records added during a read, which may not include them; undefined at other times. */
  let addedMeanwhile: NewUsageRecord[] | undefined;
  const of = (channelId: number): PeriodUsage => {
    const use = known.get(channelId) ?? createUsageFromDays([], nowSeconds(clock));
    known.set(channelId, use);
    return use;
  };
  const count = (record: NewUsageRecord): void => {
    if (record.channel_id !== null) of(record.channel_id).add(getSpend(record), record.created_at);
  };
  const readings = startRepeating(
    machine,
    READ_MS,
    async () => {
      const meanwhile: NewUsageRecord[] = [];
      addedMeanwhile = meanwhile;
      try {
        await flushed();
        known = await readSpend(pool, nowSeconds(clock));
        for (const record of meanwhile) count(record);
      } finally {
        addedMeanwhile = undefined;
      }
    },
    (error) => log.error({ err: error }, 'the spending of channels could not be read'),
  );
  return {
    usedIn: (channelId, period) => of(channelId).usedIn(period, nowSeconds(clock)),
    add(record) {
      addedMeanwhile?.push(record);
      count(record);
    },
    close: () => readings.stop(),
  };
}

async function readSpend(pool: Pool, now: number): Promise<Map<number, PeriodUsage>> {
  const { rows } = await pool.query<{ channel_id: number; day: number; spent: number }>(
    'select channel_id, day, spent from channel_day where day >= $1',
    [Math.min(getPeriodStart('week', now), getPeriodStart('month', now))],
  );
  const days = Map.groupBy(rows, ({ channel_id }) => channel_id);
  return new Map(
    [...days].map(([id, of]) => [
      id,
      createUsageFromDays(
        of.map(({ day, spent }) => ({ day, used: spent })),
        now,
      ),
    ]),
  );
}
