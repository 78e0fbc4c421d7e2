/**
 * Costs of each channel to the operator in the current day and month, in memory: its rows plus what waits for the
 * next commit.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { NewUsageRecord } from '../ledger-write-types.ts';
import { createPeriodUsageReader, type Period, type PeriodUsage } from './period-usage.ts';

export interface ChannelSpend {
  /** Returns the points of the current period. */
  usedIn(channelId: number, period: Period): number;
  add(record: NewUsageRecord): void;
}

/** Reads a channel's rows synchronously on the writing connection, once per channel. */
export function createChannelSpend(connection: DatabaseSync, clock: Clock): ChannelSpend {
  const read = createPeriodUsageReader(
    connection,
    'select day, spent as used from channel_day where channel_id = ? and day >= ? and day < ?',
  );
  const known = new Map<number, PeriodUsage>();
  const of = (channelId: number): PeriodUsage => {
    const use = known.get(channelId) ?? read(channelId, nowSeconds(clock));
    known.set(channelId, use);
    return use;
  };
  return {
    usedIn: (channelId, period) => of(channelId).usedIn(period, nowSeconds(clock)),
    add(record) {
      if (record.channel_id === null) return;
      of(record.channel_id).add(getSpend(record), record.created_at);
    },
  };
}

/** Returns points; records of earlier versions lack `spend`. */
export function getSpend({ spend, cost, quota }: NewUsageRecord): number {
  return spend ?? cost ?? quota;
}
