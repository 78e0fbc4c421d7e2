/** Copies every row between SQLite and PostgreSQL, in either direction. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Database } from './database-handle.ts';
import { createMonthsLike } from './record-partitions.ts';

export interface CopiedTable {
  name: string;
  rows: number;
}

interface Table {
  name: string;
  columns: readonly Column[];
  /** Columns of the primary key, in order. */
  keys: readonly string[];
  /** Tables that the rows refer to, with the referring column. */
  refersTo: readonly { name: string; column: string }[];
}

interface Column {
  name: string;
  type: string;
}

type Row = Record<string, unknown>;

/** Tables of the migrations themselves, which are equal in both databases. */
const MIGRATION_TABLES: ReadonlySet<string> = new Set(['kysely_migration', 'kysely_migration_lock', 'upgrade']);
/** Tables with rows from migrations, which the rows of the source replace. */
const SEEDED_TABLES: ReadonlySet<string> = new Set(['readiness', 'staff_role']);
const ROWS_PER_PAGE = 500;
/** Rows read at a time from a table of images, responses or packed hours, each of which can be megabytes. */
const LARGE_ROWS_PER_PAGE = 20;
/** Maximum values in one statement, which is SQLite's limit. */
const VALUES_MAX = 30_000;

/**
 * Copies all rows as of one moment, in one transaction. Both databases have the same tables.
 * @param afterwards changes what must differ in the copy
 * @throws if the target has rows, or its rows differ from the source's after the copy
 */
export async function copyRows(
  from: Database,
  to: Database,
  afterwards: (target: Transaction<Schema>) => Promise<void>,
): Promise<CopiedTable[]> {
  const tables = await listTables(from.engine.kind === 'sqlite' ? from.writer : to.writer);
  await createMonthsLike(from, to);
  return readSnapshotOf(from, (source) =>
    to.writer.transaction().execute(async (target) => {
      for (const { name } of tables) await clearTable(target, name);
      const copied: CopiedTable[] = [];
      for (const table of tables) {
        const read = await copyTable(source, target, table);
        await verifyCopy(source, target, table, read);
        copied.push({ name: table.name, rows: read.rows });
      }
      await (to.engine.kind === 'postgres' ? copySequencesFromSqlite : copySequencesFromPostgres)(source, target);
      await afterwards(target);
      return copied;
    }),
  );
}

function readSnapshotOf<T>({ writer, engine }: Database, read: (source: Transaction<Schema>) => Promise<T>) {
  const begun = writer.transaction();
  return (engine.kind === 'postgres' ? begun.setIsolationLevel('repeatable read') : begun).execute(read);
}

/** Returns the tables of the SQLite file, each after the tables that it refers to. */
async function listTables(db: Kysely<Schema>): Promise<Table[]> {
  const columns = await sql<{ name: string; column: string; type: string; pk: number }>`
    select m.name, c.name as "column", c.type, c.pk from sqlite_schema m, pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`.execute(db);
  const references = await sql<{ name: string; column: string; other: string }>`
    select m.name, f."from" as "column", f."table" as other from sqlite_schema m, pragma_foreign_key_list(m.name) f
    where m.type = 'table'`.execute(db);
  const names = new Set(columns.rows.map(({ name }) => name).filter((name) => !MIGRATION_TABLES.has(name)));
  const unsorted = [...names].map((name): Table => {
    const own = columns.rows.filter((row) => row.name === name);
    const keys = own.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    const refersTo = references.rows.filter((row) => row.name === name);
    return {
      name,
      columns: own.map(({ column, type }) => ({ name: column, type: type.toLowerCase() })),
      keys: keys.map(({ column }) => column),
      refersTo: refersTo.map(({ other, column }) => ({ name: other, column })),
    };
  });
  return sortByReference(unsorted);
}

function sortByReference(tables: readonly Table[]): Table[] {
  const sorted = new Map<string, Table>();
  while (sorted.size < tables.length) {
    const next = tables.filter(
      ({ name, refersTo }) =>
        !sorted.has(name) && refersTo.every((other) => other.name === name || sorted.has(other.name)),
    );
    if (next.length === 0) throw new Error('The tables have circular references');
    for (const table of next) sorted.set(table.name, table);
  }
  return [...sorted.values()];
}

/** @throws if the table has rows that no migration inserted */
async function clearTable(target: Kysely<Schema>, name: string): Promise<void> {
  if (SEEDED_TABLES.has(name)) await sql`delete from ${sql.table(name)}`.execute(target);
  const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(target);
  if (rows.length > 0) throw new Error(`The target is not empty: there are rows in ${name}`);
}

/** Matches a character of two UTF-16 units, which databases count as one. */
const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/**
 * Checksums of the rows that were read: their number, and for each column the sum of all numbers and of the lengths
 * of all other values.
 */
interface Checksum {
  rows: number;
  columns: bigint[];
}

async function copyTable(source: Kysely<Schema>, target: Kysely<Schema>, table: Table): Promise<Checksum> {
  const sums = { rows: 0, columns: table.columns.map(() => 0n) };
  const own = table.refersTo.find(({ name }) => name === table.name);
  // Rows that other rows of the same table refer to have no reference themselves.
  const parts =
    own === undefined ? [sql`true`] : [sql`${sql.ref(own.column)} is null`, sql`${sql.ref(own.column)} is not null`];
  for (const condition of parts) await copyWhere(source, target, table, condition, sums);
  return sums;
}

/** Copies rows in the order of the primary key, so that no row is read twice. */
async function copyWhere(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  { name, columns, keys }: Table,
  condition: ReturnType<typeof sql>,
  sums: Checksum,
): Promise<void> {
  const refs = sql.join(columns.map((column) => sql.ref(column.name)));
  const keyRefs = sql.join(keys.map((key) => sql.ref(key)));
  const most = columns.some(({ type }) => type === 'blob') ? LARGE_ROWS_PER_PAGE : ROWS_PER_PAGE;
  const limit = Math.min(most, Math.floor(VALUES_MAX / columns.length));
  let after = sql`true`;
  for (;;) {
    const { rows } = await sql<Row>`select ${refs} from ${sql.table(name)} where ${condition} and ${after}
      order by ${keyRefs} limit ${sql.lit(limit)}`.execute(source);
    const last = rows.at(-1);
    if (last === undefined) return;
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column.name]))})`);
    await sql`insert into ${sql.table(name)} (${refs}) values ${sql.join(values)}`.execute(target);
    sums.rows += rows.length;
    columns.forEach((column, n) => {
      for (const row of rows) sums.columns[n] = (sums.columns[n] ?? 0n) + measureValue(row[column.name]);
    });
    after = sql`(${keyRefs}) > (${sql.join(keys.map((key) => last[key]))})`;
  }
}

/**
 * Returns the size of a value as the other database counts it. A NUL in text becomes another character there, and
 * counts as one.
 */
function measureValue(value: unknown): bigint {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'string') return BigInt(value.replaceAll(SURROGATE_PAIR, '_').length);
  return value instanceof Uint8Array ? BigInt(value.length) : 0n;
}

/** @throws unless all rows of the source were read and the target has the same sums */
async function verifyCopy(
  source: Kysely<Schema>,
  target: Kysely<Schema>,
  { name, columns }: Table,
  read: Checksum,
): Promise<void> {
  const sums = columns.map((column) => {
    const value = column.type === 'integer' ? sql.ref(column.name) : sql`length(${sql.ref(column.name)})`;
    // As text, because a sum can exceed the safe integers of a number.
    return sql`cast(coalesce(sum(${value}), 0) as text) as ${sql.ref(column.name)}`;
  });
  const count = sql`select count(*) as rows from ${sql.table(name)}`.execute(source);
  const there = (await count).rows;
  const { rows: here } = await sql<Row>`
    select count(*) as rows, ${sql.join(sums)} from ${sql.table(name)}`.execute(target);
  const expected = Object.fromEntries(columns.map((column, n) => [column.name, String(read.columns[n])]));
  if (
    JSON.stringify(there) !== JSON.stringify([{ rows: read.rows }]) ||
    JSON.stringify(here) !== JSON.stringify([{ rows: read.rows, ...expected }])
  )
    throw new Error(`The copied rows of ${name} differ from the source. Nothing was kept.`);
}

/** Advances the sequences of PostgreSQL, so that no id is assigned twice. */
async function copySequencesFromSqlite(file: Kysely<Schema>, postgres: Kysely<Schema>): Promise<void> {
  const given = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(file);
  const last = new Map(given.rows.map(({ name, seq }) => [name, seq]));
  const { rows } = await sql<{ name: string; column: string }>`
    select table_name as name, column_name as "column" from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(postgres);
  for (const { name, column } of rows) {
    const most = await sql<{ most: number | null }>`
      select max(${sql.ref(column)}) as most from ${sql.table(name)}`.execute(postgres);
    const number = Math.max(last.get(name) ?? 0, most.rows[0]?.most ?? 0);
    if (number > 0)
      await sql`select setval(pg_get_serial_sequence(${`"${name}"`}, ${column}), ${number})`.execute(postgres);
  }
}

async function copySequencesFromPostgres(postgres: Kysely<Schema>, file: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string; last: number | null }>`
    select table_name as name, pg_sequence_last_value(pg_get_serial_sequence('"' || table_name || '"', column_name)::regclass) as last
    from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`.execute(postgres);
  for (const { name, last } of rows) {
    if (last === null) continue;
    await sql`insert into sqlite_sequence (name, seq) select ${name}, 0
      where exists (select 1 from sqlite_schema where name = ${name} and sql like '%autoincrement%')
        and not exists (select 1 from sqlite_sequence where name = ${name})`.execute(file);
    await sql`update sqlite_sequence set seq = max(seq, ${last}) where name = ${name}`.execute(file);
  }
}
