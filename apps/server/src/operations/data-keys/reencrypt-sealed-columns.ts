/**
 * Re-encrypts at run time what an older data key has encrypted. Each text is replaced only if it is unchanged since
 * it was read, so that a concurrently stored value stays. It may stop anywhere: old keys decrypt the rest, and the
 * next run continues.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { getSealPrefix, type Purpose } from '../../platform/secrets/vault.ts';

const BATCH = 50;

type ReencryptContext = Pick<Context, 'db' | 'vault' | 'log'>;
type SealedRow = { key: string | number; sealed: string };

/** Returns how many texts are not encrypted with the newest key. */
export async function countPending({ db, vault }: Pick<ReencryptContext, 'db' | 'vault'>): Promise<number> {
  let pending = 0;
  for (const column of sealedColumns) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(column.table)}
      where ${isOutdated(column, vault.newestKey)}`.execute(db.reader);
    pending += rows[0]?.count ?? 0;
  }
  return pending;
}

/** @param until `performance.now()` at which to stop */
export async function reencryptAll(parts: ReencryptContext, until: number): Promise<void> {
  for (const column of sealedColumns) await reencryptColumn(parts, column, until);
}

async function reencryptColumn(parts: ReencryptContext, column: SealedColumn, until: number): Promise<void> {
  const { db, vault } = parts;
  let last: string | number | undefined;
  while (performance.now() < until) {
    const after = last === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column.key)} > ${last}`;
    const { rows } = await sql<SealedRow>`select ${sql.ref(column.key)} as key, ${sql.ref(column.column)} as sealed
      from ${sql.table(column.table)} where ${isOutdated(column, vault.newestKey)} and ${after}
      order by ${sql.ref(column.key)} limit ${sql.lit(BATCH)}`.execute(db.reader);
    await reencryptRows(parts, column, rows);
    if (rows.length < BATCH) return;
    last = rows.at(-1)?.key;
  }
}

async function reencryptRows(
  { db, vault, log }: ReencryptContext,
  column: SealedColumn,
  rows: SealedRow[],
): Promise<void> {
  const { table, purpose, named } = column;
  const renewed = rows.flatMap(({ key, sealed }) => {
    const row = `${named}:${key}`;
    try {
      return [{ key, sealed, next: vault.seal(purpose, row, vault.open(purpose, row, sealed)) }];
    } catch (error) {
      // Damaged or misplaced: its feature reports it when it is used. The rest must not wait for it.
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

function isOutdated({ column, where }: SealedColumn, newestKey: number) {
  const prefix = getSealPrefix(newestKey);
  return sql<boolean>`${sql.ref(column)} <> '' and substr(${sql.ref(column)}, 1, ${prefix.length}) <> ${prefix}
    and ${where ?? sql<boolean>`true`}`;
}

interface SealedColumn {
  table: string;
  column: string;
  purpose: Purpose;
  /** Column that identifies rows; a row's name is `named:<value>`. */
  key: string;
  named: string;
  /** Condition for the sealed texts of the column; absent for all that are not empty. */
  where?: RawBuilder<boolean>;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-';

/** Every column with sealed texts. A test compares it with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'channel', column: 'key_sealed', purpose: 'channel-key', key: 'id', named: 'channel' },
  { table: 'channel', column: 'headers_sealed', purpose: 'channel-header', key: 'id', named: 'channel' },
  { table: 'channel', column: 'proxy_sealed', purpose: 'channel-proxy', key: 'id', named: 'channel' },
  { table: 'api_key', column: 'key_sealed', purpose: 'api-key', key: 'id', named: 'api_key' },
  { table: 'one_time', column: 'data_sealed', purpose: 'one-time', key: 'value_hash', named: 'one_time' },
  { table: 'totp', column: 'secret_sealed', purpose: 'totp', key: 'user_id', named: 'totp' },
  { table: 'mail', column: 'values_sealed', purpose: 'mail', key: 'id', named: 'mail' },
  { table: 'processor', column: 'secrets_sealed', purpose: 'processor', key: 'id', named: 'processor' },
  { table: 'destination', column: 'config_sealed', purpose: 'destination', key: 'id', named: 'destination' },
  { table: 'safety_rule', column: 'secret_sealed', purpose: 'safety-rule', key: 'id', named: 'safety_rule' },
  {
    table: 'redemption_code',
    column: 'code_sealed',
    purpose: 'redemption-code',
    key: 'code_hash',
    named: 'redemption_code',
  },
  { table: 'audit_head', column: 'head_sealed', purpose: 'audit-head', key: 'id', named: 'audit_head' },
  {
    table: 'telegram_webhook',
    column: 'secret_sealed',
    purpose: 'telegram-webhook',
    key: 'bot',
    named: 'telegram_webhook',
  },
  {
    table: 'setting',
    column: 'value',
    purpose: 'setting',
    key: 'name',
    named: 'setting',
    // Most settings are not secret, and could have the same prefix: a sealed text is also long and uses one alphabet.
    where: sql<boolean>`substr(value, 1, 3) in ('v1.', 'v2.') and length(value) > 40 and trim(value, ${ALPHABET}) = ''`,
  },
];
