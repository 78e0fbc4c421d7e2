/**
 * Configured accounts at vendors. Their secrets go in and never come out: answers show masks, only calls to the
 * vendor see them. Providers are named by text here and by the public API's integer at the border.
 */
import type {
  Channel,
  CreateChannel,
  channels,
  Provider as ProviderForm,
  updateChannel as updateChannelSchema,
} from '@switchyard/contract/channels';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { findProvider, isObject, parseJson, providers } from '@switchyard/relay';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { contains, readPage } from '../../db/paging.ts';
import { fieldError, notFound } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { keptUntilChanged } from '../../platform/kept-until-changed.ts';
import { newRow, settingColumns } from './channel-columns.ts';
import { channelHealth } from './channel-health.ts';
import { mergeSecrets, noSecrets, openSecrets, sealSecrets } from './channel-secrets.ts';
import { noteEvent } from './channel-status.ts';
import { checkForm, checkGroups, checkKey, providerOfType } from './form-checks.ts';
import { parseColumns } from './loaded-channel.ts';
import { presentChannel } from './present-channel.ts';
import { findChannel, hasModelLike, inGroup, selectChannels } from './queries.ts';
import { checkSecretsStay } from './secrets-stay.ts';

export { type Asked, askVendor, isAccountError, modelAtVendor } from './ask-vendor.ts';
export type { AttemptWatch, OwnFinding } from './attempt-watch.ts';
export { type ChannelHealth, channelHealth, createChannelHealth } from './channel-health.ts';
export { healthOfChannel, resumeChannel } from './channel-life.ts';
export { disableChannel, enableChannel, isHeldOut } from './channel-status.ts';
export { type LoadedChannel, loadChannel, loadChannels } from './loaded-channel.ts';
export {
  disableIfConfirmed,
  fetchModels,
  noteTest,
  testChannel,
  testModelOf,
  updateBalance,
} from './vendor-calls.ts';
export { VendorFailure, withoutSecrets } from './vendor-problem.ts';
export { type VendorTokens, vendorTokens } from './vendor-tokens.ts';

type ListFilter = RouteInput<(typeof channels)['list']>['query'];
type UpdateChannel = z.output<typeof updateChannelSchema>;

const columns = {
  id: 'channel.id',
  name: 'channel.name',
  type: 'channel.provider',
  status: 'channel.status',
  response_time: 'channel.response_time',
  balance: 'channel.balance_micro_usd',
  priority: 'channel.priority',
  weight: 'channel.weight',
  used_quota: 'used',
  created_time: 'channel.created_time',
};

export type ChannelFilter = Omit<ListFilter, 'page' | 'size' | 'order'>;

function filteredChannels(ctx: Context, filter: ChannelFilter) {
  const { keyword, name, type, status, group, models, tag } = filter;
  let query = selectChannels(ctx.db.reader);
  if (name !== undefined) query = query.where(contains('channel.name', name));
  if (type !== undefined) query = query.where('channel.provider', '=', idOfType(type));
  if (status !== undefined) query = query.where('channel.status', '=', status);
  if (group !== undefined) query = query.where(inGroup(group));
  if (models !== undefined) query = query.where(hasModelLike(models));
  if (tag !== undefined) query = query.where('channel.tag', '=', tag);
  if (keyword !== undefined) {
    query = query.where((eb) =>
      eb.or([contains('channel.name', keyword), contains('channel.tag', keyword), hasModelLike(keyword)]),
    );
  }
  return query;
}

/** Ids of all channels that a list with this filter shows. */
export async function channelIds(ctx: Context, filter: ChannelFilter): Promise<number[]> {
  const rows = await filteredChannels(ctx, filter).orderBy('channel.id').execute();
  return rows.map(({ id }) => id);
}

export async function listChannels(ctx: Context, filter: ListFilter): Promise<Page<Channel>> {
  return readPage(filteredChannels(ctx, filter), filter, {
    columns,
    fallback: '-id',
    tieBreak: 'channel.id',
    present: (row) => presentChannel(ctx, row),
  });
}

export async function getChannel(ctx: Context, id: number): Promise<Channel> {
  return presentChannel(ctx, await findChannel(ctx, id));
}

/** One channel for each line of the key; the second and later are named `name_2`, `name_3`, … */
export async function createChannels(ctx: Context, input: CreateChannel): Promise<Channel[]> {
  const provider = providerOfType(input.type);
  await checkForm(ctx, provider, input);
  await checkGroups(ctx, input.group);
  const keys = linesOf(input.key);
  for (const key of keys) checkKey(provider, key);
  const secrets = mergeSecrets(noSecrets, input);
  const ids = await ctx.db.writer.transaction().execute(async (trx) => {
    const created: number[] = [];
    for (const [index, key] of keys.entries()) {
      const { id } = await trx
        .insertInto('channel')
        .values({
          ...newRow(nowSeconds(ctx.clock)),
          ...settingColumns(provider, input),
          name: index === 0 ? input.name : `${input.name}_${index + 1}`,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      // Sealed texts name their row, which has an id only now.
      await trx
        .updateTable('channel')
        .set(sealSecrets(ctx.vault, id, { ...secrets, key }))
        .where('id', '=', id)
        .execute();
      created.push(id);
    }
    return created;
  });
  await ctx.changes.publish({ topic: 'channels' });
  return Promise.all(ids.map((id) => getChannel(ctx, id)));
}

/** Only what is sent changes. An empty key and unchanged masks keep what is stored. */
export async function updateChannel(ctx: Context, input: UpdateChannel, userId?: number): Promise<Channel> {
  const { id, status } = input;
  const before = await findChannel(ctx, id);
  if (status === 'auto-disabled')
    throw fieldError('status', 'not-allowed', 'Only the gateway disables a channel automatically');
  const provider = input.type === undefined ? findProvider(before.provider) : providerOfType(input.type);
  if (provider === undefined) throw notFound('provider');
  const stored = openSecrets(ctx.vault, before);
  const secrets = mergeSecrets(stored, input);
  if (linesOf(secrets.key).length > 1)
    throw fieldError('key', 'one-line', 'A channel has one key; create another channel for another key');
  if (input.type !== undefined || input.base_url !== undefined || input.options !== undefined || input.proxy)
    await checkForm(ctx, provider, {
      base_url: input.base_url ?? before.base_url,
      options: input.options ?? parseColumns(before).options,
      proxy: secrets.proxy,
    });
  if (input.group !== undefined) await checkGroups(ctx, input.group);
  checkKey(provider, secrets.key);
  checkSecretsStay(
    stored,
    input,
    { ...before, proxy: stored.proxy },
    { provider: provider.id, base_url: input.base_url ?? before.base_url, proxy: secrets.proxy },
  );
  await ctx.db.writer
    .updateTable('channel')
    .set({
      ...settingColumns(provider, input),
      ...sealSecrets(ctx.vault, id, secrets),
      ...(status === undefined ? {} : { status, disabled_reason: '' }),
    })
    .where('id', '=', id)
    .execute();
  if (status !== undefined && status !== before.status) await noteEvent(ctx, id, status, '', userId);
  if (status === 'enabled') channelHealth(ctx).reset(id);
  await ctx.changes.publish({ topic: 'channels' });
  return getChannel(ctx, id);
}

/** Deleted channels keep their name, for the records that mention them; their secrets go. */
export async function removeChannels(
  ctx: Context,
  which: { ids: readonly number[] } | 'disabled',
): Promise<number> {
  const result = await ctx.db.writer
    .updateTable('channel')
    .set({
      deleted_time: nowSeconds(ctx.clock),
      status: 'disabled',
      key_sealed: '',
      key_hint: '',
      headers_sealed: '',
      proxy_sealed: '',
    })
    .where('deleted_time', 'is', null)
    .where((eb) => (which === 'disabled' ? eb('status', '<>', 'enabled') : eb('id', 'in', which.ids)))
    .executeTakeFirst();
  await ctx.changes.publish({ topic: 'channels' });
  return Number(result.numUpdatedRows);
}

export async function removeChannel(ctx: Context, id: number): Promise<void> {
  if ((await removeChannels(ctx, { ids: [id] })) === 0) throw notFound('channel');
}

interface Offer {
  model: string;
  groups: string[];
  provider: string;
}

/** Every model that an enabled channel offers, with the groups that reach it and one provider of it. */
export const offeredModels = keptUntilChanged('channels', async (ctx: Context): Promise<Offer[]> => {
  const rows = await selectChannels(ctx.db.writer).where('channel.status', '=', 'enabled').execute();
  const offers = new Map<string, { groups: Set<string>; provider: string }>();
  for (const row of rows) {
    const { models, groups } = parseColumns(row);
    for (const model of models) {
      const offer = offers.get(model) ?? { groups: new Set(), provider: row.provider };
      for (const group of groups) offer.groups.add(group);
      offers.set(model, offer);
    }
  }
  return [...offers]
    .map(([model, { groups, provider }]) => ({ model, groups: [...groups].toSorted(), provider }))
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
});

/** Vendors, described so that a form can be drawn. */
export function listProviders(): ProviderForm[] {
  return providers.map((provider) => ({
    type: provider.channelType,
    id: provider.id,
    label: provider.label,
    website: provider.website,
    base_url: provider.baseUrl ?? '',
    test_model: provider.testModel ?? '',
    credentials: provider.credentials.map(({ name, required, placeholder = '' }) => ({
      name,
      required,
      placeholder,
    })),
    options: provider.options.map((field) => ({
      name: field.name,
      required: field.required,
      placeholder: field.placeholder ?? '',
      default: field.default ?? '',
      choices: [...(field.choices ?? [])],
    })),
    can_list_models: provider.listModels !== undefined,
    can_read_balance: provider.readBalance !== undefined,
  }));
}

function idOfType(type: number): string {
  return providers.find(({ channelType }) => channelType === type)?.id ?? '';
}

/** A key that is a JSON object, as service accounts have, is one however many lines it has. */
function linesOf(key: string): string[] {
  if (isObject(parseJson(key))) return [key.trim()];
  const lines = key.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '');
  return keys.length === 0 ? [''] : keys;
}
