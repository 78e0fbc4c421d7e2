/** Reads and writes tables by their names on both databases, for tests of the whole database. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, SqliteEngine } from '../db/open-database.ts';

/** Kysely's `sql`, for tests outside the server. */
export { sql } from 'kysely';

export type AnyRow = Record<string, string | number | bigint | Uint8Array | null>;

export async function listTables({ writer }: Pick<Database, 'writer'>): Promise<string[]> {
  const tables = await writer.introspection.getTables({ withInternalKyselyTables: true });
  return tables.map(({ name }) => name);
}

export async function listColumns({ writer }: Pick<Database, 'writer'>, table: string): Promise<string[]> {
  const tables = await writer.introspection.getTables();
  return tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
}

export async function readRows({ writer }: Pick<Database, 'writer'>, table: string): Promise<AnyRow[]> {
  return (await sql<AnyRow>`select * from ${sql.table(table)}`.execute(writer)).rows;
}

/** @returns the row as it is stored, with the columns that the database added */
export async function insertRow({ writer }: Pick<Database, 'writer'>, table: string, row: AnyRow): Promise<AnyRow> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(row));
  const { rows } = await sql<AnyRow>`
    insert into ${sql.table(table)} (${columns}) values (${values}) returning *`.execute(writer);
  return rows[0] ?? {};
}

/** Runs a statement that both databases support. */
export async function runSql({ writer }: Pick<Database, 'writer'>, statement: string): Promise<void> {
  await sql.raw(statement).execute(writer);
}

/** Returns a digest that is equal for equal rows in any order. */
export function computeDigest(rows: readonly AnyRow[]): string {
  const bigintAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  const lines = rows.map((row) => JSON.stringify(row, bigintAsText)).toSorted();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Tables that jobs and nodes write by themselves. */
const selfWritingTables: ReadonlySet<string> = new Set(['job_run', 'host_certificate', 'lease', 'node']);

/**
 * Returns a digest of each table that only requests change.
 * @param uncounted columns to ignore, by table
 */
export async function digestTables(
  db: Pick<Database, 'writer'>,
  uncounted: Readonly<Record<string, readonly string[]>> = {},
): Promise<Record<string, string>> {
  const names = (await listTables(db)).filter((name) => !selfWritingTables.has(name));
  const digest = async (table: string) => {
    const rows = await readRows(db, table);
    for (const row of rows) for (const column of uncounted[table] ?? []) delete row[column];
    return [table, `${rows.length} ${computeDigest(rows)}`] as const;
  };
  return Object.fromEntries(await Promise.all(names.map(digest)));
}

/** Copies tables. @returns a function that restores them without checking the constraints between tables */
export async function snapshotTables(
  db: Pick<Database, 'writer' | 'engine'>,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  for (const table of tables) await runSql(db, `create table "kept_${table}" as select * from "${table}"`);
  const backs = tables.flatMap((table) => [
    `delete from "${table}"`,
    `insert into "${table}" select * from "kept_${table}"`,
    `drop table "kept_${table}"`,
  ]);
  return async () => {
    if (db.engine.kind === 'sqlite') {
      for (const statement of ['pragma foreign_keys = off', ...backs, 'pragma foreign_keys = on'])
        await runSql(db, statement);
      return;
    }
    await db.writer.transaction().execute(async (writer) => {
      for (const statement of ['set local session_replication_role = replica', ...backs])
        await runSql({ writer }, statement);
    });
  };
}

/** Returns the SQLite engine, for tests below the query builder. */
export function getSqliteEngine({ engine }: Pick<Database, 'engine'>): SqliteEngine {
  if (engine.kind !== 'sqlite') throw new Error('This test is about the database of one node');
  return engine;
}
