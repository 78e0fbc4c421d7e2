/** Reads tables of another installation as of one moment, and never writes them. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, type ControlledTransaction, type Dialect, Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createExecute } from '../../db/sqlite/execute.ts';
import { createSqliteDialect } from '../../db/sqlite/sqlite-dialect.ts';
import { getErrorMessage } from '../../platform/log.ts';
import { streamPages } from '../../platform/stream-pages-and-json.ts';
import { type Row, readInteger, readText } from './row-values.ts';

export interface SourceTables {
  has(table: string): boolean;
  hasColumn(table: string, column: string): boolean;
  /** Yields the rows sorted by id, page by page; nothing if the table does not exist. */
  pages(table: string): AsyncIterable<readonly Row[]>;
  /** Returns the rows of a table that may have no ids. */
  all(table: string): Promise<readonly Row[]>;
  /** Yields the rows since a time, by a column. */
  pagesSince(table: string, column: string, since: number): AsyncIterable<readonly Row[]>;
  close(): Promise<void>;
}

type Tables = Record<string, Record<string, unknown>>;

const PAGE = 1_000;
const CONNECT_MS = 15_000;
const STATEMENT_MS = 120_000;

/**
 * @param from a SQLite file, or `mysql://…` or `postgres://…`
 * @param statementMs timeout of a statement, such as one that waits for a locked table
 * @throws with a sentence without a password
 */
export async function openSourceTables(from: string, statementMs = STATEMENT_MS): Promise<SourceTables> {
  const scheme = /^([a-z]+):\/\//.exec(from)?.[1];
  if (scheme === 'postgres' || scheme === 'postgresql')
    return openServerSource(await createPostgresDialect(from, statementMs));
  if (scheme === 'mysql') return openServerSource(await createMysqlDialect(from, statementMs));
  const dsn = /^(?<user>[^:@/]*)(?::(?<password>.*))?@tcp\((?<host>[^)]+)\)\/(?<name>[^?]+)/.exec(from)?.groups;
  if (dsn !== undefined) {
    const { user = '', password = '', host = '', name = '' } = dsn;
    const account = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    return openServerSource(await createMysqlDialect(`mysql://${account}@${host}/${name}`, statementMs));
  }
  if (scheme !== undefined)
    throw new Error(`A database must be a SQLite file, mysql:// or postgres://, not ${scheme}://`);
  return openSqliteSource(from);
}

async function openSqliteSource(file: string): Promise<SourceTables> {
  if (!existsSync(file))
    throw new Error(
      // It may be an address with a password, in an unsupported form.
      /[@=]/.test(file)
        ? 'There is no such file. A server address has the form postgres://user:password@host:5432/name, mysql://user:password@host:3306/name or user:password@tcp(host:3306)/name'
        : `There is no file ${file}`,
    );
  let connection: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(file, { readOnly: true, readBigInts: true, timeout: 5_000 });
    connection = opened;
    opened.exec('begin');
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(createExecute(opened)) });
    return await createSourceTables(db, async () => opened.close(), listStoredTables(opened));
  } catch (error) {
    connection?.close();
    throw unreadableSourceError(error);
  }
}

/** Returns the tables whose rows are in the file: a virtual table may read a view, which may have infinite rows. */
function listStoredTables(connection: DatabaseSync): ReadonlySet<string> {
  const rows = connection.prepare("select name from pragma_table_list where schema = 'main' and type = 'table'").all();
  return new Set(rows.map(({ name }) => String(name)));
}

/** Names the source in the error, so that it is not attributed to this server's own database. */
function unreadableSourceError(error: unknown): Error {
  return new Error(`The database cannot be read: ${getErrorMessage(error)}`, { cause: error });
}

/** The driver is loaded only if it is needed. */
async function createPostgresDialect(uri: string, statementMs: number): Promise<Dialect> {
  const { Pool } = await import('pg');
  return new PostgresDialect({
    pool: new Pool({
      connectionString: uri,
      max: 1,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: statementMs,
      options: '-c default_transaction_read_only=on',
    }),
  });
}

async function createMysqlDialect(uri: string, statementMs: number): Promise<Dialect> {
  const { createPool } = await import('mysql2');
  const seconds = Math.ceil(statementMs / 1000);
  // MySQL and MariaDB name the statement timeout differently, and each ignores the other's as a comment.
  const deadlines = `set session lock_wait_timeout = ${seconds}
    /*!50708 , max_execution_time = ${statementMs} */ /*M!100101 , max_statement_time = ${seconds} */`;
  return new MysqlDialect({
    pool: createPool({
      uri,
      connectionLimit: 1,
      connectTimeout: CONNECT_MS,
      charset: 'utf8mb4',
      // Dates, and numbers beyond doubles, are returned as text.
      dateStrings: true,
      supportBigNumbers: true,
    }),
    onCreateConnection: async (connection) => {
      await connection.executeQuery(CompiledQuery.raw(deadlines));
    },
  });
}

async function openServerSource(dialect: Dialect): Promise<SourceTables> {
  const db = new Kysely<Tables>({ dialect });
  let transaction: ControlledTransaction<Tables> | undefined;
  const close = async (): Promise<void> => {
    await transaction?.rollback().execute();
    await db.destroy();
  };
  try {
    transaction = await db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute();
    return await createSourceTables(transaction, close);
  } catch (error) {
    await db.destroy().catch(() => {});
    throw unreadableSourceError(error);
  }
}

/** @param stored the tables that may be read; absent: all except views */
async function createSourceTables(
  db: Kysely<Tables>,
  close: () => Promise<void>,
  stored?: ReadonlySet<string>,
): Promise<SourceTables> {
  const tables = (await db.introspection.getTables()).filter(
    ({ name, isView }) => !isView && stored?.has(name) !== false,
  );
  const known = new Map(tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]));
  const has = (table: string): boolean => known.has(table);
  /** Excludes columns that SQLite computes for each row, which may be larger than the file. */
  const rowsOf = (table: string) => db.selectFrom(table).select([...(known.get(table) ?? [])]);
  const pagesOf = (table: string, from?: { column: string; since: number }): AsyncIterable<readonly Row[]> =>
    streamPages({ size: PAGE, most: Number.POSITIVE_INFINITY }, async (last: Row | undefined, size) => {
      if (!has(table)) return [];
      let query = rowsOf(table);
      if (last !== undefined) query = query.where('id', '>', readRowId(table, last));
      if (from !== undefined) query = query.where(from.column, '>=', from.since);
      return query.orderBy('id').limit(size).execute();
    });
  return {
    has,
    hasColumn: (table, column) => known.get(table)?.has(column) ?? false,
    all: async (table) => (has(table) ? rowsOf(table).execute() : []),
    pages: (table) => pagesOf(table),
    pagesSince: (table, column, since) => pagesOf(table, { column, since }),
    close,
  };
}

/** @throws if the next page cannot begin after this id, because rows would be repeated forever or skipped */
function readRowId(table: string, row: Row | undefined): number {
  const value = row?.['id'];
  // SQLite sorts bytes after all numbers, regardless of their digits.
  const id = typeof value === 'object' ? undefined : readInteger(value);
  if (id === undefined || String(id) !== readText(value) || !Number.isSafeInteger(Number(id)))
    throw new Error(`The table ${table} has IDs that are not whole numbers or are too large`);
  return Number(id);
}
