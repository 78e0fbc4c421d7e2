/**
 * Work on many rows, piece by piece. SQLite executes a statement in the thread of the event loop, and `await` alone lets
 * nothing else run there: one statement on 100,000 rows, or a loop of small ones, would keep every call waiting.
 */
import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { sleep, type Timers } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import type { Database } from './db.ts';

/** Most rows of a piece: they take some milliseconds. */
export const CHUNK_ROWS = 200;
/** Most bytes of a piece, except that a single row may have more. */
export const CHUNK_BYTES = 1_048_576;
const PAUSE_MS = 20;

/**
 * Does pieces of work until one was the last, with a pause after each other one.
 * @param machine whose process is kept busy
 * @param piece resolves with whether there may be more
 * @throws what a piece throws, and the signal's reason once it is aborted
 */
export async function runInChunks(
  machine: Timers,
  piece: () => Promise<boolean>,
  stopping?: AbortSignal,
): Promise<void> {
  stopping?.throwIfAborted();
  while (await piece()) await sleep(machine, PAUSE_MS, stopping);
}

/**
 * Handles all rows of a query in pieces, each in a transaction of its own. When it is interrupted, the next call does the rest.
 * @param rows selects what is left to do; a column `bytes` counts what a row adds to a piece
 * @param handle deletes the rows, or changes them so that they aren't selected again
 * @returns the number of rows
 */
export async function processRowsInChunks<DB, TB extends keyof DB, Row extends object>(
  db: Database,
  rows: (trx: Transaction<Schema>) => SelectQueryBuilder<DB, TB, Row>,
  handle: (trx: Transaction<Schema>, piece: readonly Row[]) => Promise<unknown>,
  stopping?: AbortSignal,
): Promise<number> {
  let handled = 0;
  await runInChunks(
    db.machine,
    () =>
      db.writer.transaction().execute(async (trx) => {
        const found = await rows(trx)
          .limit(CHUNK_ROWS)
          // Another node may have changed or locked a row since.
          .$if(db.engine.kind === 'postgres', (query) => query.forUpdate().skipLocked())
          .execute();
        const piece = takeChunk(found);
        if (piece.length > 0) await handle(trx, piece);
        handled += piece.length;
        return piece.length < found.length || found.length === CHUNK_ROWS;
      }),
    stopping,
  );
  return handled;
}

function takeChunk<Row extends object>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, nth) => {
    bytes += 'bytes' in row ? Number(row.bytes) : 0;
    return bytes > CHUNK_BYTES && nth > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Returns the size of these columns as a column `bytes`, which the database knows without reading them. */
export function selectByteSize(...columns: readonly string[]) {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${sql.join(sizes, sql` + `)}`.as('bytes');
}

/** Returns the condition that a row of a table is one of these, by the columns of its key. */
export function matchesAnyKey<Name extends string>(
  key: readonly Name[],
  rows: readonly Readonly<Record<Name, string | number>>[],
) {
  const valueOf = (row: Readonly<Record<Name, string | number>>, name: Name) =>
    // PostgreSQL takes an untyped value of a list for a text.
    typeof row[name] === 'number' ? sql`cast(${row[name]} as bigint)` : sql`${row[name]}`;
  const values = rows.map((row) => sql`(${sql.join(key.map((name) => valueOf(row, name)))})`);
  return sql<boolean>`(${sql.join(key.map((name) => sql.ref(name)))}) in (values ${sql.join(values)})`;
}

export function pluckIds<Id>(rows: readonly { id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}
