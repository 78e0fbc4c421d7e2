import { setImmediate } from 'node:timers/promises';
import type { ChannelRefusal } from '@switchyard/contract/channels/bulk-edits-and-import';
import type { ChannelEvent } from '@switchyard/contract/channels/channel-health';
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../schema.ts';
import { deleteKeyStates } from './channel-keys.ts';
import type { ChannelUpdatePlan } from './plan-channel-update.ts';
import { type ChannelRow, hasSameSettings, selectChannels } from './queries.ts';

/** Planned update of a channel, with the row it was planned for. */
export interface PlannedUpdate extends ChannelUpdatePlan {
  row: ChannelRow;
}

/** Number of channels that a bulk operation handles in one turn of the event loop. */
export const CHANNELS_PER_CHUNK = 100;

/**
 * Writes plans in several transactions: one for thousands of channels would block holds and settlements for seconds.
 * Channels are independent, so the earlier transactions stay when the storage fails.
 * @returns the plans that were not written
 * @throws the storage's error if nothing was written
 */
export async function writeInChunks<T>(
  ctx: Context,
  planned: readonly T[],
  write: (trx: Transaction<Schema>, some: readonly T[]) => Promise<void>,
): Promise<readonly T[]> {
  for (let at = 0; at < planned.length; at += CHANNELS_PER_CHUNK) {
    const some = planned.slice(at, at + CHANNELS_PER_CHUNK);
    try {
      await ctx.db.writer.transaction().execute((trx) => write(trx, some));
    } catch (error) {
      if (at === 0) throw error;
      ctx.log.error({ err: error }, 'some channels could not be written');
      return planned.slice(at);
    }
    // Lets waiting transactions run first.
    await setImmediate();
  }
  return [];
}

export const CHANGED_MEANWHILE: ChannelRefusal = {
  path: '',
  rule: 'changed-meanwhile',
  message: 'Another user has just changed this channel. Check it and try again.',
};

/** Refusal of the channels that were not written because the storage failed. */
export const NOT_WRITTEN: ChannelRefusal = {
  path: '',
  rule: 'not-written',
  message: 'This channel could not be stored. The channels before it were stored.',
};

interface UpdateEvent {
  /** UTC seconds. */
  created_at: number;
  /** Null for the gateway itself. */
  user_id: number | null;
}

export function hasChanges({ row, columns }: PlannedUpdate): boolean {
  const stored: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(columns).some(([name, value]) => stored[name] !== value);
}

/**
 * Writes the plans, identical changes in one statement.
 * @param event time and user, for the channels' histories
 * @returns plans that were not written, because another user changed or deleted the channel since it was read, or
 * another plan is for the same channel: their checks no longer hold
 */
export async function writeUpdates(
  trx: Transaction<Schema>,
  plans: readonly PlannedUpdate[],
  event: UpdateEvent,
): Promise<PlannedUpdate[]> {
  const ids = plans.map(({ row }) => row.id);
  const rows = await selectChannels(trx).where('channel.id', 'in', ids).execute();
  const now = new Map(rows.map((row) => [row.id, row]));
  const first = new Map(plans.toReversed().map((plan) => [plan.row.id, plan]));
  const isCurrent = (plan: PlannedUpdate): boolean => {
    const found = now.get(plan.row.id);
    return found !== undefined && first.get(plan.row.id) === plan && hasSameSettings(found, plan.row);
  };
  const current = plans.filter(isCurrent);
  const alike = Map.groupBy(current, ({ columns }) => JSON.stringify(columns));
  for (const group of alike.values()) {
    const [one] = group;
    if (one === undefined) continue;
    const groupIds = group.map(({ row }) => row.id);
    await trx.updateTable('channel').set(one.columns).where('id', 'in', groupIds).execute();
  }
  for (const { row, columns, hasNewKey } of current) {
    if (hasNewKey) await deleteKeyStates(trx, row.id, []);
    // An enabled channel needs a key: automatically disabled keys are enabled again, since they may be the only ones.
    if (columns.status === 'enabled') await deleteKeyStates(trx, row.id, [], 'auto-disabled');
  }
  await recordStatuses(trx, current, event);
  return plans.filter((plan) => !isCurrent(plan));
}

async function recordStatuses(
  trx: Transaction<Schema>,
  plans: readonly PlannedUpdate[],
  event: UpdateEvent,
): Promise<void> {
  const events = plans.flatMap(({ row, columns: { status } }) =>
    status === undefined || status === row.status
      ? []
      : [{ ...event, channel_id: row.id, event: status satisfies ChannelEvent['event'], reason: '' }],
  );
  if (events.length > 0) await trx.insertInto('channel_event').values(events).execute();
}
