/** Spending caps of a channel per day and month, and its spending. */
import type { ChannelCaps } from '@switchyard/contract/channels/channel-nested-settings';
import type { Context } from '../../context.ts';
import { getPeriodEnd } from '../../ledger/ledger.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { recordEvent } from '../health/disable-and-enable-channels.ts';

export const CAP_PERIODS = ['day', 'month'] as const;
export type CapPeriod = (typeof CAP_PERIODS)[number];

interface Capped {
  id: number;
  caps: ChannelCaps;
}

/** Returns the reached caps. @param running estimated points of running requests and open tasks */
export function listReachedCaps(
  ledger: Pick<Context['ledger'], 'getChannelSpend'>,
  { id, caps }: Capped,
  running = 0,
): CapPeriod[] {
  return CAP_PERIODS.filter((period) => {
    const cap = caps[period];
    return cap !== null && ledger.getChannelSpend(id, period) + running >= cap;
  });
}

/** Returns the UTC seconds at which the last of these periods ends; 0 for none. */
export function getCapEnd(clock: Clock, periods: readonly CapPeriod[]): number {
  const now = nowSeconds(clock);
  return Math.max(0, ...periods.map((period) => getPeriodEnd(period, now)));
}

/** Records a reached cap in the channel's history, once per period. @param since start of the period, UTC seconds */
export async function recordCapReached(
  ctx: Context,
  channelId: number,
  period: CapPeriod,
  since: number,
): Promise<void> {
  const event = period === 'day' ? 'daily-cap-reached' : 'monthly-cap-reached';
  const recorded = await ctx.db.writer
    .selectFrom('channel_event')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('event', '=', event)
    .where('created_at', '>=', since)
    .executeTakeFirst();
  if (recorded === undefined) await recordEvent(ctx, ctx.db.writer, channelId, event);
}
