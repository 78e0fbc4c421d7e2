/**
 * Registry of channels, the configured accounts at vendors. Secrets are write-only: responses contain masks, and only
 * calls to the vendor use them. Providers have a text id internally and an integer in the public API.
 */
import type {
  Channel,
  ChannelFilter,
  CreateChannel,
  channels,
  Provider as ProviderForm,
} from '@switchyard/contract/channels/channels';
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { providers } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { changedSince, notFound } from '../../platform/http/app-error.ts';
import { getChannelHealth } from '../health/channel-health.ts';
import { mergeSecrets, noSecrets } from './channel-secrets.ts';
import { checkForm, checkGroups, checkKey, createFormLookups, getProviderByType } from './check-channel-form.ts';
import { parseNameList, parsePairs } from './loaded-channel.ts';
import { splitKeys, splitSecrets } from './parse-key-lines.ts';
import { insertChannel, planUpdate, type UpdateChannel } from './plan-channel-update.ts';
import { presentChannel } from './present-channel.ts';
import { filterChannels, findChannel, selectChannels } from './queries.ts';
import { writeUpdates } from './write-channel-updates.ts';

export { removeModelsFromChannels, replaceUpstreamModel } from '../bulk-edit/remove-or-replace-models.ts';
export type { AttemptRecorder, ProbeResult } from '../health/attempt-recorder.ts';
export {
  type AttemptKey,
  type ChannelHealth,
  createChannelHealth,
  getChannelHealth,
} from '../health/channel-health.ts';
export { enableChannel, mustStayDisabled } from '../health/disable-and-enable-channels.ts';
export {
  isAccountError,
  isUnusableAccountError,
  readChannelHealth,
  resumeChannel,
} from '../health/health-status-and-resume.ts';
export { recoverChannel } from '../health/recover-channel.ts';
export type { LegacySource } from '../import/foreign-channel-types.ts';
export { importChannelRow } from '../import/import-channel-row.ts';
export {
  fetchModels,
  fetchVendorBalance,
  fetchVendorModels,
  updateBalance,
} from '../vendor-calls/fetch-models-and-balance.ts';
export {
  disableIfConfirmed,
  getTestModel,
  storeTestTime,
  testChannel,
} from '../vendor-calls/test-and-disable-channel.ts';
export { getVendorTokens, type VendorTokenCache } from '../vendor-calls/vendor-access-token-cache.ts';
export { redactSecrets, VendorCallError } from '../vendor-calls/vendor-call-error.ts';
export {
  countVendorTokens,
  type ProbeResponse,
  resolveUpstreamModel,
  sendVendorRequest,
} from '../vendor-calls/vendor-request.ts';
export {
  addKeys,
  listAutoDisabledKeys,
  listKeys,
  removeKey,
  setKeyEnabled,
} from './channel-keys.ts';
export { type LoadedChannel, type LoadedKey, loadChannel, loadChannels } from './loaded-channel.ts';
export { joinKeys, splitKeys } from './parse-key-lines.ts';
export {
  type CapPeriod,
  getCapEnd,
  listReachedCaps,
  recordCapReached,
} from './spending-caps.ts';

type ListFilter = RouteInput<(typeof channels)['list']>['query'];

const columns = {
  id: 'channel.id',
  name: 'channel.name',
  type: 'channel.provider',
  status: 'channel.status',
  response_time: 'channel.response_time',
  balance: 'channel.balance_micro_usd',
  priority: 'channel.priority',
  weight: 'channel.weight',
  used_quota: 'channel_usage.used',
  created_time: 'channel.created_time',
};

/** Lists the ids of all channels that match the filter. */
export async function listChannelIds(ctx: Context, filter: ChannelFilter): Promise<number[]> {
  const rows = await filterChannels(selectChannels(ctx.db.reader), filter).orderBy('channel.id').execute();
  return rows.map(({ id }) => id);
}

export async function listChannels(ctx: Context, filter: ListFilter): Promise<Page<Channel>> {
  const all = selectChannels(ctx.db.reader);
  let query = filterChannels(all, filter);
  if (filter.after_id !== undefined) query = query.where('channel.id', '>', filter.after_id);
  return readPage(query, filter, {
    columns,
    fallback: '-id',
    tieBreak: 'channel.id',
    whole: all,
    present: (row) => presentChannel(ctx, row),
  });
}

export async function getChannel(ctx: Context, id: number): Promise<Channel> {
  return presentChannel(ctx, await findChannel(ctx, id));
}

/** Creates one channel with all keys, or one for each; the second and later ones are named `name_2`, `name_3`, … */
export async function createChannels(ctx: Context, input: CreateChannel): Promise<Channel[]> {
  const provider = getProviderByType(input.type);
  const questions = createFormLookups(ctx);
  await checkForm(questions, provider, input);
  await checkGroups(questions, input.group);
  for (const key of splitKeys(input.key)) checkKey(provider, key);
  const keys = splitSecrets(input);
  const secrets = mergeSecrets(noSecrets, input);
  const ids = await ctx.db.writer.transaction().execute(async (trx) => {
    const created: number[] = [];
    for (const [index, key] of keys.entries()) {
      const name = index === 0 ? input.name : `${input.name}_${index + 1}`;
      created.push(await insertChannel(ctx, trx, provider, { ...input, name }, { ...secrets, key }));
    }
    return created;
  });
  await ctx.changes.publish({ topic: 'channels', ids });
  return Promise.all(ids.map((id) => getChannel(ctx, id)));
}

/**
 * Updates the sent fields. An empty key and unchanged masks keep the stored secrets.
 * @throws AppError `conflict` when another user changed it meanwhile, since the checks no longer hold
 */
export async function updateChannel(ctx: Context, input: UpdateChannel, userId?: number): Promise<Channel> {
  const { id, status } = input;
  const before = await findChannel(ctx, id);
  const plan = { row: before, ...(await planUpdate(ctx, before, input)) };
  const event = { created_at: nowSeconds(ctx.clock), user_id: userId ?? null };
  const late = await ctx.db.writer.transaction().execute((trx) => writeUpdates(trx, [plan], event));
  if (late.length > 0) throw changedSince('channel');
  if (status === 'enabled') getChannelHealth(ctx).reset(id);
  await ctx.changes.publish({ topic: 'channels', ids: [id] });
  return getChannel(ctx, id);
}

/** Deletes channels. They keep their name for the records that mention them; their secrets are erased. */
export async function removeChannels(ctx: Context, which: { ids: readonly number[] } | 'disabled'): Promise<number> {
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
  await ctx.db.writer
    .deleteFrom('channel_key_state')
    .where('channel_id', 'in', (eb) => eb.selectFrom('channel').select('id').where('deleted_time', 'is not', null))
    .execute();
  await ctx.changes.publish(which === 'disabled' ? { topic: 'channels' } : { topic: 'channels', ids: which.ids });
  return Number(result.numUpdatedRows);
}

export async function removeChannel(ctx: Context, id: number): Promise<void> {
  if ((await removeChannels(ctx, { ids: [id] })) === 0) throw notFound('channel', id);
}

interface OfferedModel {
  model: string;
  groups: string[];
  provider: string;
  /** Vendor model names behind the client's name. */
  upstream: string[];
}

/** Lists every model that an enabled channel offers, with the groups that reach it and one of its providers. */
export const listOfferedModels = cacheUntilChanged('channels', async (ctx: Context): Promise<OfferedModel[]> => {
  const rows = await ctx.db.reader
    .selectFrom('channel')
    .select(['models', 'groups', 'provider', 'model_mapping'])
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .execute();
  const offers = new Map<string, { groups: Set<string>; upstream: Set<string>; provider: string }>();
  for (const row of rows) {
    const [models, groups] = [parseNameList(row.models), parseNameList(row.groups)];
    const mapping = parsePairs(row.model_mapping);
    for (const model of models) {
      const offer = offers.get(model) ?? { groups: new Set(), upstream: new Set(), provider: row.provider };
      offer.upstream.add(resolveModelNames(mapping, model).upstreamModel);
      for (const group of groups) offer.groups.add(group);
      offers.set(model, offer);
    }
  }
  return [...offers]
    .map(([model, { groups, upstream, provider }]) => ({
      model,
      groups: [...groups].toSorted(),
      provider,
      upstream: [...upstream],
    }))
    .toSorted((a, b) => (a.model < b.model ? -1 : 1));
});

export interface DisabledOffer {
  /** A name may end with `*`. */
  models: readonly string[];
  groups: readonly string[];
}

/**
 * Lists the models that each disabled channel would offer. A channel is no longer listed when it is enabled or
 * deleted.
 */
export const listDisabledOffers = cacheUntilChanged('channels', async (ctx: Context): Promise<DisabledOffer[]> => {
  const rows = await ctx.db.reader
    .selectFrom('channel')
    .select(['models', 'groups'])
    .where('status', '!=', 'enabled')
    .where('deleted_time', 'is', null)
    .execute();
  return rows.map(({ models, groups }) => ({ models: parseNameList(models), groups: parseNameList(groups) }));
});

/** Describes providers for the channel form. */
export function listProviders(): ProviderForm[] {
  return providers.map((provider) => ({
    type: provider.channelType,
    id: provider.id,
    label: provider.label,
    website: provider.website,
    base_url: provider.baseUrl ?? '',
    test_model: provider.testModel ?? '',
    credentials: provider.credentials.map(({ name, required, placeholder = '' }) => ({ name, required, placeholder })),
    options: provider.options.map((field) => ({
      name: field.name,
      required: field.required,
      placeholder: field.placeholder ?? '',
      default: field.default ?? '',
      choices: [...(field.choices ?? [])],
      is_path: field.isPath === true,
    })),
    can_list_models: provider.listModels !== undefined,
    can_read_balance: provider.readBalance !== undefined,
  }));
}
