/**
 * The keys of a channel that has several. Each is in use, or an administrator or the gateway took it out; one always
 * stays in use, so that a channel without a usable key is a channel that is taken out.
 */
import type { ChannelKey } from '@switchyard/contract/channel-keys';
import { findProvider } from '@switchyard/relay';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { type AppError, fieldError, notFound } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { hintOrBullets } from '../../platform/secret-hint.ts';
import { audit } from '../audit/audit.ts';
import { channelHealth } from './channel-health.ts';
import { openSecrets, sealSecrets } from './channel-secrets.ts';
import { byGateway, disableChannel, noteEvent } from './channel-status.ts';
import { checkKey } from './form-checks.ts';
import { checkNumber, joinKeys, keyIdOf, keysOf } from './key-lines.ts';
import { type ChannelRow, findChannel } from './queries.ts';
import type { ChannelKeyStateTable } from './table.ts';

type KeyState = ChannelKeyStateTable;
type Writer = Pick<Context['db']['writer'], 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom'>;

const REASON_MAX = 500;

/** @throws AppError `not-found` */
export async function listKeys(ctx: Context, id: number): Promise<ChannelKey[]> {
  const row = await findChannel(ctx, id);
  const states = await statesOf(ctx.db.writer, id);
  const rests = channelHealth(ctx).keyRests(id);
  const now = ctx.clock.now();
  return storedKeys(ctx, row).map((key): ChannelKey => {
    const keyId = keyIdOf(ctx.vault, id, key);
    const { status = 'enabled', reason = '', since = 0 } = states.get(keyId) ?? {};
    const until = rests.get(keyId) ?? 0;
    const rests_until = until > now ? Math.ceil(until / 1000) : 0;
    return { id: keyId, hint: hintOrBullets(key), status, reason, since, rests_until };
  });
}

/** Those that the channel has already are left out. @throws AppError `not-found`, or for the field `key` */
export async function addKeys(ctx: Context, id: number, text: string): Promise<ChannelKey[]> {
  const row = await findChannel(ctx, id);
  const provider = findProvider(row.provider);
  if (provider === undefined) throw notFound('provider');
  const added = keysOf(text);
  for (const key of added) checkKey(provider, key);
  await changeKeys(ctx, id, (stored) => {
    const keys = [...new Set([...stored, ...added])].filter((key) => key !== '');
    checkNumber(keys);
    return keys;
  });
  return listKeys(ctx, id);
}

/** @throws AppError `not-found`, or for the last one in use */
export async function removeKey(ctx: Context, id: number, keyId: string): Promise<void> {
  await findKey(ctx, id, keyId);
  // While it goes, it is not what another one can rely on.
  if (!(await takeOut(ctx, id, keyId, { status: 'disabled', reason: '' }))) throw lastKey();
  await changeKeys(ctx, id, (stored) => stored.filter((key) => keyIdOf(ctx.vault, id, key) !== keyId));
}

/** @throws AppError `not-found`, or for the last one in use */
export async function switchKey(
  ctx: Context,
  id: number,
  keyId: string,
  inUse: boolean,
  userId: number,
): Promise<ChannelKey> {
  const { status, hint } = await findKey(ctx, id, keyId);
  if (inUse) await putBack(ctx, id, keyId, ['disabled', 'auto-disabled']);
  else if (!(await takeOut(ctx, id, keyId, { status: 'disabled', reason: '' }))) throw lastKey();
  if (status !== (inUse ? 'enabled' : 'disabled'))
    await noteEvent(ctx, id, inUse ? 'key-enabled' : 'key-disabled', `…${hint}`, userId);
  channelHealth(ctx).reset(id);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
  return findKey(ctx, id, keyId);
}

/**
 * Takes a key out after a confirmed key or account error: the whole channel when no other is in use.
 * @param reason a sentence without secrets; administrators see it
 */
export async function disableKey(ctx: Context, id: number, keyId: string, reason: string): Promise<void> {
  const keys = await listKeys(ctx, id);
  const key = keys.find((known) => known.id === keyId);
  // It was taken out or deleted while the vendor was asked about it.
  if (key === undefined ? keys.length > 0 : key.status !== 'enabled') return;
  const state = { status: 'auto-disabled', reason: reason.slice(0, REASON_MAX) } as const;
  if (key === undefined || !(await takeOut(ctx, id, keyId, state))) return disableChannel(ctx, id, reason);
  await tellOf(ctx, id, 'key-auto-disabled', `…${key.hint}: ${reason}`);
}

/** Brings back a key that the gateway took out; one that an administrator disabled stays out. */
export async function enableKey(ctx: Context, id: number, keyId: string): Promise<void> {
  if (!(await putBack(ctx, id, keyId, ['auto-disabled']))) return;
  const { hint } = await findKey(ctx, id, keyId);
  await tellOf(ctx, id, 'key-auto-enabled', `…${hint}`);
}

/** Those that the gateway took out of channels which are in use, or which it took out as well. */
export async function keysTakenOut(ctx: Context): Promise<{ channelId: number; keyId: string }[]> {
  return ctx.db.writer
    .selectFrom('channel_key_state')
    .innerJoin('channel', 'channel.id', 'channel_id')
    .select(['channel_id as channelId', 'key_id as keyId'])
    .where('channel_key_state.status', '=', 'auto-disabled')
    .where('channel.status', '<>', 'disabled')
    .where('channel.deleted_time', 'is', null)
    .execute();
}

/** Forgets the states of keys that the channel does not have. @param which of those that it has */
export async function forgetStates(
  writer: Writer,
  id: number,
  kept: readonly string[],
  which?: 'auto-disabled',
): Promise<void> {
  let query = writer.deleteFrom('channel_key_state').where('channel_id', '=', id);
  query = which === undefined ? query.where('key_id', 'not in', kept) : query.where('status', '=', which);
  await query.execute();
}

async function tellOf(
  ctx: Context,
  id: number,
  event: 'key-auto-disabled' | 'key-auto-enabled',
  reason: string,
): Promise<void> {
  const action = event === 'key-auto-disabled' ? 'channel.key-auto-disable' : 'channel.key-auto-enable';
  await audit(ctx, byGateway, { action, target: `channel:${id}`, detail: { reason } });
  await noteEvent(ctx, id, event, reason.slice(0, REASON_MAX));
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
}

async function findKey(ctx: Context, id: number, keyId: string): Promise<ChannelKey> {
  const key = (await listKeys(ctx, id)).find((known) => known.id === keyId);
  if (key === undefined) throw notFound('key');
  return key;
}

const lastKey = (): AppError =>
  fieldError('key', 'last-key', 'A channel needs a key in use; disable the channel instead');

/** @returns false when no other key would be in use; then nothing changes */
async function takeOut(
  ctx: Context,
  id: number,
  keyId: string,
  { status, reason }: { status: KeyState['status']; reason: string },
): Promise<boolean> {
  const others = storedKeys(ctx, await findChannel(ctx, id)).length - 1;
  const { numAffectedRows } =
    await sql`insert into channel_key_state (channel_id, key_id, status, reason, since)
    select ${id}, ${keyId}, ${status}, ${reason}, ${nowSeconds(ctx.clock)}
    where (select count(*) from channel_key_state where channel_id = ${id} and key_id <> ${keyId}) < ${others}
    on conflict do update set status = excluded.status, reason = excluded.reason, since = excluded.since`.execute(
      ctx.db.writer,
    );
  return numAffectedRows === 1n;
}

/** @returns whether it was out for one of these */
async function putBack(
  ctx: Context,
  id: number,
  keyId: string,
  from: readonly KeyState['status'][],
): Promise<boolean> {
  const gone = await ctx.db.writer
    .deleteFrom('channel_key_state')
    .where('channel_id', '=', id)
    .where('key_id', '=', keyId)
    .where('status', 'in', from)
    .returning('key_id')
    .executeTakeFirst();
  return gone !== undefined;
}

/** Another change at the same time is seen by the second of both. */
async function changeKeys(
  ctx: Context,
  id: number,
  change: (stored: readonly string[]) => readonly string[],
): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('channel')
      .selectAll()
      .where('id', '=', id)
      .where('deleted_time', 'is', null)
      .executeTakeFirst();
    if (row === undefined) throw notFound('channel');
    const secrets = openSecrets(ctx.vault, row);
    const keys = change(keysOf(secrets.key));
    await trx
      .updateTable('channel')
      .set(sealSecrets(ctx.vault, id, { ...secrets, key: joinKeys(keys) }))
      .where('id', '=', id)
      .execute();
    await forgetStates(
      trx,
      id,
      keys.map((key) => keyIdOf(ctx.vault, id, key)),
    );
  });
  channelHealth(ctx).reset(id);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
}

function storedKeys(ctx: Context, row: ChannelRow): string[] {
  return keysOf(openSecrets(ctx.vault, row).key).filter((key) => key !== '');
}

async function statesOf(writer: Writer, id: number) {
  const rows = await writer
    .selectFrom('channel_key_state')
    .select(['key_id', 'status', 'reason', 'since'])
    .where('channel_id', '=', id)
    .execute();
  return new Map(rows.map((row) => [row.key_id, row]));
}
