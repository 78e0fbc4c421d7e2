/**
 * Seals everything again that an older data key sealed, while the product runs. Each text is replaced only if it is
 * still the one that was read, so a new value that somebody stores meanwhile stays. It may stop anywhere: old keys open
 * what is left, and the next run goes on.
 */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { prefixOf } from '../../platform/secrets/vault.ts';
import { type SealedColumn, sealedColumns } from './sealed-columns.ts';

const BATCH = 50;

type Parts = Pick<Context, 'db' | 'vault' | 'log'>;
type SealedRow = { key: string | number; sealed: string };

/** Returns how many texts are not encrypted with the newest key. */
export async function countPending({ db, vault }: Pick<Parts, 'db' | 'vault'>): Promise<number> {
  let pending = 0;
  for (const column of sealedColumns) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(column.table)}
      where ${isOld(column, vault.newestKey)}`.execute(db.reader);
    pending += rows[0]?.count ?? 0;
  }
  return pending;
}

/** @param until when to stop, as `performance.now()` has it */
export async function resealAll(parts: Parts, until: number): Promise<void> {
  for (const column of sealedColumns) await resealColumn(parts, column, until);
}

async function resealColumn(parts: Parts, column: SealedColumn, until: number): Promise<void> {
  const { db, vault } = parts;
  let last: string | number | undefined;
  while (performance.now() < until) {
    const after = last === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column.key)} > ${last}`;
    const { rows } =
      await sql<SealedRow>`select ${sql.ref(column.key)} as key, ${sql.ref(column.column)} as sealed
      from ${sql.table(column.table)} where ${isOld(column, vault.newestKey)} and ${after}
      order by ${sql.ref(column.key)} limit ${sql.lit(BATCH)}`.execute(db.reader);
    await resealRows(parts, column, rows);
    if (rows.length < BATCH) return;
    last = rows.at(-1)?.key;
  }
}

async function resealRows({ db, vault, log }: Parts, column: SealedColumn, rows: SealedRow[]): Promise<void> {
  const { table, purpose, named } = column;
  const renewed = rows.flatMap(({ key, sealed }) => {
    const row = `${named}:${key}`;
    try {
      return [{ key, sealed, next: vault.seal(purpose, row, vault.open(purpose, row, sealed)) }];
    } catch (error) {
      // Damaged, or moved here by hand: its feature says so when it is used. The rest must not wait for it.
      log.error({ err: error, table, row }, 'a stored secret cannot be decrypted and keeps its data key');
      return [];
    }
  });
  if (renewed.length === 0) return;
  await db.writer.transaction().execute(async (trx) => {
    for (const { key, sealed, next } of renewed)
      await sql`update ${sql.table(table)} set ${sql.ref(column.column)} = ${next}
        where ${sql.ref(column.key)} = ${key} and ${sql.ref(column.column)} = ${sealed}`.execute(trx);
  });
}

function isOld({ column, where }: SealedColumn, newestKey: number) {
  const prefix = prefixOf(newestKey);
  return sql<boolean>`${sql.ref(column)} <> '' and substr(${sql.ref(column)}, 1, ${prefix.length}) <> ${prefix}
    and ${where ?? sql<boolean>`true`}`;
}
