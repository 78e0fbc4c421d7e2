/** Deleting or changing a row reads all rows of the tables that refer to it, unless their foreign key has an index. */
import { describe, expect, test } from 'vitest';
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';
import { engines, useTestDatabases } from './engines.ts';

interface ForeignKey {
  name: string;
  /** An index on the column itself, which may leave out nulls. */
  indexed: number;
}

const selectOfSqlite = sql<ForeignKey>`
  select m.name || '.' || f."from" as name,
    exists (select 1 from pragma_table_info(m.name) c where c.name = f."from" and c.pk = 1) or
    exists (select 1 from pragma_index_list(m.name) l join pragma_index_info(l.name) i join sqlite_schema s
      where s.name = l.name and i.seqno = 0 and i.name = f."from"
        and (l.partial = 0 or s.sql like '%where ' || f."from" || ' is not null')) as indexed
  from sqlite_schema m, pragma_foreign_key_list(m.name) f where m.type = 'table' and f.seq = 0`;

const selectOfPostgres = sql<ForeignKey>`
  select c.relname || '.' || a.attname as name,
    exists (select 1 from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum
      and (i.indpred is null or pg_get_expr(i.indpred, c.oid) = '(' || a.attname || ' IS NOT NULL)')) as indexed
  from pg_constraint f join pg_class c on c.oid = f.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
  where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace and not c.relispartition`;

async function listForeignKeys({ engine, writer }: Database): Promise<readonly ForeignKey[]> {
  const { rows } = await (engine.kind === 'sqlite' ? selectOfSqlite : selectOfPostgres).execute(writer);
  return rows;
}

describe.each(engines)('on $name', (engine) => {
  const databases = useTestDatabases(engine);

  test('each foreign key has an index', async () => {
    const keys = await listForeignKeys(await databases.open());
    expect(keys.length).toBeGreaterThan(20);
    expect(keys.filter(({ indexed }) => indexed === 0).map(({ name }) => name)).toEqual([]);
  });
});
