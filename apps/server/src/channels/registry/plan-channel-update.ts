/** Plans a channel's change, which is checked but not yet written, and inserts new rows. */
import type { CreateChannel, updateChannel as updateChannelSchema } from '@switchyard/contract/channels/channels';
import type { ChannelStatus } from '@switchyard/contract/wire-enums';
import { findProvider, type Provider } from '@switchyard/relay';
import type { Selectable, Transaction } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { fieldError, notFound } from '../../platform/http/app-error.ts';
import { omitUndefinedFields, pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import {
  type ChannelSecrets,
  checkSecretDestination,
  mergeSecrets,
  openSecrets,
  sealSecrets,
} from './channel-secrets.ts';
import {
  checkForm,
  checkGroups,
  checkKey,
  createFormLookups,
  type FormLookups,
  getProviderByType,
} from './check-channel-form.ts';
import { parseColumns, plainSettings } from './loaded-channel.ts';
import { splitKeys } from './parse-key-lines.ts';
import type { ChannelRow } from './queries.ts';
import type { ChannelTable } from './table.ts';

export type UpdateChannel = z.output<typeof updateChannelSchema>;
type Columns = Partial<Omit<ChannelRow, 'id' | 'used'>>;

export interface ChannelUpdatePlan {
  columns: Columns;
  /** True if another key replaces all keys. */
  hasNewKey: boolean;
}

/**
 * Plans the writes of a change.
 * @throws AppError that names the invalid field
 */
export async function planUpdate(
  ctx: Context,
  before: ChannelRow,
  input: UpdateChannel,
  questions: FormLookups = createFormLookups(ctx),
): Promise<ChannelUpdatePlan> {
  const { id, status } = input;
  if (status === 'auto-disabled') throw fieldError('status', 'not-allowed', 'Only the gateway can set this status');
  const provider = input.type === undefined ? findProvider(before.provider) : getProviderByType(input.type);
  if (provider === undefined) throw notFound('provider', input.type ?? before.provider);
  const stored = storedSecrets(ctx, before);
  const secrets = mergeSecrets(stored, input);
  if (secrets.key !== stored.key && splitKeys(secrets.key).length > 1)
    throw fieldError(
      'key',
      'one-line',
      "Enter one key, which replaces all others. Add further keys in the channel's key list.",
    );
  if (input.type !== undefined || input.base_url !== undefined || input.options !== undefined || input.proxy)
    await checkForm(questions, provider, {
      base_url: input.base_url ?? before.base_url,
      options: input.options ?? parseColumns(before).options,
      proxy: secrets.proxy,
    });
  if (input.group !== undefined) await checkGroups(questions, input.group);
  for (const key of splitKeys(secrets.key)) checkKey(provider, key);
  checkSecretDestination(
    stored,
    input,
    { ...before, proxy: stored.proxy },
    { provider: provider.id, base_url: input.base_url ?? before.base_url, proxy: secrets.proxy },
  );
  const columns = {
    ...settingColumns(provider, mergeParts(before, input)),
    ...(hasSameSecrets(stored, secrets) ? {} : sealSecrets(ctx.vault, id, secrets)),
    ...(status === undefined ? {} : { status, disabled_reason: '' }),
  };
  return { columns, hasNewKey: secrets.key !== stored.key };
}

/** Returns the change with the stored parts of settings that it leaves out. */
function mergeParts(before: ChannelRow, { cost, deadlines, request_changes, ...input }: UpdateChannel): UpdateChannel {
  const stored = parseColumns(before);
  return {
    ...input,
    ...(cost && { cost: { ...stored.cost, ...cost } }),
    ...(deadlines && { deadlines: { ...stored.deadlines, ...deadlines } }),
    ...(request_changes && { request_changes: { ...stored.request_changes, ...request_changes } }),
  };
}

/** @returns its id */
export async function insertChannel(
  ctx: Pick<Context, 'vault' | 'clock'>,
  trx: Transaction<Schema>,
  provider: Provider,
  input: Omit<CreateChannel, 'key'>,
  secrets: ChannelSecrets,
  status: ChannelStatus = 'enabled',
): Promise<number> {
  const { id } = await trx
    .insertInto('channel')
    .values({ ...newRowDefaults(nowSeconds(ctx.clock)), ...settingColumns(provider, input), status })
    .returning('id')
    .executeTakeFirstOrThrow();
  // Sealed texts include the row's id, which only exists now.
  await trx
    .updateTable('channel')
    .set(sealSecrets(ctx.vault, id, secrets))
    .where('id', '=', id)
    .execute();
  return id;
}

function storedSecrets(ctx: Context, row: ChannelRow): ChannelSecrets {
  try {
    return openSecrets(ctx.vault, row);
  } catch (error) {
    ctx.log.error({ err: error, channel_id: row.id }, "a channel's secrets cannot be decrypted");
    throw fieldError('key', 'unreadable', 'The secrets of this channel were encrypted with another master key');
  }
}

function hasSameSecrets(one: ChannelSecrets, other: ChannelSecrets): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the columns of a new row that its form doesn't set. */
const newRowDefaults = (now: number) => ({
  key_sealed: '',
  key_hint: '',
  headers_sealed: '',
  proxy_sealed: '',
  status: 'enabled' as const,
  disabled_reason: '',
  created_time: now,
  test_time: 0,
  response_time: 0,
  balance_micro_usd: null,
  balance_updated_time: 0,
  deleted_time: null,
});

type Settings = Omit<CreateChannel, 'key' | 'type' | 'model_headers' | 'proxy'>;
type SettingColumns = Omit<Selectable<ChannelTable>, 'id' | keyof ReturnType<typeof newRowDefaults>>;

/** Returns the columns of the fields that were sent. */
function settingColumns(provider: Provider, input: Settings): SettingColumns;
function settingColumns(provider: Provider, input: UpdateChannel): Partial<SettingColumns>;
function settingColumns(provider: Provider, input: Settings | UpdateChannel): Partial<SettingColumns> {
  const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
  return {
    provider: provider.id,
    ...omitUndefinedFields({
      ...pickFields(input, plainSettings),
      options: json(input.options),
      models: json(input.models && [...new Set(input.models)]),
      groups: json(input.group && [...new Set(input.group)]),
      model_mapping: json(input.model_mapping),
      deadlines: json(input.deadlines),
      only_chat: input.only_chat === undefined ? undefined : Number(input.only_chat),
      lacks: json(input.lacks && [...new Set(input.lacks)]),
      cost: json(input.cost),
      request_changes: json(input.request_changes),
      caps: json(input.caps),
    }),
  };
}
