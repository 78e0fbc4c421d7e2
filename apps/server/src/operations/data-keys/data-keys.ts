/** Data keys that encrypt stored secrets, and their rotation at run time. */

import type { SecretState } from '@switchyard/contract/operations/data-keys';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { runInBackground } from '../../platform/log.ts';
import { getSealPrefix } from '../../platform/secrets/vault.ts';
import { countPending, reencryptAll, sealedColumns } from './reencrypt-sealed-columns.ts';

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
