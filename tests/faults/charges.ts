/** What requests hold, and were charged, beside what their answers tell. */
import { expect } from 'vitest';
import type { Database } from '../../apps/server/src/db/db.ts';
import type { AnsweredRequest } from './relay-load.ts';

/** A node's lease, the grace that follows, and the look of the others. */
export const LEASE_RECOVERY_MS = 60_000;

/** While a process runs that ends what killed ones have left: in a file at its start, on PostgreSQL once their leases are over. */
export async function waitUntilNoHolds(db: Database): Promise<void> {
  await expect
    .poll(() => db.writer.selectFrom('hold').selectAll().execute(), { timeout: LEASE_RECOVERY_MS, interval: 50 })
    .toEqual([]);
}

/** Points of each charge, by its request. */
export async function readChargesByRequest(db: Database): Promise<ReadonlyMap<string, number[]>> {
  const entries = await db.writer
    .selectFrom('ledger_entry')
    .select(['ref', 'user_amount'])
    .where('kind', '=', 'charge')
    .execute();
  const byRequest = Map.groupBy(entries, ({ ref }) => ref);
  return new Map([...byRequest].map(([ref, of]) => [ref, of.map(({ user_amount }) => -user_amount)]));
}

/** Those whose charge is not the one that their answer tells, with what was charged. */
export async function findWrongCharges(
  db: Database,
  answered: readonly AnsweredRequest[],
): Promise<(AnsweredRequest & { charged: readonly number[] })[]> {
  const charges = await readChargesByRequest(db);
  return answered.flatMap((one) => {
    const charged = charges.get(one.requestId) ?? [];
    const isRight = JSON.stringify(charged) === JSON.stringify(one.expected === 0 ? [] : [one.expected]);
    return isRight ? [] : [{ ...one, charged }];
  });
}
