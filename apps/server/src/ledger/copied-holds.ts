/**
 * Holds after a copy into the other kind of database. In a file those of requests are nobody's, and end with the next
 * start; of several nodes somebody has them, or nobody ever ends them.
 */
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import { REVOKED } from './multi-node/renew-lease.ts';

/** Into PostgreSQL: they belong to a node that is gone already, so that the first to come ends them. */
export async function assignHoldsToDeadNode(trx: Transaction<Schema>): Promise<void> {
  const left = await trx
    .selectFrom('hold')
    .select('request_id')
    .where('lasting', '=', 0)
    .where('node_id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (left === undefined) return;
  const { id } = await trx
    .insertInto('node')
    .values({
      name: 'the file that was copied',
      version: '',
      started_at: sql<number>`unixepoch()`,
      lease_until: REVOKED,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx.updateTable('hold').set({ node_id: id }).where('lasting', '=', 0).where('node_id', 'is', null).execute();
}

/** Into a file: the nodes that were are none of its. */
export async function detachHoldsFromNodes(trx: Transaction<Schema>): Promise<void> {
  await trx.updateTable('hold').set({ node_id: null }).where('node_id', 'is not', null).execute();
  await trx.deleteFrom('node').execute();
}
