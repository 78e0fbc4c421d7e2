/**
 * Reads One API and its forks, which share tables with additional columns. Missing columns are absent from the rows,
 * so that one reader fits all; `products` contains the differences in meaning.
 */
import {
  currency as currencySchema,
  getCurrencyDecimals,
} from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { LegacySource } from '../../channels/registry/registry.ts';
import {
  readGroup,
  readGroupOptions,
  readRequestRates,
  reportSpecialRatios,
  reportTopUpRatios,
} from './one-api-family-groups.ts';
import { readKey } from './one-api-family-keys.ts';
import { BILLING_MODES, priceOptions, readPriceOptions, readPriceTable } from './one-api-family-prices.ts';
import type { ImportReport } from './report.ts';
import {
  isDeleted,
  isInvalidJson,
  parseDecimal,
  type Row,
  readBoolean,
  readInteger,
  readMultilineText,
  readNames,
  readNumber,
  readObject,
  readText,
  readTime,
  roundToUnit,
} from './row-values.ts';
import type {
  Installation,
  ProductName,
  SourceChannel,
  SourceCode,
  SourceIdentity,
  SourceLog,
  SourceOrder,
  SourceUser,
} from './source-installation.ts';
import type { SourceTables } from './source-tables.ts';

interface FamilyProduct {
  dialect: LegacySource;
  /** True if groups and prices are tables; otherwise they are options. */
  hasTables: boolean;
  /** Returns whether a user is deleted. */
  isDeleted(row: Row): boolean;
  /** True if a group without a ratio may be used. */
  unknownGroupsServe: boolean;
}

const DELETED_USER = 3n;
const oneHub: FamilyProduct = { dialect: 'one-hub', hasTables: true, isDeleted, unknownGroupsServe: false };
const products: Readonly<Record<ProductName, FamilyProduct>> = {
  'one-hub': oneHub,
  'done-hub': { ...oneHub, dialect: 'done-hub' },
  'one-api': {
    dialect: 'one-api',
    hasTables: false,
    isDeleted: (row) => readInteger(row['status']) === DELETED_USER,
    unknownGroupsServe: true,
  },
  'new-api': { dialect: 'new-api', hasTables: false, isDeleted, unknownGroupsServe: true },
};

/** @throws if the tables do not belong to that product */
export async function readFamily(tables: SourceTables, name: ProductName, report: ImportReport): Promise<Installation> {
  for (const table of ['users', 'tokens', 'channels'])
    if (!tables.has(table)) throw new Error(`The database has no table ${table}: it is not a database of ${name}`);
  const product = products[name];
  if (product.hasTables && !tables.has('user_groups'))
    throw new Error(`The database has no table user_groups: it is not a database of ${name}`);
  const other = detectOtherProduct(tables, name);
  if (other !== undefined) throw new Error(`This is a database of ${other}, not of ${name}`);
  const options = new Map(
    (await tables.all('options')).map((row) => [readText(row['key']), readMultilineText(row['value'])]),
  );
  if (!product.hasTables) {
    reportBrokenOptions(options, report);
    reportSpecialRatios(options, report);
    reportTopUpRatios(options, report);
  }
  const requestRates = readRequestRates(options, report);
  return {
    unknownGroupsServe: product.unknownGroupsServe,
    unknownGroupsRate: requestRates.others,
    options,
    groups: product.hasTables
      ? await readAll(tables, 'user_groups', (row) => readGroup(row, report))
      : readGroupOptions(options, requestRates, report),
    users: await readAll(tables, 'users', (row) =>
      product.isDeleted(row) ? skipDeleted(report, 'user', row) : readUser(row, name, { options, report }),
    ),
    keys: await readAll(tables, 'tokens', (row) =>
      isDeleted(row) ? skipDeleted(report, 'key', row) : readKey(row, report),
    ),
    channels: await readAll(tables, 'channels', (row) =>
      isDeleted(row) ? skipDeleted(report, 'channel', row) : readChannel(row, product.dialect),
    ),
    prices: product.hasTables
      ? readPriceTable(await tables.all('prices'), report)
      : readPriceOptions(options, name, report),
    codes: await readAll(tables, 'redemptions', (row) =>
      isDeleted(row) ? skipDeleted(report, 'code', row) : readCode(row),
    ),
    orders: await readAll(tables, 'orders', (row) =>
      isDeleted(row) ? skipDeleted(report, 'order', row) : readOrder(row),
    ),
    async *logs(since) {
      for await (const rows of tables.pagesSince('logs', 'created_at', since)) yield rows.map(readLog);
    },
  };
}

/**
 * Detects another product by tables and columns that only it creates. Ids of vendors, groups and prices differ
 * between the products, and would be imported wrongly without an error. No fork removes columns, so that a
 * predecessor's columns prove nothing.
 * @returns undefined if the installation may be the named product
 */
function detectOtherProduct(tables: SourceTables, name: ProductName): string | undefined {
  if (products[name].hasTables) return undefined;
  const isNewApi = tables.hasColumn('tokens', 'model_limits_enabled');
  if (isNewApi) return name === 'new-api' ? undefined : 'new-api';
  if (tables.has('user_groups')) return 'one-hub or done-hub';
  return name === 'new-api' && tables.hasColumn('tokens', 'subnet') ? 'one-api' : undefined;
}

async function readAll<T>(tables: SourceTables, table: string, read: (row: Row) => T | undefined): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of tables.pages(table))
    for (const row of rows) {
      const one = read(row);
      if (one !== undefined) all.push(one);
    }
  return all;
}

function skipDeleted(report: ImportReport, kind: 'user' | 'key' | 'channel' | 'code' | 'order', row: Row): undefined {
  report.count(kind, 'read');
  report.skip(kind, 'it was deleted in the source', readText(row['id']));
  return undefined;
}

const groupOptions = [
  'GroupRatio',
  'UserUsableGroups',
  'GroupGroupRatio',
  'TopupGroupRatio',
  'ModelRequestRateLimitGroup',
] as const;

/** Adds a remark for each option that isn't a JSON object, and so has no effect on any group or model. */
function reportBrokenOptions(options: ReadonlyMap<string, string>, report: ImportReport): void {
  for (const name of groupOptions)
    if (isInvalidJson(options.get(name))) report.remark('group', 'the option cannot be read', name);
  for (const name of [...priceOptions, BILLING_MODES])
    if (isInvalidJson(options.get(name))) report.remark('price', 'the option cannot be read', name);
}

const roles = new Map<bigint, SourceUser['role']>([
  [3n, 'staff'],
  [10n, 'admin'],
  [100n, 'root'],
]);

function readUser(
  row: Row,
  product: ProductName,
  { options, report }: { options: ReadonlyMap<string, string>; report: ImportReport },
): SourceUser {
  const id = readText(row['id']);
  const username = readText(row['username']);
  const balance = readInteger(row['quota'] ?? 0n);
  if (balance === undefined) report.remark('user', 'the balance is not a number and is replaced by 0', id);
  const invitationCredit = product === 'new-api' ? readInvitationCredit(row) : 0n;
  if (invitationCredit > 0n)
    report.remark(
      'user',
      'the credit for invitations that was not transferred yet is added to the balance',
      `${username} (${invitationCredit} points)`,
    );
  return {
    id,
    username,
    displayName: readText(row['display_name']),
    email: readText(row['email']),
    passwordHash: readText(row['password']),
    role: roles.get(readInteger(row['role']) ?? 1n) ?? 'user',
    enabled: readInteger(row['status']) === 1n,
    group: readText(row['group']),
    balance: (balance ?? 0n) + invitationCredit,
    used: readInteger(row['used_quota']) ?? 0n,
    requests: readInteger(row['request_count']) ?? 0n,
    affCode: readText(row['aff_code']),
    inviterId: readText(row['inviter_id']),
    identities: readFamilyIdentities(row, product, options),
    createdTime: readTime(row['created_time'] ?? row['created_at']),
    lastLoginTime: readTime(row['last_login_time'] ?? row['last_login_at']),
    lastLoginIp: readText(row['last_login_ip']),
  };
}

/**
 * Returns the points that New API credited for invitations and that the user can transfer to the balance at any time,
 * by `TransferAffQuotaToQuota`: https://github.com/QuantumNous/new-api/blob/main/model/user.go
 */
function readInvitationCredit(row: Row): bigint {
  const credit = readInteger(row['aff_quota']) ?? 0n;
  return credit > 0n ? credit : 0n;
}

/** Columns that the reader of channels compares with numbers. */
const numericChannelColumns = new Set(['type', 'status', 'weight', 'priority', 'pre_cost']);

function readChannel(row: Row, dialect: LegacySource): SourceChannel {
  const entries = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || value === undefined) return [];
    if (numericChannelColumns.has(name)) return [[name, readNumber(value)]];
    if (name === 'only_chat') return [[name, readBoolean(value)]];
    if (typeof value === 'string' || value instanceof Uint8Array) return [[name, readMultilineText(value)]];
    return [[name, typeof value === 'bigint' ? readNumber(value) : value]];
  });
  const groups = readNames(row['group']);
  return {
    id: readText(row['id']),
    dialect,
    row: Object.fromEntries(entries),
    groups: groups.length === 0 ? ['default'] : groups,
  };
}

const codeStates = new Map<bigint, SourceCode['status']>([
  [1n, 'enabled'],
  [3n, 'used'],
]);

function readCode(row: Row): SourceCode {
  return {
    id: readText(row['id']),
    text: readText(row['key']),
    name: readText(row['name']),
    quota: readInteger(row['quota']) ?? 0n,
    status: codeStates.get(readInteger(row['status']) ?? 0n) ?? 'disabled',
    createdBy: readText(row['user_id']),
    createdTime: readTime(row['created_time']),
    redeemedTime: readTime(row['redeemed_time']),
    redeemedBy: readText(row['used_user_id'] ?? ''),
    expiresTime: readTime(row['expired_time'] ?? 0),
  };
}

/** Converts an order. Unpaid orders of the source can't be paid here. */
function readOrder(row: Row): SourceOrder {
  const status = readText(row['status']);
  const currency = readText(row['order_currency']);
  const known = currencySchema.safeParse(currency).data;
  const coins = 10n ** BigInt(known === undefined ? 2 : getCurrencyDecimals(known));
  return {
    id: readText(row['id']),
    userId: readText(row['user_id']),
    tradeNo: readText(row['trade_no']),
    gatewayNo: readText(row['gateway_no']),
    status: status === 'success' || status === 'failed' ? status : 'closed',
    amountUsd: readInteger(row['amount']) ?? 0n,
    quota: readInteger(row['quota']) ?? 0n,
    currency,
    orderAmount: roundToUnit(parseDecimal(row['order_amount']) ?? { digits: 0n, scale: 0 }, coins).whole,
    createdTime: readTime(row['created_at']),
  };
}

const recordTypes = new Map<bigint, SourceLog['type']>([
  [1n, 'top-up'],
  [2n, 'consume'],
  [3n, 'manage'],
  [5n, 'error'],
]);

function readLog(row: Row): SourceLog {
  const metadata = readObject(row['metadata']);
  const seconds = readInteger(row['use_time']);
  return {
    id: readText(row['id']),
    userId: readText(row['user_id']),
    keyId: readText(row['token_id'] ?? ''),
    channelId: readText(row['channel_id'] ?? row['channel'] ?? ''),
    type: recordTypes.get(readInteger(row['type']) ?? 0n) ?? 'system',
    createdTime: readTime(row['created_at']),
    model: readText(row['model_name']),
    group: readText(row['group'] ?? metadata['group_name'] ?? ''),
    quota: readInteger(row['quota']) ?? 0n,
    promptTokens: readInteger(row['prompt_tokens']) ?? 0n,
    completionTokens: readInteger(row['completion_tokens']) ?? 0n,
    durationMs:
      seconds === undefined ? (readInteger(row['request_time'] ?? row['elapsed_time']) ?? 0n) : seconds * 1_000n,
    isStream: readBoolean(row['is_stream'] ?? false),
    address: readText(row['source_ip'] ?? row['ip'] ?? ''),
    content: readText(row['content']),
  };
}

/**
 * Reads third-party accounts whose owner is certain from the row and the settings. Skipped are GitHub names, which
 * others can take over; Lark's ids, whose app is unknown; and mail addresses.
 */

const WELL_KNOWN = '/.well-known/openid-configuration';

function readFamilyIdentities(row: Row, product: ProductName, options: ReadonlyMap<string, string>): SourceIdentity[] {
  const found: SourceIdentity[] = [];
  const add = (provider: SourceIdentity['provider'], issuer: string, subject: string): void => {
    if (issuer !== '' && subject !== '' && subject.length <= 255) found.push({ provider, issuer, subject });
  };
  add('github', 'https://github.com', readPositiveId(row['github_id_new']));
  add('telegram', 'https://telegram.org', readPositiveId(row['telegram_id']));
  add('wechat', readText(options.get('WeChatServerAddress')).replace(/\/+$/, ''), readText(row['wechat_id']));
  add('oidc', resolveIssuer(product, options), readText(row['oidc_id']));
  return found;
}

/** Returns the issuer as in its tokens: One Hub checks it, and New API has the address that begins with it. */
function resolveIssuer(product: ProductName, options: ReadonlyMap<string, string>): string {
  if (product === 'one-api') return '';
  if (product !== 'new-api') return readText(options.get('OIDCIssuer'));
  const address = readText(options.get('oidc.well_known'));
  return address.endsWith(WELL_KNOWN) ? address.slice(0, -WELL_KNOWN.length) : '';
}

function readPositiveId(value: unknown): string {
  const whole = readInteger(value) ?? 0n;
  return whole > 0n ? String(whole) : '';
}
