/** Fills tables with many rows, each table in one statement. */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../context.ts';

export type FilledValues = Readonly<Record<string, string | number | null | RawBuilder<unknown>>>;

/** Number of the row, from 1 on. */
export const nth = sql`n.i`;
/** Returns a text that ends with the number of the row. */
export const named = (prefix: string): RawBuilder<unknown> => sql`${prefix} || n.i`;

/** Inserts rows that differ by their number. Columns without a value that can't be null get 0 or an empty text. */
export async function fillTable({ db }: Context, table: string, count: number, values: FilledValues): Promise<void> {
  const tables = await db.writer.introspection.getTables();
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  const filled = columns.filter(
    ({ name, isNullable, isAutoIncrementing }) => name in values || !(isNullable || isAutoIncrementing),
  );
  const valueOf = ({ name, dataType }: (typeof filled)[number]) =>
    sql`${name in values ? values[name] : /int/i.test(dataType) ? 0 : ''}`;
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into ${sql.table(table)} (${sql.join(filled.map(({ name }) => sql.ref(name)))})
    select ${sql.join(filled.map(valueOf))} from n`.execute(db.writer);
}
