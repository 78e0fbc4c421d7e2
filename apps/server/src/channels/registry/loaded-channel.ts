/** Channels as the relay needs them: parsed, with decrypted secrets. Never part of a response. */
import type { TokenRates } from '@switchyard/contract/catalog/price-rates';
import {
  type ChannelCaps,
  type ChannelDeadlines,
  channelCaps,
  channelCost,
  deadlineDefaults,
  deadlines,
  requestChanges,
} from '@switchyard/contract/channels/channel-nested-settings';
import { type Capability, type Channel, capability } from '@switchyard/contract/channels/channels';
import { findProvider, type RequestChanges, readCredentials, resolveBaseUrl, type Target } from '@switchyard/relay';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { hintOrBullets } from '../../platform/secrets/redact-secrets.ts';
import { openSecrets } from './channel-secrets.ts';
import { deriveKeyId, splitKeys } from './parse-key-lines.ts';
import { type ChannelRow, findChannel, hasSameSettings, selectChannels } from './queries.ts';

/** Vendor account with its secrets; each call adds the model. */
type AccountTarget = Omit<Target, 'model'>;

export interface LoadedKey {
  /** Id that does not reveal the key. */
  id: string;
  /** Last characters of the key if the channel has several; empty otherwise. */
  hint: string;
  /** True for the first of all keys of the channel. Resources bound to one account, such as files, use this key. */
  isFirst: boolean;
  target: AccountTarget;
}

export interface LoadedChannel {
  id: number;
  name: string;
  /** Target of the first enabled key, for properties that all keys share. */
  target: AccountTarget;
  /** Enabled keys in their order. */
  keys: readonly LoadedKey[];
  /** Group symbols. */
  groups: readonly string[];
  /** A name may end with `*`. */
  models: readonly string[];
  /** Requested model → model at the vendor, resolved by `resolveModelNames`. */
  modelMapping: Readonly<Record<string, string>>;
  /** Empty for none. */
  proxy: string;
  testModel: string;
  priority: number;
  weight: number;
  lacks: ReadonlySet<Capability>;
  /** Share of the prompt that is held before the channel is called. */
  heldPrompt: Channel['held_prompt'];
  cost: {
    /** Millionths of the list price; undefined when unknown. */
    ratioMicros: number | undefined;
    /** Buy prices by the model's name at the vendor. */
    models: ReadonlyMap<string, TokenRates>;
  };
  caps: ChannelCaps;
  /** Milliseconds. */
  deadlines: {
    connectMs: number;
    firstByteMs: number;
    firstContentMs: number;
    idleMs: number;
    totalMs: number;
    drainMs: number;
  };
}

const pairs = z.record(z.string(), z.string());

/** Parses a stored list of names. */
export function parseNameList(json: string): string[] {
  const list: unknown = JSON.parse(json);
  if (Array.isArray(list) && list.every((name) => typeof name === 'string')) return list;
  throw new TypeError('A stored list of names contains a value that is not a string');
}

/** Parses stored name-value pairs. */
export function parsePairs(json: string): Record<string, string> {
  return pairs.parse(JSON.parse(json));
}

interface CachedChannel {
  row: ChannelRow;
  channel: LoadedChannel;
}

/** Channels of each server as last loaded, with their rows. */
const channelCache = new WeakMap<Context, ReadonlyMap<number, CachedChannel>>();
/** Loads are serialized: an older one must not overwrite the result of a newer one. */
const pendingLoads = new WeakMap<Context, Promise<unknown>>();

/**
 * Loads every enabled channel, oldest first. Unreadable ones are logged and skipped. A channel with an unchanged row
 * stays the same object, so that a change of one among thousands does not decrypt all secrets.
 * @param ids only these may have changed since the last load
 */
export function loadChannels(ctx: Context, ids?: readonly number[]): Promise<LoadedChannel[]> {
  const loaded = (pendingLoads.get(ctx) ?? Promise.resolve()).then(() => refreshChannels(ctx, ids));
  pendingLoads.set(
    ctx,
    // Makes the next load read all rows, because the rows that this one missed are unknown.
    loaded.catch(() => channelCache.delete(ctx)),
  );
  return loaded;
}

async function refreshChannels(ctx: Context, ids: readonly number[] | undefined): Promise<LoadedChannel[]> {
  const before = channelCache.get(ctx);
  const enabled = selectChannels(ctx.db.writer).where('channel.status', '=', 'enabled');
  const some = before === undefined ? undefined : ids;
  const rows = await (some === undefined ? enabled : enabled.where('channel.id', 'in', some)).execute();
  const now = new Map(some === undefined ? [] : before);
  for (const id of some ?? []) now.delete(id);
  for (const row of rows) {
    const known = before?.get(row.id);
    try {
      const isKnown = known !== undefined && hasSameSettings(known.row, row);
      now.set(row.id, isKnown ? known : { row, channel: loadRow(ctx, row) });
    } catch (error) {
      ctx.log.error({ err: error, channel_id: row.id }, 'a stored channel could not be loaded');
    }
  }
  channelCache.set(ctx, now);
  return [...now.values()]
    .flatMap(({ channel }) => (channel.keys.length === 0 ? [] : [channel]))
    .toSorted((a, b) => a.id - b.id);
}

/**
 * Loads one channel of any status.
 * @param keyId only key to load, enabled or not; absent for the enabled ones
 * @throws AppError `not-found`
 */
export async function loadChannel(ctx: Context, id: number, keyId?: string): Promise<LoadedChannel> {
  const row = await findChannel(ctx, id);
  if (keyId === undefined) return loadRow(ctx, row);
  const channel = loadRow(ctx, row, keyId);
  if (channel.keys.length === 0) throw notFound('key', keyId);
  return channel;
}

/** Settings that are stored as they are, in the columns of the same names. */
export const plainSettings = ['name', 'base_url', 'tag', 'test_model', 'priority', 'weight', 'held_prompt'] as const;

/** Parses the columns with JSON, of which none has secrets. */
export function parseColumns(row: ChannelRow) {
  return {
    options: parsePairs(row.options),
    models: parseNameList(row.models),
    groups: parseNameList(row.groups),
    model_mapping: parsePairs(row.model_mapping),
    lacks: z.array(capability).parse(JSON.parse(row.lacks)),
    cost: channelCost.parse(JSON.parse(row.cost)),
    deadlines: deadlines.parse(JSON.parse(row.deadlines)),
    request_changes: requestChanges.parse(JSON.parse(row.request_changes)),
    caps: channelCaps.parse(JSON.parse(row.caps)),
  };
}

function toDeadlines(own: ChannelDeadlines): LoadedChannel['deadlines'] {
  const ms = (name: keyof typeof deadlineDefaults): number => (own[name] ?? deadlineDefaults[name]) * 1000;
  return {
    connectMs: ms('connect'),
    firstByteMs: ms('first_byte'),
    firstContentMs: ms('first_content'),
    idleMs: ms('idle'),
    totalMs: ms('total'),
    drainMs: own.read_on_seconds * 1000,
  };
}

function toRequestChanges({ system_as_user: systemAsUser, streaming, bodies }: z.output<typeof requestChanges>) {
  return { systemAsUser, streaming, bodies } satisfies RequestChanges;
}

/** @param only id of the only key to load; absent for the enabled ones */
function loadRow(ctx: Context, row: ChannelRow, only?: string): LoadedChannel {
  const provider = findProvider(row.provider);
  if (provider === undefined) throw new AppError('not-supported', `There is no provider ${row.provider}`);
  const parsed = parseColumns(row);
  const { options, models, groups, lacks, cost } = parsed;
  const { key: secret, headers, proxy } = openSecrets(ctx.vault, row);
  const stored = splitKeys(secret);
  const changes = toRequestChanges(parsed.request_changes);
  const loadKey = (key: string, nth: number): LoadedKey => {
    const credentials = readCredentials(provider, key);
    const baseUrl = resolveBaseUrl(provider, row.base_url, { credentials, options });
    return {
      id: deriveKeyId(ctx.vault, row.id, key),
      hint: stored.length === 1 ? '' : hintOrBullets(key),
      isFirst: nth === 0,
      target: { provider, baseUrl, credentials, options, headers, changes },
    };
  };
  const out = parseNameList(row.keys_out);
  const keys = stored.map(loadKey).filter(({ id }) => (only === undefined ? !out.includes(id) : id === only));
  return {
    id: row.id,
    name: row.name,
    target: (keys[0] ?? loadKey(stored[0], 0)).target,
    keys,
    groups,
    models,
    modelMapping: parsed.model_mapping,
    proxy,
    testModel: row.test_model,
    priority: row.priority,
    weight: row.weight,
    lacks: new Set(row.only_chat === 1 ? [...lacks, 'tools'] : lacks),
    heldPrompt: row.held_prompt,
    cost: {
      ratioMicros: cost.ratio === null ? undefined : Math.round(cost.ratio * RATIO_ONE),
      models: new Map(Object.entries(cost.models)),
    },
    caps: parsed.caps,
    deadlines: toDeadlines(parsed.deadlines),
  };
}
