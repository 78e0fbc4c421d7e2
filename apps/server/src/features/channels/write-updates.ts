import { setImmediate } from 'node:timers/promises';
import type { ChannelEvent } from '@switchyard/contract/channel-health';
import type { Transaction } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { forgetStates } from './channel-keys.ts';
import type { Planned } from './plan-update.ts';
import { type ChannelRow, hasSameSettings, selectChannels } from './queries.ts';

/** What is planned for a channel, and the row that it was planned for. */
export interface PlannedUpdate extends Planned {
  row: ChannelRow;
}

/** Of many channels so many are worked on in one turn of the event loop. */
export const CHANNELS_IN_A_TURN = 100;

interface Happening {
  /** UTC seconds. */
  created_at: number;
  /** Null: the gateway itself. */
  user_id: number | null;
}

export function changesRow({ row, columns }: PlannedUpdate): boolean {
  const stored: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(columns).some(([name, value]) => stored[name] !== value);
}

/**
 * Writes the plans, those that say the same in one statement.
 * @param event when it happens and by whom, for the channels' histories
 * @returns plans whose channel somebody else changed or deleted since it was read, or another plan is for: what was
 * checked of it does not hold any more, so that they are not written
 */
export async function writeUpdates(
  trx: Transaction<Schema>,
  plans: readonly PlannedUpdate[],
  event: Happening,
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
  let written = 0;
  for (const group of alike.values()) {
    const [one] = group;
    if (one === undefined) continue;
    const groupIds = group.map(({ row }) => row.id);
    await trx.updateTable('channel').set(one.columns).where('id', 'in', groupIds).execute();
    written += 1;
    if (written % CHANNELS_IN_A_TURN === 0) await setImmediate();
  }
  for (const { row, columns, hasNewKey } of current) {
    if (hasNewKey) await forgetStates(trx, row.id, []);
    // A channel that is switched on may have no other key than those that were refused.
    if (columns.status === 'enabled') await forgetStates(trx, row.id, [], 'auto-disabled');
  }
  await noteStatuses(trx, current, event);
  return plans.filter((plan) => !isCurrent(plan));
}

async function noteStatuses(
  trx: Transaction<Schema>,
  plans: readonly PlannedUpdate[],
  event: Happening,
): Promise<void> {
  const events = plans.flatMap(({ row, columns: { status } }) =>
    status === undefined || status === row.status
      ? []
      : [{ ...event, channel_id: row.id, event: status satisfies ChannelEvent['event'], reason: '' }],
  );
  for (let at = 0; at < events.length; at += CHANNELS_IN_A_TURN)
    await trx
      .insertInto('channel_event')
      .values(events.slice(at, at + CHANNELS_IN_A_TURN))
      .execute();
}
