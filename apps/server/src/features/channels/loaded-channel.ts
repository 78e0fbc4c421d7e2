/** Channels as the relay needs them: parsed, with their secrets open. Never sent to anybody. */
import { type ChannelCaps, channelCaps } from '@switchyard/contract/channel-caps';
import {
  type Capability,
  type ChannelDeadlines,
  capability,
  channelCost,
  deadlineDefaults,
  deadlines,
  requestChanges,
} from '@switchyard/contract/channels';
import type { TokenRates } from '@switchyard/contract/rates';
import {
  addressOf,
  findProvider,
  type RequestChanges,
  readCredentials,
  type Target,
} from '@switchyard/relay';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import { AppError, notFound } from '../../platform/app-error.ts';
import { hintOrBullets } from '../../platform/secret-hint.ts';
import { openSecrets } from './channel-secrets.ts';
import { keyIdOf, keysOf } from './key-lines.ts';
import { type ChannelRow, findChannel, selectChannels } from './queries.ts';

/** The vendor's account with its secrets; the model is named with each call. */
type AnyModel = Omit<Target, 'model'>;

export interface LoadedKey {
  /** Names it and tells nothing of it. */
  id: string;
  /** Its last characters where the channel has several keys; empty otherwise. */
  hint: string;
  /** Of all keys of the channel: what stays with one account, as files do, stays with this one. */
  isFirst: boolean;
  target: AnyModel;
}

export interface LoadedChannel {
  id: number;
  name: string;
  /** The first key's that is in use, for what any key of the channel can tell. */
  target: AnyModel;
  /** Those in use, in their order. */
  keys: readonly LoadedKey[];
  /** Symbols. */
  groups: readonly string[];
  /** `*` may stand at a name's end. */
  models: readonly string[];
  /** Requested model → model at the vendor; a leading `+` bills by the requested name. */
  modelMapping: Readonly<Record<string, string>>;
  /** Empty: none. */
  proxy: string;
  testModel: string;
  priority: number;
  weight: number;
  lacks: ReadonlySet<Capability>;
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
    readOnMs: number;
  };
}

const texts = z.array(z.string());
const pairs = z.record(z.string(), z.string());

/** Every enabled channel. One that cannot be read is reported and left out. */
export async function loadChannels(ctx: Context): Promise<LoadedChannel[]> {
  const rows = await selectChannels(ctx.db.writer)
    .where('channel.status', '=', 'enabled')
    .orderBy('channel.id')
    .execute();
  const out = await keysOutOfUse(ctx);
  return rows.flatMap((row) => {
    try {
      const channel = loadRow(ctx, row, (keyId) => out.has(keyId));
      return channel.keys.length === 0 ? [] : [channel];
    } catch (error) {
      ctx.log.error({ err: error, channel_id: row.id }, 'a stored channel cannot be used');
      return [];
    }
  });
}

/**
 * One channel of any status.
 * @param keyId the only key that it is to have, in use or not; absent, it has those in use
 * @throws AppError `not-found`
 */
export async function loadChannel(ctx: Context, id: number, keyId?: string): Promise<LoadedChannel> {
  const row = await findChannel(ctx, id);
  if (keyId === undefined) {
    const out = await keysOutOfUse(ctx, id);
    return loadRow(ctx, row, (known) => out.has(known));
  }
  const channel = loadRow(ctx, row, (known) => known !== keyId);
  if (channel.keys.length === 0) throw notFound('key');
  return channel;
}

async function keysOutOfUse(ctx: Context, channelId?: number): Promise<Set<string>> {
  let query = ctx.db.writer.selectFrom('channel_key_state').select('key_id');
  if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
  const rows = await query.execute();
  return new Set(rows.map(({ key_id }) => key_id));
}

/** Parsed columns that hold no secret. */
export function parseColumns(row: ChannelRow) {
  return {
    options: pairs.parse(JSON.parse(row.options)),
    models: texts.parse(JSON.parse(row.models)),
    groups: texts.parse(JSON.parse(row.groups)),
    modelMapping: pairs.parse(JSON.parse(row.model_mapping)),
    lacks: z.array(capability).parse(JSON.parse(row.lacks)),
    cost: channelCost.parse(JSON.parse(row.cost)),
    deadlines: deadlines.parse(JSON.parse(row.deadlines)),
    requestChanges: requestChanges.parse(JSON.parse(row.request_changes)),
    caps: channelCaps.parse(JSON.parse(row.caps)),
  };
}

function millisecondsOf(own: ChannelDeadlines): LoadedChannel['deadlines'] {
  const ms = (name: keyof typeof deadlineDefaults): number => (own[name] ?? deadlineDefaults[name]) * 1000;
  return {
    connectMs: ms('connect'),
    firstByteMs: ms('first_byte'),
    firstContentMs: ms('first_content'),
    idleMs: ms('idle'),
    totalMs: ms('total'),
    readOnMs: own.read_on_seconds * 1000,
  };
}

function changesOf({ system_as_user: systemAsUser, streaming, bodies }: z.output<typeof requestChanges>) {
  return { systemAsUser, streaming, bodies } satisfies RequestChanges;
}

function loadRow(ctx: Context, row: ChannelRow, isOut: (keyId: string) => boolean): LoadedChannel {
  const provider = findProvider(row.provider);
  if (provider === undefined) throw new AppError('not-supported', `There is no provider ${row.provider}`);
  const parsed = parseColumns(row);
  const { options, models, groups, modelMapping, lacks, cost } = parsed;
  const { key: secret, headers, proxy } = openSecrets(ctx.vault, row);
  const stored = keysOf(secret);
  const changes = changesOf(parsed.requestChanges);
  const loadKey = (key: string, nth: number): LoadedKey => {
    const credentials = readCredentials(provider, key);
    const baseUrl = addressOf(provider, row.base_url, { credentials, options });
    return {
      id: keyIdOf(ctx.vault, row.id, key),
      hint: stored.length === 1 ? '' : hintOrBullets(key),
      isFirst: nth === 0,
      target: { provider, baseUrl, credentials, options, headers, changes },
    };
  };
  const keys = stored.map(loadKey).filter(({ id }) => !isOut(id));
  return {
    id: row.id,
    name: row.name,
    target: (keys[0] ?? loadKey(stored[0], 0)).target,
    keys,
    groups,
    models,
    modelMapping,
    proxy,
    testModel: row.test_model,
    priority: row.priority,
    weight: row.weight,
    lacks: new Set(row.only_chat === 1 ? [...lacks, 'tools'] : lacks),
    cost: {
      ratioMicros: cost.ratio === null ? undefined : Math.round(cost.ratio * RATIO_ONE),
      models: new Map(Object.entries(cost.models)),
    },
    caps: parsed.caps,
    deadlines: millisecondsOf(parsed.deadlines),
  };
}
