/** Reads the structure of a database's tables in terms that both engines share. */
import type { Database } from '../../apps/server/src/db/open-database.ts';
import { sql } from '../../apps/server/src/testing/any-table.ts';

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
}

interface Index {
  /** The columns in order; an expression as `()`. */
  columns: string;
  isUnique: boolean;
  isPartial: boolean;
}

export interface Table {
  columns: readonly Column[];
  key: string;
  indexes: readonly Index[];
}

export type Structure = Readonly<Record<string, Table>>;

const ignoredTables: ReadonlySet<string> = new Set([
  'kysely_migration',
  'kysely_migration_lock',
  'upgrade',
  'sqlite_sequence',
]);
/** PostgreSQL's types, and their names in migrations. */
const types: Readonly<Record<string, string>> = { bigint: 'integer', 'double precision': 'real', bytea: 'blob' };

export const readStructure = (db: Database): Promise<Structure> =>
  db.engine.kind === 'sqlite' ? readSqliteStructure(db) : readPostgresStructure(db);

interface Rows {
  tables: readonly string[];
  columns: readonly { table: string; name: string; type: string; nullable: number; key: number }[];
  indexes: readonly { table: string; columns: string; unique: number; partial: number }[];
}

function toStructure({ tables, columns, indexes }: Rows): Structure {
  const names = tables.filter((name) => !ignoredTables.has(name)).toSorted();
  return Object.fromEntries(
    names.map((table) => {
      const own = columns.filter((column) => column.table === table);
      return [
        table,
        {
          columns: own
            .map(({ name, type, nullable }) => ({ name, type: types[type] ?? type, isNullable: nullable === 1 }))
            .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
          key: own
            .filter(({ key }) => key > 0)
            .toSorted((a, b) => a.key - b.key)
            .map(({ name }) => name)
            .join(),
          indexes: indexes
            .filter((index) => index.table === table)
            .map((index) => ({ columns: index.columns, isUnique: index.unique === 1, isPartial: index.partial === 1 }))
            .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
        },
      ];
    }),
  );
}

async function readSqliteStructure({ writer }: Database): Promise<Structure> {
  const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(writer);
  const columns = await sql<Rows['columns'][number]>`
    select m.name as "table", c.name, lower(c.type) as type, c."notnull" = 0 and c.pk = 0 as nullable, c.pk as key
    from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table'`.execute(writer);
  const indexes = await sql<Rows['indexes'][number]>`
    select m.name as "table", i."unique", i.partial,
      (select group_concat(coalesce(x.name, '()'), ',' order by x.seqno) from pragma_index_xinfo(i.name) x where x.key = 1) as columns
    from sqlite_schema m, pragma_index_list(m.name) i where m.type = 'table' and i.origin <> 'pk'`.execute(writer);
  return toStructure({ tables: tables.rows.map(({ name }) => name), columns: columns.rows, indexes: indexes.rows });
}

/** Monthly partitions are parts of their table. */
async function readPostgresStructure({ writer }: Database): Promise<Structure> {
  const tables = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    writer,
  );
  const columns = await sql<Rows['columns'][number]>`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
      coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`.execute(
    writer,
  );
  const indexes = await sql<Rows['indexes'][number]>`
    select c.relname as "table", i.indisunique as "unique", i.indpred is not null as partial,
      (select string_agg(coalesce(a.attname, '()'), ',' order by k.nth) from unnest(i.indkey::int2[]) with ordinality k (num, nth)
        left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.num) as columns
    from pg_class c join pg_index i on i.indrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not i.indisprimary`.execute(writer);
  return toStructure({ tables: tables.rows.map(({ name }) => name), columns: columns.rows, indexes: indexes.rows });
}
