/** What requests were charged, beside what their answers tell. */
import type { Database } from '../../apps/server/src/db/db.ts';
import type { Answered } from './relay-load.ts';

/** Points of each charge, by its request. */
export async function chargesByRequest(db: Database): Promise<ReadonlyMap<string, number[]>> {
  const entries = await db.writer
    .selectFrom('ledger_entry')
    .select(['ref', 'user_amount'])
    .where('kind', '=', 'charge')
    .execute();
  const byRequest = Map.groupBy(entries, ({ ref }) => ref);
  return new Map([...byRequest].map(([ref, of]) => [ref, of.map(({ user_amount }) => -user_amount)]));
}

/** Those whose charge is not the one that their answer tells, with what was charged. */
export async function wronglyCharged(
  db: Database,
  answered: readonly Answered[],
): Promise<(Answered & { charged: readonly number[] })[]> {
  const charges = await chargesByRequest(db);
  return answered.flatMap((one) => {
    const charged = charges.get(one.requestId) ?? [];
    const isRight = JSON.stringify(charged) === JSON.stringify(one.expected === 0 ? [] : [one.expected]);
    return isRight ? [] : [{ ...one, charged }];
  });
}
