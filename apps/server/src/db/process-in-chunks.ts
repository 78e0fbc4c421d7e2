/**
 * Processes many rows in chunks. SQLite executes a statement in the thread of the event loop, and `await` alone lets
 * nothing else run there: one statement on 100,000 rows, or a loop of small ones, would block every request.
 */
import { setImmediate } from 'node:timers/promises';
import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import { sleep, type Timers } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import type { Database } from './open-database.ts';

/** Maximum rows of a chunk, which take some milliseconds. */
export const CHUNK_ROWS = 200;
/** Maximum bytes of a chunk. A single row may be larger. */
export const CHUNK_BYTES = 1_048_576;
const PAUSE_MS = 20;

/**
 * Runs chunks of work until the last one, with a pause between them.
 * @param piece resolves with whether there may be more
 * @throws what a chunk throws, and the signal's reason once it is aborted
 */
export async function runInChunks(
  machine: Timers,
  piece: () => Promise<boolean>,
  stopping?: AbortSignal,
): Promise<void> {
  stopping?.throwIfAborted();
  while (await piece()) await sleep(machine, PAUSE_MS, stopping);
}

/** Handles items in chunks of a size, with a pause between them. */
export async function processItemsInChunks<Item>(
  machine: Timers,
  items: readonly Item[],
  size: number,
  handle: (chunk: readonly Item[]) => Promise<unknown>,
  stopping?: AbortSignal,
): Promise<void> {
  if (items.length === 0) return;
  let handled = 0;
  await runInChunks(
    machine,
    async () => {
      await handle(items.slice(handled, handled + size));
      handled += size;
      return handled < items.length;
    },
    stopping,
  );
}

/**
 * Handles all rows of a query in chunks, each in its own transaction. After an interruption, the next call does the
 * rest.
 * @param rows selects what is left to do; a column `bytes` counts what a row adds to a chunk
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
          // Another node may have changed or locked a row in the meantime.
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

/**
 * Yields all rows of a query in the order of their ids. Reads them in pages, and lets other events be handled between
 * them.
 * @param rows selects the rows after an id
 */
export async function* readRowsById<DB, TB extends keyof DB, Row extends { id: number }>(
  rows: (after: number) => SelectQueryBuilder<DB, TB, Row>,
  pageRows = CHUNK_ROWS,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const page = await rows(after).orderBy(sql.ref('id')).limit(pageRows).execute();
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    await setImmediate();
  }
}

/** Returns the first rows, up to `CHUNK_BYTES` in their column `bytes`, and at least one. */
export function takeChunk<Row extends object>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, nth) => {
    bytes += 'bytes' in row ? Number(row.bytes) : 0;
    return bytes > CHUNK_BYTES && nth > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Returns the total size of columns as a column `bytes`. The database knows it without reading their values. */
export function selectByteSize(...columns: readonly string[]) {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  return sql<number>`${sql.join(sizes, sql` + `)}`.as('bytes');
}

/** Returns the condition that the key columns of a table's row match one of the given rows. */
export function matchesAnyKey<Name extends string>(
  key: readonly Name[],
  rows: readonly Readonly<Record<Name, string | number>>[],
) {
  const valueOf = (row: Readonly<Record<Name, string | number>>, name: Name) =>
    // PostgreSQL treats an untyped value of a list as text.
    typeof row[name] === 'number' ? sql`cast(${row[name]} as bigint)` : sql`${row[name]}`;
  const values = rows.map((row) => sql`(${sql.join(key.map((name) => valueOf(row, name)))})`);
  return sql<boolean>`(${sql.join(key.map((name) => sql.ref(name)))}) in (values ${sql.join(values)})`;
}

export function pluckIds<Id>(rows: readonly { id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}
