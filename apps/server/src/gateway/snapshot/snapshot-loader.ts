/** Loads the snapshot from the database and keeps it current. */

import { storedApiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_UNIT, rates } from '@switchyard/contract/catalog/price-rates';
import { channelId } from '@switchyard/contract/ids';
import type { Selectable } from 'kysely';
import {
  roleColumns,
  selectHasSecondFactor,
  toRoleHolder,
} from '../../accounts/staff-second-factor/staff-second-factor.ts';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import { loadChannels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { CHUNK_ROWS, readRowsById } from '../../db/process-in-chunks.ts';
import { PERIODS, type PriceRule } from '../../ledger/ledger.ts';
import { createAddressMatcher } from '../../platform/outbound/address-matcher.ts';
import type { Schema } from '../../schema.ts';
import type { ChannelState, GroupState, KeyState, Snapshot, UserState } from './snapshot.ts';

const userColumns = [...roleColumns, 'id', 'username', 'status', 'group_symbol', 'deleted_time'] as const;
type UserRow = Parameters<typeof toRoleHolder>[0] &
  Pick<Selectable<Schema['user']>, 'id' | 'username' | 'status' | 'group_symbol' | 'deleted_time'>;
const keyColumns = [
  'id',
  'user_id',
  'name',
  'key_hash',
  'status',
  'expired_time',
  'unlimited_quota',
  'group_symbol',
  'backup_group',
  'api_rate',
  'ratio_micros',
  'can_choose_channel',
  'deleted_time',
] as const;
type KeyRow = Pick<Selectable<Schema['api_key']>, (typeof keyColumns)[number] | 'setting'>;

export async function loadSnapshot(ctx: Context): Promise<Snapshot> {
  const keys = createKeyStates(ctx);
  const users = createUserStates(ctx);
  let groups = await loadGroups(ctx);
  let channels = await loadChannelStates(ctx);
  let channelsById = byId(channels);
  let channelsVersion = 0;
  let priceOf = createPriceBook(await loadPriceLookup(ctx));

  ctx.changes.subscribe(async (change) => {
    switch (change.topic) {
      case 'api-keys':
        return keys.load(change.ids);
      case 'users':
        return users.load(change.ids);
      case 'user-groups':
        groups = await loadGroups(ctx);
        return;
      case 'channels':
        channels = await loadChannelStates(ctx, change.ids);
        channelsById = byId(channels);
        channelsVersion += 1;
        return;
      case 'prices':
        priceOf = createPriceBook(await loadPriceLookup(ctx));
        return;
      case 'catalogue':
      case 'data-keys':
      case 'deliveries':
      case 'content-safety':
      case 'mail':
      case 'models':
      case 'tasks':
      case 'orders':
      case 'settings':
      case 'usage-days':
      case 'works':
    }
  });
  // As changes, they precede those that other nodes publish while the pages are read.
  await ctx.changes.receive({ topic: 'api-keys' });
  await ctx.changes.receive({ topic: 'users' });

  return {
    keyByHash: (hash) => keys.getByHash(hash),
    key: (id) => keys.get(id),
    user: (id) => users.get(id),
    group: (symbol) => groups.get(symbol),
    channels: () => channels,
    channel: (id) => channelsById.get(id),
    get channelsVersion() {
      return channelsVersion;
    },
    priceOf: (model) => priceOf(model),
    get priceBook() {
      return priceOf;
    },
  };
}

/** Rows of a page, which take some milliseconds. Fewer on SQLite, whose queries run in this thread too. */
const pageRowsOf = ({ engine }: Context['db']): number => (engine.kind === 'postgres' ? 2_000 : CHUNK_ROWS);

interface States<State> {
  get(id: number): State | undefined;
  /**
   * Loads the rows of these ids, or all. Old states stay valid until the new rows are loaded, so that no request is
   * refused meanwhile; those of deleted rows are removed.
   */
  load(ids?: readonly number[]): Promise<void>;
}

function createKeyStates({ db, log }: Context): States<KeyState> & { getByHash(hash: string): KeyState | undefined } {
  let keys = new Map<number, KeyState>();
  let keysByHash = new Map<string, KeyState>();
  const select = () =>
    db.writer
      .selectFrom('api_key')
      .select(keyColumns)
      // Deleted keys of earlier versions keep long lists, which would slow down the start.
      .select((eb) =>
        eb.case().when('deleted_time', 'is', null).then(eb.ref('setting')).else('{}').end().as('setting'),
      );
  const add = (row: KeyRow, byId: typeof keys, byHash: typeof keysByHash): void => {
    // Not in the query: SQLite would search for the next page among deleted rows in one statement.
    if (row.deleted_time !== null) return;
    try {
      const key = keyState(row);
      byId.set(key.id, key);
      byHash.set(key.hash, key);
    } catch (error) {
      // Such a token is not accepted. All others must be, at the start too.
      log.error({ err: error, token: row.id }, 'the settings of a token could not be read');
    }
  };
  const forget = (id: number): void => {
    keysByHash.delete(keys.get(id)?.hash ?? '');
    keys.delete(id);
  };
  return {
    get: (id) => keys.get(id),
    getByHash: (hash) => keysByHash.get(hash),
    async load(ids) {
      if (ids !== undefined) {
        const rows = await select()
          .where('id', 'in', ids)
          .execute()
          .finally(() => ids.forEach(forget));
        for (const row of rows) add(row, keys, keysByHash);
        return;
      }
      const [byId, byHash]: [typeof keys, typeof keysByHash] = [new Map(), new Map()];
      for await (const row of readRowsById((after) => select().where('id', '>', after), pageRowsOf(db)))
        add(row, byId, byHash);
      [keys, keysByHash] = [byId, byHash];
    },
  };
}

function createUserStates({ db }: Context): States<UserState> {
  let users = new Map<number, UserState>();
  const select = () => db.writer.selectFrom('user').select(userColumns).select(selectHasSecondFactor);
  const add = (row: UserRow, byId: typeof users): void => {
    const { id, username, status, group_symbol: group, deleted_time } = row;
    if (deleted_time === null)
      byId.set(id, { id, username, enabled: status === 'enabled', group, ...toRoleHolder(row) });
  };
  return {
    get: (id) => users.get(id),
    async load(ids) {
      if (ids !== undefined) {
        const rows = await select()
          .where('id', 'in', ids)
          .execute()
          .finally(() => ids.forEach((id) => users.delete(id)));
        for (const row of rows) add(row, users);
        return;
      }
      const byId: typeof users = new Map();
      for await (const row of readRowsById((after) => select().where('id', '>', after), pageRowsOf(db))) add(row, byId);
      users = byId;
    },
  };
}

function keyState(row: KeyRow): KeyState {
  const { heartbeat, limits, strict_translation } = storedApiKeySetting.parse(JSON.parse(row.setting));
  const { limit_model_setting: models, limits_ip_setting: addresses, budgets } = limits;
  return {
    id: row.id,
    hash: row.key_hash,
    userId: row.user_id,
    name: row.name,
    enabled: row.status === 'enabled',
    isDisabledByStaff: row.status === 'disabled-by-staff',
    expiredTime: row.expired_time,
    limited: row.unlimited_quota === 0,
    budgets: PERIODS.some((period) => budgets[period] !== null) ? budgets : undefined,
    group: row.group_symbol,
    backupGroup: row.backup_group,
    apiRate: row.api_rate,
    ratioMicros: row.ratio_micros,
    canChooseChannel: row.can_choose_channel === 1,
    concurrency: limits.concurrency,
    tokensPerMinute: limits.tokens_per_minute,
    models: models.enabled ? new Set(models.models) : undefined,
    allowsAddress: addresses.enabled ? createAddressMatcher(addresses.whitelist) : undefined,
    heartbeatSeconds: heartbeat.enabled ? heartbeat.timeout_seconds : 0,
    rejectsDroppedFields: strict_translation,
  };
}

async function loadGroups(ctx: Context): Promise<Map<string, GroupState>> {
  const rows = await ctx.db.writer.selectFrom('user_group').selectAll().execute();
  return new Map(
    rows.map((row) => [
      row.symbol,
      {
        symbol: row.symbol,
        enabled: row.enable === 1,
        public: row.public === 1,
        ratioMicros: row.ratio_micros,
        apiRate: row.api_rate,
        order: row.order,
        tokensPerMinute: row.tokens_per_minute,
      },
    ]),
  );
}

function byId(channels: readonly ChannelState[]): ReadonlyMap<number, ChannelState> {
  return new Map(channels.map((channel) => [channel.id, channel]));
}

async function loadChannelStates(ctx: Context, ids?: readonly number[]): Promise<ChannelState[]> {
  const channels = await loadChannels(ctx, ids);
  return channels.map((channel) => ({ ...channel, id: channelId.parse(channel.id), groups: new Set(channel.groups) }));
}

/**
 * Price of unknown models: 30 points per token, 60 USD per million, input and output. High enough that operators
 * notice a missing price, and never free by mistake.
 */
const DEFAULT_RATE = 30_000_000_000;

/** 1 USD per image, 10 cents per tool call, 1 cent per second of audio. */
const DEFAULT_IMAGE_RATE = RATE_OF_USD_PER_UNIT;
const DEFAULT_TOOL_RATE = RATE_OF_USD_PER_UNIT / 10;
const DEFAULT_SECOND_RATE = RATE_OF_USD_PER_UNIT / 100;

/** Version of the price that models without one of their own have. */
export const DEFAULT_PRICE_VERSION = 0;

const defaultPrice: PriceRule = {
  model: '*',
  version: DEFAULT_PRICE_VERSION,
  type: 'tokens',
  rates: rates.parse({
    input: DEFAULT_RATE,
    output: DEFAULT_RATE,
    webSearch: DEFAULT_TOOL_RATE,
    mapsGrounding: DEFAULT_TOOL_RATE,
    codeExecution: DEFAULT_TOOL_RATE,
    fileSearch: DEFAULT_TOOL_RATE,
    image: DEFAULT_IMAGE_RATE,
    second: DEFAULT_SECOND_RATE,
    character: DEFAULT_RATE,
  }),
  image_rates: {},
  tiers: [],
};

const REMEMBERED_MAX = 10_000;

/**
 * Returns a function that prices every model. Results are cached for the life of the price book, until the list
 * changes.
 */
export function createPriceBook(find: (model: string) => PriceRule | undefined): (model: string) => PriceRule {
  const remembered = new Map<string, PriceRule>();
  return (model) => {
    const known = remembered.get(model);
    if (known !== undefined) return known;
    const rule = find(model) ?? defaultPrice;
    if (remembered.size < REMEMBERED_MAX) remembered.set(model, rule);
    return rule;
  };
}
