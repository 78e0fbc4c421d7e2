/**
 * One API and what was made of it: one set of tables with a column more here and a table more there. What a product does
 * not have is absent from its rows, so that all are read alike; what they mean differently stands in `products`.
 */
import { currency as currencySchema, getCurrencyDecimals } from '@switchyard/contract/billing/top-up-cost';
import type { Incumbent } from '../../channels/registry/registry.ts';
import { decimalIn, ONE, wholeOf } from './decimal.ts';
import { familyIdentities } from './family-identities.ts';
import { keyOf } from './family-keys.ts';
import { priceOptions, pricesInOptions, pricesInTable } from './family-prices.ts';
import type {
  Installation,
  SourceChannel,
  SourceCode,
  SourceGroup,
  SourceLog,
  SourceOrder,
  SourceUser,
} from './installation.ts';
import type { ProductName } from './product-names.ts';
import type { Report } from './report.ts';
import {
  isBroken,
  isDeleted,
  isTrue,
  linesIn,
  momentIn,
  namesIn,
  numberIn,
  objectIn,
  type Row,
  textIn,
  wholeIn,
} from './row-values.ts';
import type { SourceTables } from './source-tables.ts';

interface Product {
  dialect: Incumbent;
  /** Groups and prices are tables; elsewhere they are options. */
  hasTables: boolean;
  /** Returns whether a user is deleted. */
  isGone(row: Row): boolean;
  /** True if a group without a ratio of its own is served. */
  unknownGroupsServe: boolean;
}

const DELETED_USER = 3n;
const oneHub: Product = {
  dialect: 'one-hub',
  hasTables: true,
  isGone: isDeleted,
  unknownGroupsServe: false,
};
const products: Readonly<Record<ProductName, Product>> = {
  'one-hub': oneHub,
  'done-hub': { ...oneHub, dialect: 'done-hub' },
  'one-api': {
    dialect: 'one-api',
    hasTables: false,
    isGone: (row) => wholeIn(row['status']) === DELETED_USER,
    unknownGroupsServe: true,
  },
  'new-api': { dialect: 'new-api', hasTables: false, isGone: isDeleted, unknownGroupsServe: true },
};

const MICROS = 1_000_000n;

/** @throws when these are no tables of that product */
export async function readFamily(
  tables: SourceTables,
  name: ProductName,
  report: Report,
): Promise<Installation> {
  for (const table of ['users', 'tokens', 'channels'])
    if (!tables.has(table))
      throw new Error(`The database has no table ${table}: it is not a database of ${name}`);
  const product = products[name];
  if (product.hasTables && !tables.has('user_groups'))
    throw new Error(`The database has no table user_groups: it is not a database of ${name}`);
  const other = otherProduct(tables, name);
  if (other !== undefined) throw new Error(`This is a database of ${other}, not of ${name}`);
  const options = new Map(
    (await tables.all('options')).map((row) => [textIn(row['key']), linesIn(row['value'])]),
  );
  if (!product.hasTables) remarkBroken(options, report);
  return {
    unknownGroupsServe: product.unknownGroupsServe,
    options,
    groups: product.hasTables
      ? await readAll(tables, 'user_groups', (row) => groupOf(row, report))
      : groupsInOptions(options, report),
    users: await readAll(tables, 'users', (row) =>
      product.isGone(row) ? gone(report, 'user', row) : userOf(row, name, { options, report }),
    ),
    keys: await readAll(tables, 'tokens', (row) =>
      isDeleted(row) ? gone(report, 'key', row) : keyOf(row, report),
    ),
    channels: await readAll(tables, 'channels', (row) =>
      isDeleted(row) ? gone(report, 'channel', row) : channelOf(row, product.dialect),
    ),
    prices: product.hasTables
      ? pricesInTable(await tables.all('prices'), report)
      : pricesInOptions(options, report),
    codes: await readAll(tables, 'redemptions', (row) =>
      isDeleted(row) ? gone(report, 'code', row) : codeOf(row),
    ),
    orders: await readAll(tables, 'orders', (row) =>
      isDeleted(row) ? gone(report, 'order', row) : orderOf(row),
    ),
    async *logs(since) {
      for await (const rows of tables.pagesSince('logs', 'created_at', since)) yield rows.map(logOf);
    },
  };
}

/**
 * Detects another product by tables and columns that only it creates. Ids of vendors, groups and prices differ between
 * the products, and would be imported wrongly without an error. None of them drops a column, so that a predecessor's
 * columns prove nothing.
 * @returns undefined when the installation may be the named product
 */
function otherProduct(tables: SourceTables, name: ProductName): string | undefined {
  if (products[name].hasTables) return undefined;
  const isNewApi = tables.hasColumn('tokens', 'model_limits_enabled');
  if (isNewApi) return name === 'new-api' ? undefined : 'new-api';
  if (tables.has('user_groups')) return 'one-hub or done-hub';
  return name === 'new-api' && tables.hasColumn('tokens', 'subnet') ? 'one-api' : undefined;
}

async function readAll<T>(
  tables: SourceTables,
  table: string,
  read: (row: Row) => T | undefined,
): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of tables.pages(table))
    for (const row of rows) {
      const one = read(row);
      if (one !== undefined) all.push(one);
    }
  return all;
}

function gone(report: Report, kind: 'user' | 'key' | 'channel' | 'code' | 'order', row: Row): undefined {
  report.count(kind, 'read');
  report.skip(kind, 'it was deleted in the source', textIn(row['id']));
  return undefined;
}

/** Millionths; what no ratio can be is one, as a missing ratio is there. */
function ratioOf(value: unknown, which: string, report: Report): number {
  const decimal = decimalIn(value);
  const { whole, isExact } = wholeOf(decimal ?? ONE, MICROS);
  const isUsable = decimal !== undefined && whole >= 0n && whole <= 1_000n * MICROS;
  if (!isUsable || !isExact)
    report.remark('group', 'the ratio is rounded or replaced by 1', `${which} (${textIn(value)})`);
  return isUsable ? Number(whole) : Number(MICROS);
}

function groupOf(row: Row, report: Report): SourceGroup {
  const symbol = textIn(row['symbol']);
  return {
    symbol,
    name: textIn(row['name']) || symbol,
    ratioMicros: ratioOf(row['ratio'] ?? '1', symbol, report),
    apiRate: numberIn(row['api_rate'], 600),
    isPublic: isTrue(row['public']),
    enabled: isTrue(row['enable'] ?? true),
    promotion: isTrue(row['promotion'] ?? false),
    minUsd: numberIn(row['min']),
    maxUsd: numberIn(row['max']),
  };
}

/** Adds a remark for each option that isn't a JSON object and so sets nothing for any group or model. */
function remarkBroken(options: ReadonlyMap<string, string>, report: Report): void {
  for (const name of ['GroupRatio', 'UserUsableGroups'])
    if (isBroken(options.get(name))) report.remark('group', 'the option cannot be read', name);
  for (const name of priceOptions)
    if (isBroken(options.get(name))) report.remark('price', 'the option cannot be read', name);
}

function groupsInOptions(options: ReadonlyMap<string, string>, report: Report): SourceGroup[] {
  const ratios = new Map(Object.entries(objectIn(options.get('GroupRatio') ?? '')));
  const usable = new Map(Object.entries(objectIn(options.get('UserUsableGroups') ?? '')));
  return [...new Set([...ratios.keys(), ...usable.keys()])].map((symbol) => ({
    symbol,
    name: textIn(usable.get(symbol)) || symbol,
    ratioMicros: ratioOf(ratios.get(symbol) ?? '1', symbol, report),
    apiRate: 0,
    isPublic: usable.has(symbol),
    enabled: true,
    promotion: false,
    minUsd: 0,
    maxUsd: 0,
  }));
}

const roles = new Map<bigint, SourceUser['role']>([
  [3n, 'staff'],
  [10n, 'admin'],
  [100n, 'root'],
]);

function userOf(
  row: Row,
  product: ProductName,
  { options, report }: { options: ReadonlyMap<string, string>; report: Report },
): SourceUser {
  const id = textIn(row['id']);
  const balance = wholeIn(row['quota'] ?? 0n);
  if (balance === undefined) report.remark('user', 'the balance is not a number and is replaced by 0', id);
  return {
    id,
    username: textIn(row['username']),
    displayName: textIn(row['display_name']),
    email: textIn(row['email']),
    passwordHash: textIn(row['password']),
    role: roles.get(wholeIn(row['role']) ?? 1n) ?? 'user',
    enabled: wholeIn(row['status']) === 1n,
    group: textIn(row['group']),
    balance: balance ?? 0n,
    used: wholeIn(row['used_quota']) ?? 0n,
    requests: wholeIn(row['request_count']) ?? 0n,
    affCode: textIn(row['aff_code']),
    inviterId: textIn(row['inviter_id']),
    identities: familyIdentities(row, product, options),
    createdTime: momentIn(row['created_time'] ?? row['created_at']),
    lastLoginTime: momentIn(row['last_login_time'] ?? row['last_login_at']),
    lastLoginIp: textIn(row['last_login_ip']),
  };
}

/** Columns that the reader of channels compares with numbers. */
const numbersOfChannels = new Set(['type', 'status', 'weight', 'priority', 'pre_cost']);

function channelOf(row: Row, dialect: Incumbent): SourceChannel {
  const entries = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || value === undefined) return [];
    if (numbersOfChannels.has(name)) return [[name, numberIn(value)]];
    if (name === 'only_chat') return [[name, isTrue(value)]];
    if (typeof value === 'string' || value instanceof Uint8Array) return [[name, linesIn(value)]];
    return [[name, typeof value === 'bigint' ? numberIn(value) : value]];
  });
  const groups = namesIn(row['group']);
  return {
    id: textIn(row['id']),
    dialect,
    row: Object.fromEntries(entries),
    groups: groups.length === 0 ? ['default'] : groups,
  };
}

const codeStates = new Map<bigint, SourceCode['status']>([
  [1n, 'enabled'],
  [3n, 'used'],
]);

function codeOf(row: Row): SourceCode {
  return {
    id: textIn(row['id']),
    text: textIn(row['key']),
    name: textIn(row['name']),
    quota: wholeIn(row['quota']) ?? 0n,
    status: codeStates.get(wholeIn(row['status']) ?? 0n) ?? 'disabled',
    createdBy: textIn(row['user_id']),
    createdTime: momentIn(row['created_time']),
    redeemedTime: momentIn(row['redeemed_time']),
    redeemedBy: textIn(row['used_user_id'] ?? ''),
    expiresTime: momentIn(row['expired_time'] ?? 0),
  };
}

/** Converts an order. Orders that were unpaid there can't be paid here. */
function orderOf(row: Row): SourceOrder {
  const status = textIn(row['status']);
  const currency = textIn(row['order_currency']);
  const known = currencySchema.safeParse(currency).data;
  const coins = 10n ** BigInt(known === undefined ? 2 : getCurrencyDecimals(known));
  return {
    id: textIn(row['id']),
    userId: textIn(row['user_id']),
    tradeNo: textIn(row['trade_no']),
    gatewayNo: textIn(row['gateway_no']),
    status: status === 'success' || status === 'failed' ? status : 'closed',
    amountUsd: wholeIn(row['amount']) ?? 0n,
    quota: wholeIn(row['quota']) ?? 0n,
    currency,
    orderAmount: wholeOf(decimalIn(row['order_amount']) ?? { digits: 0n, scale: 0 }, coins).whole,
    createdTime: momentIn(row['created_at']),
  };
}

const recordTypes = new Map<bigint, SourceLog['type']>([
  [1n, 'top-up'],
  [2n, 'consume'],
  [3n, 'manage'],
  [5n, 'error'],
]);

function logOf(row: Row): SourceLog {
  const metadata = objectIn(row['metadata']);
  const seconds = wholeIn(row['use_time']);
  return {
    id: textIn(row['id']),
    userId: textIn(row['user_id']),
    keyId: textIn(row['token_id'] ?? ''),
    channelId: textIn(row['channel_id'] ?? row['channel'] ?? ''),
    type: recordTypes.get(wholeIn(row['type']) ?? 0n) ?? 'system',
    createdTime: momentIn(row['created_at']),
    model: textIn(row['model_name']),
    group: textIn(row['group'] ?? metadata['group_name'] ?? ''),
    quota: wholeIn(row['quota']) ?? 0n,
    promptTokens: wholeIn(row['prompt_tokens']) ?? 0n,
    completionTokens: wholeIn(row['completion_tokens']) ?? 0n,
    durationMs:
      seconds === undefined ? (wholeIn(row['request_time'] ?? row['elapsed_time']) ?? 0n) : seconds * 1_000n,
    isStream: isTrue(row['is_stream'] ?? false),
    address: textIn(row['source_ip'] ?? row['ip'] ?? ''),
    content: textIn(row['content']),
  };
}
