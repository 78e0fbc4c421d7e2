/** Sums that jobs make of records once their time is over. */
import { sql } from 'kysely';
import type { Database } from './database.ts';

const startColumns = { usage_slice: 'hour', usage_group_day: 'day' } as const;

/**
 * Removes those from a moment on: a clock that was ahead made them, and calls have come since, or are to come. Where the
 * records are gone it is this clock that is behind, and nothing could be summed up anew.
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
