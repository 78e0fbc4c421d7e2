import { sql } from 'kysely';
import type { Database } from '../../db/db.ts';

/**
 * Checks the leases in the database, because each of several nodes has its own data folder.
 * @throws when a node has a lease
 */
export async function requireNoRunningServer({ writer }: Pick<Database, 'writer'>): Promise<void> {
  const running = await writer
    .selectFrom('node')
    .select('name')
    .where('lease_until', '>', sql<number>`unixepoch()`)
    .execute();
  if (running.length > 0)
    throw new Error(
      `These nodes are running, or were running a moment ago: ${running.map(({ name }) => name).join(', ')}. Stop them first`,
    );
}
