import type { Transaction } from 'kysely';
import type { Context } from '../context.ts';
import type { NewUsageRecord, Postings } from '../ledger/ledger.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import { scheduleCallback } from './task-store.ts';
import { createFreeRecord, type TaskTerms } from './task-terms.ts';

/** Result of ending a modal task that was answered. */
export interface TransferResult {
  /** True if its artifacts arrived first, and it was charged for them. */
  isPaid: boolean;
  /** Record to be written once the transaction is committed. */
  record?: NewUsageRecord;
}

/**
 * Ends an answered modal task, within the transaction that begins the answer's task: the vendor continues under the
 * same id, and exactly one of both holds remains, even if the process dies.
 */
export async function transferModalTask(
  { ledger, clock }: Context,
  { trx, moves }: { trx: Transaction<Schema>; moves: Postings },
  id: string,
): Promise<TransferResult> {
  const window = await trx
    .selectFrom('task')
    .select(['request_id', 'terms', 'notify_url'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const now = nowSeconds(clock);
  if (!(await moves.releaseHold(window.request_id)))
    return { isPaid: (await ledger.readCharge(window.request_id)) !== undefined };
  await trx
    .updateTable('task')
    .set({ status: 'succeeded', progress: 100, charge: 0, ended_at: now, ...scheduleCallback(window, now) })
    .where('id', '=', id)
    .execute();
  return { isPaid: false, record: createFreeRecord(JSON.parse(window.terms) as TaskTerms, now) };
}
