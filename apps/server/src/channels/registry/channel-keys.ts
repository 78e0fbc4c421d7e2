/**
 * Keys of a channel with several keys. Each is enabled, or was disabled by an administrator or the gateway. One
 * always stays enabled: a channel without a usable key is disabled instead.
 */
import type { ChannelKey } from '@switchyard/contract/channels/channel-keys';
import { findProvider } from '@switchyard/relay';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type AppError, fieldError, notFound } from '../../platform/http/app-error.ts';
import { hintOrBullets } from '../../platform/secrets/redact-secrets.ts';
import type { Schema } from '../../schema.ts';
import { getChannelHealth } from '../health/channel-health.ts';
import {
  disableChannel,
  gatewayActor,
  notifyChannelStatus,
  recordEvent,
} from '../health/disable-and-enable-channels.ts';
import { openSecrets, sealSecrets } from './channel-secrets.ts';
import { checkKey } from './check-channel-form.ts';
import { checkKeyCount, deriveKeyId, joinKeys, splitKeys } from './parse-key-lines.ts';
import { findChannel } from './queries.ts';
import type { ChannelKeyStateTable } from './table.ts';

type KeyState = ChannelKeyStateTable;

const REASON_MAX = 500;

/** @throws AppError `not-found` */
export async function listKeys(ctx: Context, id: number): Promise<ChannelKey[]> {
  const rests = getChannelHealth(ctx).listKeyCooldowns(id);
  const keys = await readStoredKeys(ctx, ctx.db.writer, id);
  return keys.map((key): ChannelKey => ({ ...key, rests_until: Math.ceil((rests.get(key.id) ?? 0) / 1000) }));
}

/** Adds keys, ignoring those that the channel already has. @throws AppError `not-found`, or for the field `key` */
export async function addKeys(ctx: Context, id: number, text: string): Promise<ChannelKey[]> {
  const row = await findChannel(ctx, id);
  const provider = findProvider(row.provider);
  if (provider === undefined) throw notFound('provider', row.provider);
  const added = splitKeys(text);
  for (const key of added) checkKey(provider, key);
  await changeKeys(ctx, id, (stored) => {
    const keys = [...new Set([...stored, ...added])].filter((key) => key !== '');
    checkKeyCount(keys);
    return keys;
  });
  return listKeys(ctx, id);
}

/** @throws AppError `not-found`, or for the last enabled key */
export async function removeKey(ctx: Context, id: number, keyId: string): Promise<void> {
  await changeKeys(ctx, id, (stored, keys) => {
    checkOthersInUse(keys, keyId);
    return stored.filter((key) => deriveKeyId(ctx.vault, id, key) !== keyId);
  });
}

/** @throws AppError `not-found`, or for the last enabled key */
export async function setKeyEnabled(
  ctx: Context,
  id: number,
  keyId: string,
  inUse: boolean,
  userId: number,
): Promise<ChannelKey> {
  const { status, hint } = await ctx.db.writer.transaction().execute(async (trx) => {
    const keys = await readStoredKeys(ctx, trx, id);
    const key = keys.find((known) => known.id === keyId);
    if (key === undefined) throw notFound('key', keyId);
    if (inUse) await clearKeyState(trx, id, keyId, ['disabled', 'auto-disabled']);
    else {
      checkOthersInUse(keys, keyId);
      await markKeyDisabled(ctx, trx, id, keyId, { status: 'disabled', reason: '' });
    }
    return key;
  });
  if (status !== (inUse ? 'enabled' : 'disabled'))
    await recordEvent(ctx, ctx.db.writer, id, inUse ? 'key-enabled' : 'key-disabled', { reason: `…${hint}`, userId });
  getChannelHealth(ctx).reset(id);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
  return findKey(ctx, id, keyId);
}

/**
 * Disables a key after a confirmed key or account error, or the whole channel if no other key is enabled. Ignores a
 * key that was disabled or deleted during the confirmation.
 * @param reason sentence without secrets; administrators see it
 */
export async function disableKey(ctx: Context, id: number, keyId: string, reason: string): Promise<void> {
  const why = reason.slice(0, REASON_MAX);
  const keyReason = ({ hint }: { hint: string }): string => `…${hint}: ${reason}`;
  const taken = await ctx.db.writer.transaction().execute(async (trx) => {
    const keys = await readStoredKeys(ctx, trx, id);
    const key = keys.find((known) => known.id === keyId);
    if (key === undefined ? keys.length > 0 : key.status !== 'enabled') return undefined;
    if (key === undefined || !hasOthersInUse(keys, keyId))
      return (await disableChannel(ctx, trx, id, why)) ? 'channel' : undefined;
    await markKeyDisabled(ctx, trx, id, keyId, { status: 'auto-disabled', reason: why });
    await recordEvent(ctx, trx, id, 'key-auto-disabled', { reason: keyReason(key).slice(0, REASON_MAX) });
    return key;
  });
  if (taken === 'channel') await notifyChannelStatus(ctx, id, 'auto-disabled', why);
  else if (taken !== undefined) await notifyKeyStatus(ctx, id, 'key-auto-disabled', keyReason(taken));
}

/** Re-enables an auto-disabled key; one that an administrator disabled stays disabled. */
export async function enableKey(ctx: Context, id: number, keyId: string): Promise<void> {
  const reason = await ctx.db.writer.transaction().execute(async (trx) => {
    if (!(await clearKeyState(trx, id, keyId, ['auto-disabled']))) return undefined;
    const key = (await readStoredKeys(ctx, trx, id)).find((known) => known.id === keyId);
    // A key that is gone has no history.
    if (key === undefined) return undefined;
    const hint = `…${key.hint}`;
    await recordEvent(ctx, trx, id, 'key-auto-enabled', { reason: hint });
    return hint;
  });
  if (reason !== undefined) await notifyKeyStatus(ctx, id, 'key-auto-enabled', reason);
}

/** Lists the automatically disabled keys of channels that are enabled or automatically disabled. */
export async function listAutoDisabledKeys(ctx: Context): Promise<{ channelId: number; keyId: string }[]> {
  return ctx.db.writer
    .selectFrom('channel_key_state')
    .innerJoin('channel', 'channel.id', 'channel_id')
    .select(['channel_id as channelId', 'key_id as keyId'])
    .where('channel_key_state.status', '=', 'auto-disabled')
    .where('channel.status', '<>', 'disabled')
    .where('channel.deleted_time', 'is', null)
    .execute();
}

/**
 * Deletes the states of keys that the channel no longer has. @param which instead deletes states of existing keys
 * with this status
 */
export async function deleteKeyStates(
  writer: Kysely<Schema>,
  id: number,
  kept: readonly string[],
  which?: 'auto-disabled',
): Promise<void> {
  let query = writer.deleteFrom('channel_key_state').where('channel_id', '=', id);
  query = which === undefined ? query.where('key_id', 'not in', kept) : query.where('status', '=', which);
  await query.execute();
}

async function notifyKeyStatus(
  ctx: Context,
  id: number,
  event: 'key-auto-disabled' | 'key-auto-enabled',
  reason: string,
): Promise<void> {
  const action = event === 'key-auto-disabled' ? 'channel.key-auto-disable' : 'channel.key-auto-enable';
  await audit(ctx, gatewayActor, { action, target: `channel:${id}`, detail: { reason } });
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
}

async function findKey(ctx: Context, id: number, keyId: string): Promise<ChannelKey> {
  const key = (await listKeys(ctx, id)).find((known) => known.id === keyId);
  if (key === undefined) throw notFound('key', keyId);
  return key;
}

const lastKeyError = (): AppError =>
  fieldError('key', 'last-key', 'A channel needs at least one enabled key. Disable the channel instead.');

const hasOthersInUse = (keys: readonly StoredKey[], keyId: string): boolean =>
  keys.some(({ id, status }) => id !== keyId && status === 'enabled');

/** @throws AppError `not-found`, or for the last enabled key */
function checkOthersInUse(keys: readonly StoredKey[], keyId: string): void {
  if (keys.every(({ id }) => id !== keyId)) throw notFound('key', keyId);
  if (!hasOthersInUse(keys, keyId)) throw lastKeyError();
}

async function markKeyDisabled(
  ctx: Context,
  trx: Kysely<Schema>,
  id: number,
  keyId: string,
  { status, reason }: Pick<KeyState, 'status' | 'reason'>,
): Promise<void> {
  const state = { status, reason, since: nowSeconds(ctx.clock) };
  await trx
    .insertInto('channel_key_state')
    .values({ channel_id: id, key_id: keyId, ...state })
    .onConflict((conflict) => conflict.columns(['channel_id', 'key_id']).doUpdateSet(state))
    .execute();
}

/** @returns whether the key had one of these states */
async function clearKeyState(
  db: Kysely<Schema>,
  id: number,
  keyId: string,
  from: readonly KeyState['status'][],
): Promise<boolean> {
  const gone = await db
    .deleteFrom('channel_key_state')
    .where('channel_id', '=', id)
    .where('key_id', '=', keyId)
    .where('status', 'in', from)
    .returning('key_id')
    .executeTakeFirst();
  return gone !== undefined;
}

/** Changes the keys within a transaction, so that of concurrent changes the second sees the first. */
async function changeKeys(
  ctx: Context,
  id: number,
  change: (stored: readonly string[], keys: readonly StoredKey[]) => readonly string[],
): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    const secrets = openSecrets(ctx.vault, await findChannel(ctx, id, trx));
    const keys = change(splitKeys(secrets.key), await readStoredKeys(ctx, trx, id));
    await trx
      .updateTable('channel')
      .set(sealSecrets(ctx.vault, id, { ...secrets, key: joinKeys(keys) }))
      .where('id', '=', id)
      .execute();
    await deleteKeyStates(
      trx,
      id,
      keys.map((key) => deriveKeyId(ctx.vault, id, key)),
    );
  });
  getChannelHealth(ctx).reset(id);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
}

/** Key as it is stored, without its cooldown. */
type StoredKey = Omit<ChannelKey, 'rests_until'>;

/** @throws AppError `not-found` */
async function readStoredKeys(ctx: Context, db: Kysely<Schema>, id: number): Promise<StoredKey[]> {
  const { key: secret } = openSecrets(ctx.vault, await findChannel(ctx, id, db));
  const rows = await db
    .selectFrom('channel_key_state')
    .select(['key_id', 'status', 'reason', 'since'])
    .where('channel_id', '=', id)
    .execute();
  const states = new Map(rows.map((row) => [row.key_id, row]));
  return splitKeys(secret).flatMap((key): StoredKey[] => {
    if (key === '') return [];
    const keyId = deriveKeyId(ctx.vault, id, key);
    const { status = 'enabled', reason = '', since = 0 } = states.get(keyId) ?? {};
    return [{ id: keyId, hint: hintOrBullets(key), status, reason, since }];
  });
}
