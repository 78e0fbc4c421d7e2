/**
 * Discrepancies that the self-check found in a user's ledger, until an administrator acknowledges them. Nothing is
 * ever repaired.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../../db/open-database.ts';
import { CHUNK_ROWS, matchesAnyKey, processItemsInChunks } from '../../db/process-in-chunks.ts';
import type { Schema } from '../../schema.ts';

export interface LedgerDiscrepancy {
  userId: number;
  problem: string;
  /** Stored minus computed, points. */
  difference: number;
}

const KEY = ['user_id', 'problem', 'difference'] as const;

/** Returns the discrepancies that no earlier check has raised. */
export async function findNewDiscrepancies(
  { reader, machine }: Pick<Database, 'reader' | 'machine'>,
  discrepancies: readonly LedgerDiscrepancy[],
  stopping?: AbortSignal,
): Promise<LedgerDiscrepancy[]> {
  const found: LedgerDiscrepancy[] = [];
  const search = async (chunk: readonly LedgerDiscrepancy[]): Promise<void> => {
    const keys = chunk.map(({ userId, ...rest }) => ({ user_id: userId, ...rest }));
    const raised = await reader.selectFrom('ledger_alarm').select(KEY).where(matchesAnyKey(KEY, keys)).execute();
    const known = new Set(raised.map((row) => `${row.user_id} ${row.difference} ${row.problem}`));
    found.push(...chunk.filter((one) => !known.has(`${one.userId} ${one.difference} ${one.problem}`)));
  };
  await processItemsInChunks(machine, discrepancies, CHUNK_ROWS, search, stopping);
  return found;
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
