/** Compares holds and charges of requests with what their responses report. */
import { expect } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import type { AnsweredRequest } from './relay-load.ts';

/** A node's lease, the grace period after it, and one sweep of the other nodes. */
export const LEASE_RECOVERY_MS = 60_000;

/** Waits until the holds of killed processes have ended: at the next start on SQLite, after a lease on PostgreSQL. */
export async function waitUntilNoHolds(db: Database): Promise<void> {
  await expect
    .poll(() => db.writer.selectFrom('hold').selectAll().execute(), { timeout: LEASE_RECOVERY_MS, interval: 50 })
    .toEqual([]);
}

/** Points of each charge, by request id. */
export async function readChargesByRequest(db: Database): Promise<ReadonlyMap<string, number[]>> {
  const entries = await db.writer
    .selectFrom('ledger_entry')
    .select(['ref', 'user_amount'])
    .where('kind', '=', 'charge')
    .execute();
  const byRequest = Map.groupBy(entries, ({ ref }) => ref);
  return new Map([...byRequest].map(([ref, of]) => [ref, of.map(({ user_amount }) => -user_amount)]));
}

/** Returns the requests whose charge differs from what their response reports, with the charge. */
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
