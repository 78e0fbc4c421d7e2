/** Data keys that encrypt stored secrets, and their rotation at run time. */

import type { SecretState } from '@switchyard/contract/operations/data-keys';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { runInBackground } from '../../platform/log.ts';
import { getSealPrefix, type Purpose } from '../../platform/secrets/vault.ts';

/** The job continues what takes longer. */
const REENCRYPT_MAX_MS = 20_000;
/** A text may be encrypted just before a rotation, and stored just after. */
const GRACE_SECONDS = 600;

/** By then every node with a database connection has received a change. */
const PROPAGATION_MS = 5_000;

/** Servers that are rotating a key. */
const activeRotations = new WeakSet<Context['vault']>();

export async function readSecretState(ctx: Context): Promise<SecretState> {
  const keys = await ctx.db.writer.selectFrom('data_key').select('created_time').orderBy('id', 'desc').execute();
  return { data_keys: keys.length, newest_created_time: keys[0]?.created_time ?? 0, pending: await countPending(ctx) };
}

/**
 * Creates a new data key and re-encrypts everything with it.
 * @throws AppError `conflict` while another rotation runs
 */
export async function rotateDataKey(ctx: Context): Promise<SecretState> {
  if (activeRotations.has(ctx.vault)) throw rotationRunningError();
  activeRotations.add(ctx.vault);
  try {
    const key = ctx.vault.createKey(ctx.vault.newestKey + 1);
    const created_time = nowSeconds(ctx.clock);
    const started = await ctx.db.writer
      .insertInto('data_key')
      .values({ ...key, created_time })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (started === undefined) throw rotationRunningError();
    await ctx.changes.publish({ topic: 'data-keys' });
    await activateAfterPropagation(ctx, key.id, created_time);
    await reencryptSecrets(ctx);
  } finally {
    activeRotations.delete(ctx.vault);
  }
  return readSecretState(ctx);
}

const rotationRunningError = (): AppError => new AppError('conflict', 'A data key rotation is already running');

/** Loads new data keys when any node creates them. They encrypt only once every node has loaded them. */
export function subscribeToDataKeys(ctx: Context): void {
  ctx.changes.subscribe(async ({ topic }) => {
    if (topic !== 'data-keys') return;
    const keys = await ctx.db.writer
      .selectFrom('data_key')
      .select(['id', 'sealed', 'created_time'])
      .where('id', '>', ctx.vault.newestKey)
      .execute();
    for (const { created_time, ...key } of keys) {
      ctx.vault.addKey(key);
      runInBackground(ctx.log, 'follow-data-keys', () => activateAfterPropagation(ctx, key.id, created_time));
    }
  });
}

/**
 * A node that was away during the rotation activates the key at once if the others have had the time to load it: keys
 * before it may be removed, and only this process could then read what they encrypt.
 * @param createdTime UTC seconds
 */
async function activateAfterPropagation({ db, vault, clock }: Context, id: number, createdTime: number): Promise<void> {
  const waitMs = PROPAGATION_MS - (nowSeconds(clock) - createdTime) * 1_000;
  if (db.engine.kind === 'postgres' && waitMs > 0)
    await new Promise<void>((resolve) => clock.after(waitMs, resolve).unref());
  vault.activateKey(id);
}

/** Continues an interrupted rotation, and removes unused data keys. */
export async function reencryptSecrets(ctx: Context): Promise<void> {
  await reencryptAll(ctx, performance.now() + REENCRYPT_MAX_MS);
  await removeUnusedKeys(ctx);
}

async function removeUnusedKeys({ db, vault, clock, log }: Context): Promise<void> {
  const keys = await db.writer.selectFrom('data_key').select(['id', 'created_time']).orderBy('id').execute();
  const removed: number[] = [];
  for (const [index, { id }] of keys.entries()) {
    const next = keys[index + 1];
    // Key 0 decrypts backups and data of older versions, and is used to look up presented keys.
    if (id === 0 || next === undefined || nowSeconds(clock) - next.created_time < GRACE_SECONDS) continue;
    const uses = sealedColumns.map(
      ({ table, column }) =>
        sql`exists (select 1 from ${sql.table(table)} where substr(${sql.ref(column)}, 1, ${getSealPrefix(id).length}) = ${getSealPrefix(id)})`,
    );
    // After the grace period nothing is encrypted with the key, so that no use follows this scan of whole tables.
    const { rows } = await sql<{ used: number }>`select ${sql.join(uses, sql` or `)} as used`.execute(db.reader);
    if (rows[0]?.used !== 0) continue;
    await db.writer.deleteFrom('data_key').where('id', '=', id).execute();
    vault.removeKey(id);
    removed.push(id);
  }
  if (removed.length > 0) log.info({ data_keys: removed }, 'removed unused data keys');
}

/**
 * Re-encrypts at run time what an older data key has encrypted. Each text is replaced only if it is unchanged since
 * it was read, so that a concurrently stored value stays. It may stop anywhere: old keys decrypt the rest, and the
 * next run continues.
 */

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
