/**
 * Discrepancies that the self-check found in a user's ledger, until an administrator acknowledges them. Nothing is
 * ever repaired.
 */
import type { Transaction } from 'kysely';
import type { Schema } from '../../schema.ts';

export interface LedgerDiscrepancy {
  userId: number;
  problem: string;
  /** Stored minus computed, points. */
  difference: number;
}

/** @returns the new discrepancies */
export async function raiseDiscrepancies(
  trx: Transaction<Schema>,
  alarms: readonly LedgerDiscrepancy[],
  now: number,
): Promise<LedgerDiscrepancy[]> {
  const raised: LedgerDiscrepancy[] = [];
  for (const alarm of alarms) {
    const { userId, problem, difference } = alarm;
    const row = await trx
      .insertInto('ledger_alarm')
      .values({ user_id: userId, problem, difference, found_at: now, acknowledged_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst();
    if (row !== undefined) raised.push(alarm);
  }
  return raised;
}

export async function acknowledgeDiscrepancies(trx: Transaction<Schema>, userId: number, now: number): Promise<void> {
  await trx
    .updateTable('ledger_alarm')
    .set({ acknowledged_at: now })
    .where('user_id', '=', userId)
    .where('acknowledged_at', 'is', null)
    .execute();
}
