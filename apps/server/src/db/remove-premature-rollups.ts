/** Removes rollups that jobs computed too early. */
import { sql } from 'kysely';
import type { Database } from './database-handle.ts';

const startColumns = { usage_slice: 'hour', usage_group_day: 'day' } as const;

/**
 * Removes the rollups from a time on. A clock that was ahead created them before all their calls had happened.
 * Rollups whose records were deleted stay, because they could not be computed again.
 * @param from UTC seconds
 */
export async function removePrematureRollups(
  { writer }: Pick<Database, 'writer'>,
  table: keyof typeof startColumns,
  from: number,
): Promise<void> {
  const beginning = sql.ref(startColumns[table]);
  await sql`delete from ${sql.table(table)} where ${beginning} >= ${from}
    and ${beginning} > (select min(created_at) from usage_record where type in ('consume', 'error'))`.execute(writer);
}
