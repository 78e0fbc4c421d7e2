import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { boundedRecord } from '../bounded-record.ts';
import { channelId } from '../ids.ts';
import { points } from '../money.ts';
import { emptyData, LARGE_BODY_BYTES, listQuery, paged, routes } from '../route.ts';
import { channelStatus } from '../wire-enums.ts';
import { channelEvent, modelHealth, testResult } from './channel-health.ts';
import {
  channelCaps,
  channelCapsUpdate,
  channelCost,
  deadlines,
  partsChange,
  requestChanges,
} from './channel-nested-settings.ts';

const modelName = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^*,]+\*?$/, 'A * is allowed only at the end');

/** Mask of a stored secret in responses; sent back unchanged, it keeps the stored secret. */
export const SECRET_MASK = '••••';
const masked = z.string().regex(new RegExp(`^${SECRET_MASK}.{0,4}$`));

const proxyUrl = z.union([z.literal(''), masked, z.url({ protocol: /^(https?|socks5h?)$/ })]);
const baseUrl = z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2048)]);
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/);
const headerValue = z.union([
  masked,
  z
    .string()
    .max(1024)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
]);

/** Capability that a request may need of a channel. */
export const capability = z.enum(['tools', 'images', 'streaming', 'structured-output', 'reasoning']);
export type Capability = z.output<typeof capability>;
/**
 * Share of a prompt that is held before this channel is called. The charge is the call's actual cost, regardless of the
 * hold; cost beyond the hold is taken from the balance, and beyond that it is an overdraft.
 */
export const heldPromptShare = z.enum(['all', 'without-images', 'nothing']);

const atTheEnd = /^[^*]*\*?$/;

/**
 * Requested model → model at the vendor. A leading `+` bills by the requested name; a `*` at the end of both carries
 * the rest of the name. See `model-mapping.ts`.
 */
const modelMapping = boundedRecord(
  z.string().max(128).regex(atTheEnd),
  z.string().min(1).max(128).regex(atTheEnd),
  5_000,
).refine(
  (mapping) => Object.entries(mapping).every(([name, value]) => name.endsWith('*') || !value.endsWith('*')),
  'must have a * at the end of a name whose value ends in *',
);

/** Operator's settings of a channel, apart from its secret. */
const settings = {
  name: z.string().trim().min(1).max(64),
  /** The provider's integer; see `/api/provider`. */
  type: z.int(),
  /** Empty: the provider's default. */
  base_url: baseUrl,
  /** The provider's options by name, for instance `{"apiVersion": "2024-10-21"}`. */
  options: boundedRecord(z.string().max(64), z.string().max(512), 64),
  models: z.array(modelName).min(1).max(1000),
  /** Symbols of the user groups that may use the channel. */
  group: z.array(z.string().min(1).max(32)).min(1).max(50),
  tag: z.string().trim().max(32),
  model_mapping: modelMapping,
  /** Values are secrets; responses show the mask and the last four characters. */
  model_headers: boundedRecord(headerName, headerValue, 64),
  /**
   * http, https, socks5 or socks5h; each lets the proxy resolve the channel's host. The URL may hold a password, so
   * responses show the mask and the last four characters.
   */
  proxy: proxyUrl,
  test_model: z.string().trim().max(128),
  /** Higher is tried first. */
  priority: z.int().min(0).max(1_000_000),
  /** Share of the requests among channels of the same priority. */
  weight: z.int().min(1).max(1_000_000),
  /** Sends requests with tools to other channels. */
  only_chat: z.boolean(),
  /** Missing capabilities; requests that need one go to other channels. */
  lacks: z.array(capability).max(10),
  held_prompt: heldPromptShare,
  cost: channelCost,
  deadlines,
  request_changes: requestChanges,
  caps: channelCaps,
};

export const channel = z.object({
  id: channelId.meta({ readOnly: true }),
  ...settings,
  /** The provider's id as text, for instance `openai`. */
  provider: z.string().meta({ readOnly: true }),
  status: channelStatus,
  /** Last four characters of the key, or of the first of several. */
  key_hint: z.string().meta({ readOnly: true }),
  key_count: z.int().meta({ readOnly: true }),
  keys_out: z.int().meta({ readOnly: true }),
  proxy: z.string(),
  base_url: z.string(),
  model_mapping: z.record(z.string(), z.string()),
  created_time: seconds.meta({ readOnly: true }),
  /** Time of the last test; 0: never tested. */
  test_time: seconds.meta({ readOnly: true }),
  /** Milliseconds of the last successful test; 0: unknown. */
  response_time: z.int().meta({ readOnly: true }),
  /** Remaining credit at the vendor in USD; null when unknown. */
  balance: z.number().nullable().meta({ readOnly: true }),
  balance_updated_time: seconds.meta({ readOnly: true }),
  used_quota: points.meta({ readOnly: true }),
  /** Reason of the automatic deactivation; empty otherwise. */
  disabled_reason: z.string().meta({ readOnly: true }),
  /** End of the cooldown; 0 without one. */
  cooldown_until: seconds.meta({ readOnly: true }),
  /** Amounts that count towards the caps. */
  spent: z.object({ day: points, month: points }).meta({ readOnly: true }),
  /** Time until which a reached cap excludes the channel; 0 without one. */
  capped_until: seconds.meta({ readOnly: true }),
});
export type Channel = z.output<typeof channel>;

/** Write-only secret; `keys_as` says how several lines are used. Empty only if the provider needs no key. */
const key = z.string().trim().max(65_536).default('');

/** Treatment of several lines of `key`: a channel each, or the keys of one channel, which uses them round-robin. */
export const keysAs = z.enum(['channels', 'one-channel']);

export const createChannel = z.object({
  ...settings,
  base_url: baseUrl.default(''),
  options: settings.options.default({}),
  group: settings.group.default(['default']),
  tag: settings.tag.default(''),
  model_mapping: settings.model_mapping.default({}),
  model_headers: settings.model_headers.default({}),
  proxy: proxyUrl.default(''),
  test_model: settings.test_model.default(''),
  priority: settings.priority.default(0),
  weight: settings.weight.default(1),
  only_chat: z.boolean().default(false),
  lacks: settings.lacks.default([]),
  held_prompt: heldPromptShare.default('all'),
  cost: channelCost.prefault({}),
  deadlines: deadlines.prefault({}),
  request_changes: requestChanges.prefault({}),
  caps: channelCaps.prefault({}),
  key,
  keys_as: keysAs.default('channels'),
});
export type CreateChannel = z.output<typeof createChannel>;

/** Changes only the fields that are sent. An empty key keeps the stored one; another key replaces all stored keys. */
export const updateChannel = z.object({
  id: channelId,
  ...z.object({ ...settings, ...partsChange }).partial().shape,
  caps: channelCapsUpdate.optional(),
  status: channelStatus.optional(),
  key: z.string().trim().max(65_536).optional(),
});

const byId = z.object({ id: channelId });

/** Vendor with the fields of its form in the console. */
export const provider = z.object({
  type: z.int(),
  id: z.string(),
  label: z.string(),
  website: z.string(),
  /** Default address; empty: the operator must set one. */
  base_url: z.string(),
  test_model: z.string(),
  /** Parts of a key; several are joined with `|` in this order. */
  credentials: z.array(z.object({ name: z.string(), required: z.boolean(), placeholder: z.string() })),
  options: z.array(
    z.object({
      name: z.string(),
      required: z.boolean(),
      placeholder: z.string(),
      default: z.string(),
      /** Allowed values; empty: any. The first is the default. */
      choices: z.array(z.string()),
      /** Marks a path below the address, or `-` for an unsupported endpoint. */
      is_path: z.boolean(),
    }),
  ),
  can_list_models: z.boolean(),
  can_read_balance: z.boolean(),
});
export type Provider = z.output<typeof provider>;

/** Filter that selects the channels of a list and of a bulk edit. */
export const channelFilter = z.object({
  /** Part of the name, a model or the tag. */
  keyword: z.string().max(128).optional(),
  name: z.string().max(64).optional(),
  type: z.int().optional(),
  status: channelStatus.optional(),
  group: z.string().max(32).optional(),
  models: z.string().max(128).optional(),
  tag: z.string().max(32).optional(),
});
export type ChannelFilter = z.output<typeof channelFilter>;

export const channels = routes({
  list: {
    method: 'GET',
    path: '/api/channel/',
    access: 'channels.read',
    summary: 'List the channels',
    query: listQuery(
      ['id', 'name', 'type', 'status', 'response_time', 'balance', 'priority', 'weight', 'used_quota', 'created_time'],
      {
        ...channelFilter.shape,
        type: z.coerce.number().int().optional(),
        /** Only channels with higher ids, for reading a list in their order while it changes. */
        after_id: channelId.optional(),
      },
    ),
    answer: paged(channel),
  },
  get: {
    method: 'GET',
    path: '/api/channel/:id',
    access: 'channels.read',
    summary: 'Retrieve a channel, without its key',
    params: byId,
    answer: channel,
  },
  create: {
    method: 'POST',
    path: '/api/channel/',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Create a channel for each line of `key`, or one channel with all keys',
    body: createChannel,
    answer: z.array(channel),
  },
  update: {
    method: 'PUT',
    path: '/api/channel/',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Update the fields that are sent',
    body: updateChannel,
    answer: channel,
  },
  updateById: {
    method: 'PUT',
    path: '/api/channel/:id',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Update the fields that are sent, of the channel in the path',
    params: byId,
    body: updateChannel.omit({ id: true }),
    answer: channel,
  },
  remove: {
    method: 'DELETE',
    path: '/api/channel/:id',
    access: 'channels.write',
    summary: 'Delete a channel',
    params: byId,
    answer: emptyData,
  },
  removeDisabled: {
    method: 'DELETE',
    path: '/api/channel/disabled',
    access: 'channels.write',
    summary: 'Delete all channels that are not enabled; returns their number',
    answer: z.int(),
  },
  removeMany: {
    method: 'POST',
    path: '/api/channel/remove',
    access: 'channels.write',
    summary: 'Delete several channels; returns their number',
    body: z.object({ ids: z.array(channelId).min(1).max(1000) }),
    answer: z.int(),
  },
  test: {
    method: 'POST',
    path: '/api/channel/test/:id',
    access: 'channels.write',
    summary: 'Test the channel with one short request; not billed',
    params: byId,
    query: z.object({ model: z.string().max(128).optional() }),
    answer: testResult,
  },
  health: {
    method: 'GET',
    path: '/api/channel/:id/health',
    access: 'channels.read',
    summary: 'Retrieve the health of a channel by model, and when it was disabled or enabled, newest first',
    params: byId,
    answer: z.object({ models: z.array(modelHealth), events: z.array(channelEvent) }),
  },
  resume: {
    method: 'POST',
    path: '/api/channel/:id/resume',
    access: 'channels.write',
    summary: 'End the cooldown of a channel immediately',
    params: byId,
    answer: emptyData,
  },
  fetchModels: {
    method: 'POST',
    path: '/api/channel/provider_models_list',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: "List the provider's models, for an unsaved form or, by `id`, a stored channel",
    body: createChannel
      .pick({ type: true, base_url: true, options: true, model_headers: true, proxy: true })
      .extend({ id: channelId.optional(), key: z.string().trim().max(65_536).default('') }),
    answer: z.array(z.string()),
  },
  updateBalance: {
    method: 'POST',
    path: '/api/channel/update_balance/:id',
    access: 'channels.write',
    summary: 'Query the provider for the remaining credit in USD',
    params: byId,
    answer: z.object({ balance: z.number() }),
  },
  providers: {
    method: 'GET',
    path: '/api/provider',
    access: 'channels.read',
    summary: 'List the providers and the fields of their forms',
    answer: z.array(provider),
  },
});
