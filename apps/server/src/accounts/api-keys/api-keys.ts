/**
 * API keys, which the console calls tokens. A key's text is stored twice: as a keyed hash for the lookup, and sealed,
 * so that its owner can see it again. Its spending belongs to the ledger.
 */
import {
  type ApiKey,
  type ApiKeySetting,
  type apiKeys,
  type CreateApiKey,
  KEY_LISTS_BYTES_MAX,
  storedApiKeySetting,
  type updateApiKey as updateApiKeySchema,
} from '@switchyard/contract/accounts/api-keys';
import { outranks } from '@switchyard/contract/accounts/permissions';
import type { ApiKeyId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import { settingFromText } from '@switchyard/contract/operations/settings';
import type { Page, RouteInput } from '@switchyard/contract/route';
import type { Role } from '@switchyard/contract/wire-enums';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage, startsWith } from '../../db/paging.ts';
import { CHUNK_ROWS, pluckIds, processRowsInChunks, runInChunks } from '../../db/process-in-chunks.ts';
import { getPeriodEnd, RATIO_ONE } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, checkUnchanged, fieldError, notFound } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { omitUndefinedFields, pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import { checkMayUseGroup } from '../user-groups/user-groups.ts';
import { generateKeyText, keyHint } from './key-text.ts';
import { deriveKeyStatus, type KeyRow, selectKeys, whereStatus } from './queries.ts';

export { formatKeyPlaceholder, isKeyText, withKeyPrefix } from './key-text.ts';
export { listKeysNeedingAttention, queryExhaustedKeys } from './keys-needing-attention.ts';

/** Owner of the keys. */
type Owner = Pick<Caller, 'userId' | 'groupSymbol'>;
/** Owner with the credential that gets the text of a key. */
type Creator = Owner & Pick<Caller, 'rights' | 'sessionIdHash'>;
type ListFilter = RouteInput<(typeof apiKeys)['list']>['query'];
type UpdateApiKey = z.output<typeof updateApiKeySchema>;

const DISABLED_BY_STAFF = 'disabled-by-staff';
/** Setting of a key that no longer works. Its lists would otherwise fill the database. */
const NO_SETTING = '{}';

const columns = {
  id: 'api_key.id',
  name: 'api_key.name',
  status: 'api_key.status',
  expired_time: 'api_key.expired_time',
  created_time: 'api_key.created_time',
  accessed_time: 'api_key.accessed_time',
  remain_quota: 'key_account.remaining',
  used_quota: 'key_account.used',
};

export async function listApiKeys(ctx: Context, caller: Owner, filter: ListFilter): Promise<Page<ApiKey>> {
  const now = nowSeconds(ctx.clock);
  let query = selectKeys(ctx.db.reader, now).where('api_key.user_id', '=', caller.userId);
  if (filter.keyword !== undefined) query = query.where(startsWith('api_key.name', filter.keyword));
  if (filter.group !== undefined) query = query.where('api_key.group_symbol', '=', filter.group);
  if (filter.status !== undefined) query = whereStatus(query, filter.status, now);
  return readPage(query, filter, {
    columns,
    fallback: '-id',
    tieBreak: 'api_key.id',
    present: (row) => presentKey(row, now),
  });
}

export async function getApiKey(ctx: Context, caller: Owner, id: ApiKeyId): Promise<ApiKey> {
  return presentKey(await findOwnKey(ctx, caller, id), nowSeconds(ctx.clock));
}

/** Returns whether the caller may see the tokens of other users of this role: only of lower ones, except root. */
export function canViewUserKeys(caller: Caller, owner: Role): boolean {
  return hasAccess(caller, 'users.read') && outranks(caller.role, owner);
}

/**
 * Creates an API key. If the site shows keys only once, only the key's hash is stored, so that the text can't be
 * shown again.
 * @throws AppError `conflict` for a user who has as many tokens as the site allows; `invalid-input` for lists that are
 *   too long
 */
export async function createApiKey(
  ctx: Context,
  caller: Creator & Pick<Caller, 'role'>,
  input: CreateApiKey,
): Promise<ApiKey> {
  await checkGroups(ctx, caller, input);
  checkListSizes(input.setting);
  const text = generateKeyText();
  const id = await ctx.ledger.transaction(async (trx, moves) => {
    if (caller.role === 'user') await checkCount(ctx, trx, caller.userId);
    const row = await trx
      .insertInto('api_key')
      .values({
        user_id: caller.userId,
        ...pickFields(input, ['name', 'expired_time', 'backup_group', 'api_rate']),
        ...buildKeyColumns(ctx, text),
        key_sealed: '',
        status: 'enabled',
        created_time: nowSeconds(ctx.clock),
        accessed_time: 0,
        unlimited_quota: Number(input.unlimited_quota),
        group_symbol: input.group,
        ratio_micros: RATIO_ONE,
        can_choose_channel: Number(hasChannelRights(caller)),
        setting: JSON.stringify(input.setting),
        deleted_time: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    // The sealed text includes the row's id, which only exists now.
    await trx
      .updateTable('api_key')
      .set({ key_sealed: await sealKeyText(trx, ctx, row.id, text) })
      .where('id', '=', row.id)
      .execute();
    await moves.openKeyAccount(row.id, caller.userId, input.remain_quota);
    return row.id;
  });
  await ctx.changes.publish({ topic: 'api-keys', ids: [id] });
  return { ...(await getApiKey(ctx, caller, id as ApiKeyId)), key: text };
}

/** Returns whether the credential has the channel rights of its owner, so that a key that it creates may have them. */
export function hasChannelRights({ rights, sessionIdHash }: Pick<Caller, 'rights' | 'sessionIdHash'>): boolean {
  return sessionIdHash !== undefined || rights.has('channels.write');
}

async function checkCount(ctx: Context, trx: Transaction<Schema>, userId: number): Promise<void> {
  const { count } = await trx
    .selectFrom('api_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('deleted_time', 'is', null)
    .executeTakeFirstOrThrow();
  const limit = ctx.settings.tokensPerUser;
  if (count >= limit)
    throw new AppError('conflict', `You have reached the limit of ${limit} tokens. Delete one first.`);
}

/**
 * @throws AppError `not-allowed` when the owner enables a token that staff disabled; `invalid-input` for lists that are
 *   too long
 */
export async function updateApiKey(ctx: Context, caller: Owner, input: UpdateApiKey): Promise<ApiKey> {
  const before = await findOwnKey(ctx, caller, input.id);
  await checkGroups(ctx, caller, input);
  const { id, status, remain_quota, unlimited_quota, group, setting, ratio, ...same } = input;
  const isSettable = status === 'enabled' || status === 'disabled';
  checkUnchanged(presentKey(before, nowSeconds(ctx.clock)), { ratio, status: isSettable ? undefined : status });
  if (status === 'enabled' && before.status === DISABLED_BY_STAFF)
    throw fieldError(
      '',
      DISABLED_BY_STAFF,
      'Staff disabled this token, and only staff can enable it. Ask an administrator.',
      'not-allowed',
    );
  await ctx.ledger.transaction(async (trx, moves) => {
    await trx
      .updateTable('api_key')
      .set({
        ...omitUndefinedFields(same),
        ...omitUndefinedFields({
          // Staff may have disabled it meanwhile. If the owner disables it too, it must stay disabled by staff.
          status: isSettable
            ? sql<KeyRow['status']>`case when status = ${DISABLED_BY_STAFF} then status else ${status} end`
            : undefined,
          group_symbol: group,
          unlimited_quota: unlimited_quota === undefined ? undefined : Number(unlimited_quota),
          setting: setting && JSON.stringify(await mergeSetting(trx, id, setting)),
        }),
        deleted_time: null,
      })
      .where('id', '=', id)
      // A key that was deleted meanwhile must stay deleted.
      .where('deleted_time', 'is', null)
      .execute();
    if (remain_quota !== undefined) await moves.setKeyRemaining(id, before.user_id, remain_quota);
  });
  await ctx.changes.publish({ topic: 'api-keys', ids: [id] });
  return getApiKey(ctx, caller, id);
}

/** Merges a change into the stored limits: a default in place of an omitted limit would remove it. */
async function mergeSetting(
  trx: Transaction<Schema>,
  id: ApiKeyId,
  change: NonNullable<UpdateApiKey['setting']>,
): Promise<ApiKeySetting> {
  const row = trx.selectFrom('api_key').select('setting').where('id', '=', id);
  const stored = parseSetting((await row.executeTakeFirstOrThrow()).setting);
  const merged = {
    ...stored,
    ...omitUndefinedFields(change),
    limits: { ...stored.limits, ...omitUndefinedFields(change.limits ?? {}) },
  };
  checkListSizes(merged, stored);
  return merged;
}

/**
 * Checks the total size of a token's lists. Stored lists may already be larger than the limit; a change may keep or
 * shorten them.
 * @throws AppError `invalid-input` for the longer list
 */
function checkListSizes({ limits }: ApiKeySetting, stored?: ApiKeySetting): void {
  const sizes = measureLists(limits);
  const size = sizes.models + sizes.addresses;
  if (size <= KEY_LISTS_BYTES_MAX) return;
  const before = stored === undefined ? undefined : measureLists(stored.limits);
  if (before !== undefined && size <= before.models + before.addresses) return;
  const list = sizes.models >= sizes.addresses ? 'limit_model_setting.models' : 'limits_ip_setting.whitelist';
  throw fieldError(
    `setting.limits.${list}`,
    'token-lists-too-long',
    `The token's models and addresses have ${size} bytes of JSON, but at most ${KEY_LISTS_BYTES_MAX} are allowed. Remove some, or use several tokens.`,
  );
}

/** Returns the bytes of JSON of each list. */
function measureLists({ limit_model_setting: models, limits_ip_setting: addresses }: ApiKeySetting['limits']) {
  return {
    models: Buffer.byteLength(JSON.stringify(models.models)),
    addresses: Buffer.byteLength(JSON.stringify(addresses.whitelist)),
  };
}

export async function removeApiKey(ctx: Context, caller: Owner, id: ApiKeyId): Promise<void> {
  await findOwnKey(ctx, caller, id);
  await ctx.db.writer
    .updateTable('api_key')
    .set({ deleted_time: nowSeconds(ctx.clock), status: 'disabled', key_sealed: '', setting: NO_SETTING })
    .where('id', '=', id)
    .execute();
  await ctx.changes.publish({ topic: 'api-keys', ids: [id] });
}

/** Disables all keys of a user whose account is being deleted, in chunks, and erases their texts and settings. */
export async function endUserKeys(ctx: Context, userId: number): Promise<void> {
  let last = 0;
  await runInChunks(ctx.db.machine, async () => {
    const ids = await disableUserKeys(ctx.db.writer, userId, last);
    await ctx.changes.publish({ topic: 'api-keys', ids });
    last = Math.max(last, ...ids);
    return ids.length === CHUNK_ROWS;
  });
}

/**
 * Disables the next keys of a user, at most `CHUNK_ROWS`, and erases their texts and settings.
 * @param after id after which they are searched
 * @returns their ids, for the caller to publish
 */
async function disableUserKeys(db: Kysely<Schema>, userId: number, after: number): Promise<number[]> {
  const ended = { status: 'disabled', key_sealed: '', setting: NO_SETTING } as const;
  const next = db
    .selectFrom('api_key')
    .select('id')
    .where('user_id', '=', userId)
    .where('deleted_time', 'is', null)
    .where('id', '>', after)
    .where((eb) =>
      eb.or([
        eb('status', '<>', ended.status),
        eb('key_sealed', '<>', ended.key_sealed),
        eb('setting', '<>', ended.setting),
      ]),
    )
    .orderBy('id')
    .limit(CHUNK_ROWS);
  return pluckIds(await db.updateTable('api_key').set(ended).where('id', 'in', next).returning('id').execute());
}

/** Erases the text of every key; all keep working. @returns the number of keys that had one */
export function deleteKeyTexts({ db }: Pick<Context, 'db'>): Promise<number> {
  let last = 0;
  return processRowsInChunks(
    db,
    (trx) =>
      trx
        .selectFrom('api_key')
        .select('id')
        .where('key_sealed', '<>', '')
        // No index finds the keys with a text, so the table is scanned in order.
        .where('id', '>', last)
        .orderBy('id'),
    async (trx, keys) => {
      await trx.updateTable('api_key').set({ key_sealed: '' }).where('id', 'in', pluckIds(keys)).execute();
      last = keys.at(-1)?.id ?? last;
    },
  );
}

/** @throws AppError `not-supported` when only the key's hash is stored */
export async function revealApiKey(ctx: Context, caller: Owner, id: ApiKeyId): Promise<string> {
  const row = await findOwnKey(ctx, caller, id);
  if (row.key_sealed === '' || (await areKeysShownOnce(ctx.db.writer)))
    throw new AppError(
      'not-supported',
      'This key is stored only as a hash and cannot be shown again. Replace it if it is lost.',
    );
  return ctx.vault.open('api-key', rowName(id), row.key_sealed);
}

/** Replaces the text of a key. The new text never has channel rights that the credential which gets it lacks. */
export async function rotateApiKey(ctx: Context, caller: Creator, id: ApiKeyId): Promise<ApiKey> {
  await findOwnKey(ctx, caller, id);
  const text = generateKeyText();
  await ctx.db.writer.transaction().execute(async (trx) =>
    trx
      .updateTable('api_key')
      .set({
        ...buildKeyColumns(ctx, text),
        key_sealed: await sealKeyText(trx, ctx, id, text),
        ...(!hasChannelRights(caller) && { can_choose_channel: 0 }),
      })
      .where('id', '=', id)
      .execute(),
  );
  await ctx.changes.publish({ topic: 'api-keys', ids: [id] });
  return { ...(await getApiKey(ctx, caller, id)), key: text };
}

async function findOwnKey(ctx: Context, caller: Owner, id: ApiKeyId): Promise<KeyRow> {
  const row = await selectKeys(ctx.db.writer, nowSeconds(ctx.clock))
    .where('api_key.id', '=', id)
    .where('api_key.user_id', '=', caller.userId)
    .executeTakeFirst();
  if (row === undefined) throw notFound('token', id);
  return row;
}

async function checkGroups(
  ctx: Context,
  caller: Owner,
  input: { group?: string | undefined; backup_group?: string | undefined },
): Promise<void> {
  for (const field of ['group', 'backup_group'] as const) {
    const symbol = input[field];
    if (symbol !== undefined && symbol !== '') await checkMayUseGroup(ctx, caller, symbol, field);
  }
}

const rowName = (id: number): string => `api_key:${id}`;

/**
 * Seals a key's text, bound to the id of its row. @returns an empty string if keys are shown once
 * @param trx transaction that stores it; the texts are erased after the transaction that changes the setting
 */
export async function sealKeyText(
  trx: Transaction<Schema>,
  { vault }: Pick<Context, 'vault'>,
  id: number,
  text: string,
): Promise<string> {
  return (await areKeysShownOnce(trx)) ? '' : vault.seal('api-key', rowName(id), text);
}

/** Reads the setting from the database, because another node may have changed it a moment ago. */
async function areKeysShownOnce(db: Kysely<Schema>): Promise<boolean> {
  const name = 'showKeysOnce';
  const row = await db.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst();
  return row !== undefined && settingFromText(name, row.value);
}

export function buildKeyColumns({ vault }: Pick<Context, 'vault'>, text: string) {
  return { key_hash: vault.fingerprint(text), key_hint: keyHint(text) };
}

const parseSetting = (stored: string): ApiKeySetting => storedApiKeySetting.parse(JSON.parse(stored));

export function presentKey(row: KeyRow, now: number): ApiKey {
  return {
    id: row.id as ApiKeyId,
    user_id: row.user_id as UserId,
    ...pickFields(row, ['name', 'created_time', 'accessed_time', 'expired_time', 'backup_group', 'api_rate']),
    key: row.key_hint,
    revealable: row.key_sealed !== '',
    status: deriveKeyStatus(row, now),
    remain_quota: toPoints(row.remaining),
    unlimited_quota: row.unlimited_quota === 1,
    used_quota: toPoints(row.used),
    spent: {
      day: { used: toPoints(row.used_day), resets_at: getPeriodEnd('day', now) },
      week: { used: toPoints(row.used_week), resets_at: getPeriodEnd('week', now) },
      month: { used: toPoints(row.used_month), resets_at: getPeriodEnd('month', now) },
    },
    group: row.group_symbol,
    ratio: row.ratio_micros / RATIO_ONE,
    setting: parseSetting(row.setting),
  };
}
