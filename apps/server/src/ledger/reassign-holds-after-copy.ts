/**
 * Holds after a copy into the other kind of database. In SQLite, requests' holds belong to no node and end at the
 * next start; in PostgreSQL, each must belong to a node, or none would ever end it.
 */
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import { REVOKED } from './multi-node/renew-lease.ts';

/** Assigns holds to a node that has already left, so that the first node to start ends them. */
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

/** Detaches holds from nodes, which do not exist in SQLite. */
export async function detachHoldsFromNodes(trx: Transaction<Schema>): Promise<void> {
  await trx.updateTable('hold').set({ node_id: null }).where('node_id', 'is not', null).execute();
  await trx.deleteFrom('node').execute();
}
