/**
 * Reads a LiteLLM proxy by its admin API: https://docs.litellm.ai/docs/proxy/management_cli and its OpenAPI
 * description. The proxy stores SHA-256 hashes of its keys, hides the keys of providers, and counts spent dollars
 * against a budget.
 */
import { NANO_POINTS_PER_POINT, RATE_OF_USD_PER_UNIT, type Rates } from '@switchyard/contract/catalog/rates';
import { type Decimal, parseDecimal, roundToUnit } from './decimal.ts';
import type { Installation, SourceKey, SourcePrice, SourceUser } from './installation.ts';
import type { ImportReport } from './report.ts';
import { type Row, readBoolean, readList, readNumber, readObject, readText, readTime } from './row-values.ts';

/** Calls the proxy. @param path with its query */
export type ProxyFetch = (path: string) => Promise<unknown>;

const PAGE = 100;
/** Limit on the pages of a list, in case it never reports its end. */
const PAGES_MAX = 10_000;
const POINTS_OF_USD = BigInt(RATE_OF_USD_PER_UNIT / NANO_POINTS_PER_POINT);
/** User for keys without a user and a team. */
const PROXY_USER = 'proxy';

/** @throws if the proxy does not respond as documented */
export async function readLiteLlm(ask: ProxyFetch, report: ImportReport): Promise<Installation> {
  const users = await readAllPages(ask, '/user/list?', 'users', 'page_size');
  const keys = await readAllPages(
    ask,
    '/key/list?return_full_object=true&include_team_keys=true&sort_by=created_at&sort_order=asc&',
    'keys',
    'size',
  );
  const teams = parseRows(await ask('/team/list'), '/team/list');
  const models = parseRows(readObject(await ask('/model/info'))['data'], '/model/info');
  const ownKeys = keys.flatMap((row) => readKey(row, report) ?? []);
  const named = [...users.map((row) => readUser(row, report)), ...teams.map((row) => readTeam(row, report))];
  const known = new Set(named.map(({ id }) => id));
  const unnamed = [...new Set(ownKeys.map(({ userId }) => userId))].filter((id) => !known.has(id));
  for (const id of unnamed) report.remark('user', 'it is known only from its tokens; has no points', id);
  for (const row of models)
    report.remark('channel', 'to be created by hand: the proxy does not reveal its provider’s key', channelName(row));
  return {
    unknownGroupsServe: true,
    groups: [],
    users: [...named, ...unnamed.map((id) => toSourceUser({ id, name: id }))],
    keys: ownKeys,
    channels: [],
    prices: readPrices(models, report),
    codes: [],
    orders: [],
    options: new Map(),
    async *logs() {},
  };
}

async function readAllPages(ask: ProxyFetch, path: string, field: string, size: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = readObject(await ask(`${path}page=${page}&${size}=${PAGE}`));
    const some = parseRows(answer[field], path);
    rows.push(...some);
    if (some.length === 0 || page >= readNumber(answer['total_pages'], PAGES_MAX)) return rows;
  }
  throw new Error(`${path} has too many pages`);
}

function parseRows(value: unknown, path: string): Row[] {
  if (!Array.isArray(value)) throw new Error(`${path.split('?', 1)[0]} returned no list`);
  return readList(value).map((row) => readObject(row));
}

function toPoints(dollars: Decimal | undefined): bigint {
  return dollars === undefined ? 0n : roundToUnit(dollars, POINTS_OF_USD).whole;
}

/** Returns the remaining budget; undefined if there is none. */
function computeRemaining(row: Row): bigint | undefined {
  const budget = parseDecimal(row['max_budget']);
  return budget === undefined ? undefined : toPoints(budget) - toPoints(parseDecimal(row['spend']));
}

function toSourceUser(known: { id: string; name: string } & Partial<SourceUser>): SourceUser {
  const { name, ...fields } = known;
  return {
    username: name,
    displayName: '',
    email: '',
    passwordHash: '',
    role: 'user',
    enabled: true,
    group: '',
    balance: 0n,
    used: 0n,
    requests: 0n,
    affCode: '',
    inviterId: '',
    identities: [],
    createdTime: 0,
    lastLoginTime: 0,
    lastLoginIp: '',
    ...fields,
  };
}

function readUser(row: Row, report: ImportReport): SourceUser {
  const id = readText(row['user_id']);
  const email = readText(row['user_email']);
  const name = readText(row['user_alias']) || email.split('@', 1)[0] || id;
  return toSourceUser({
    id,
    name,
    email,
    displayName: readText(row['user_alias']),
    role: readText(row['user_role']) === 'proxy_admin' ? 'admin' : 'user',
    ...readMoney(row, name, report),
  });
}

/** Converts a team, which pays and has keys, to a user. */
function readTeam(row: Row, report: ImportReport): SourceUser {
  const id = readText(row['team_id']);
  const alias = readText(row['team_alias']);
  const name = `team-${alias || id}`;
  return toSourceUser({
    id: teamId(id),
    name,
    displayName: alias,
    enabled: !readBoolean(row['blocked'] ?? false),
    ...readMoney(row, name, report),
  });
}

const teamId = (id: string): string => `team:${id}`;

function readMoney(row: Row, name: string, report: ImportReport): Pick<SourceUser, 'balance' | 'used' | 'createdTime'> {
  const left = computeRemaining(row);
  if (left === undefined) report.remark('user', 'has no budget in the source; needs points', name);
  if (readText(row['budget_duration']) !== '')
    report.remark('user', 'its budget resets in the source; the remainder becomes a balance', name);
  if (readList(row['models']).length > 0)
    report.remark('user', 'its model list is not imported; those of its tokens are', name);
  return {
    balance: left ?? 0n,
    used: toPoints(parseDecimal(row['spend'])),
    createdTime: readTime(row['created_at']),
  };
}

const noBudgets = { day: null, week: null, month: null };
const budgetPeriods: Readonly<Record<string, 'day' | 'week' | 'month'>> = {
  '24h': 'day',
  '1d': 'day',
  '7d': 'week',
  '1w': 'week',
  '30d': 'month',
  '1mo': 'month',
};

function readKey(row: Row, report: ImportReport): SourceKey | undefined {
  const sha256 = readText(row['token']).toLowerCase();
  const name = readText(row['key_alias']) || readText(row['key_name']);
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    report.count('key', 'read');
    report.skip('key', 'the proxy does not reveal its hash', name);
    return undefined;
  }
  const left = computeRemaining(row);
  const duration = readText(row['budget_duration']);
  const period = Object.hasOwn(budgetPeriods, duration) ? budgetPeriods[duration] : undefined;
  if (duration !== '' && period === undefined)
    report.remark(
      'key',
      'its budget resets in the source; here it is a quota that does not reset',
      `${name} (${duration})`,
    );
  const user = readText(row['user_id']);
  const team = readText(row['team_id']);
  return {
    // The full hash would be a secret of the other installation.
    id: sha256.slice(0, 16),
    userId: user !== '' ? user : team !== '' ? teamId(team) : PROXY_USER,
    name,
    secret: { sha256 },
    enabled: !readBoolean(row['blocked'] ?? false),
    createdTime: readTime(row['created_at']),
    accessedTime: 0,
    expiredTime: readTime(row['expires']) || -1,
    remaining: period === undefined ? (left ?? 0n) : 0n,
    unlimited: left === undefined || period !== undefined,
    used: toPoints(parseDecimal(row['spend'])),
    group: '',
    backupGroup: '',
    models: readModels(row),
    addresses: undefined,
    heartbeatSeconds: undefined,
    ...(period === undefined || left === undefined
      ? {}
      : {
          budgets: {
            ...noBudgets,
            [period]: readNumber(toPoints(parseDecimal(row['max_budget']))),
          },
        }),
    requestsPerMinute: readNumber(row['rpm_limit']),
    tokensPerMinute: readNumber(row['tpm_limit']),
  };
}

/** Returns the allowed models. Special names stand for all models, or for none. */
function readModels(row: Row): readonly string[] | undefined {
  const models = readList(row['models']).map((name) => readText(name));
  if (models.length === 0 || models.some((name) => /^all-(team|proxy)-models$/.test(name))) return undefined;
  return models.filter((name) => name !== 'no-default-models');
}

function channelName(row: Row): string {
  return `${readText(row['model_name'])} (${readText(readObject(row['litellm_params'])['model'])})`;
}

const priceFields: readonly (readonly [string, keyof Rates])[] = [
  ['cache_read_input_token_cost', 'cachedRead'],
  ['cache_creation_input_token_cost', 'cacheWrite5m'],
  ['cache_creation_input_token_cost_above_1hr', 'cacheWrite1h'],
  ['input_cost_per_audio_token', 'audioInput'],
  ['output_cost_per_audio_token', 'audioOutput'],
  ['output_cost_per_reasoning_token', 'reasoning'],
];

/** Converts prices, in dollars for a token. If a model has several deployments, the first one's are used. */
function readPrices(rows: readonly Row[], report: ImportReport): SourcePrice[] {
  const prices = new Map<string, SourcePrice>();
  for (const row of rows) {
    const model = readText(row['model_name']);
    const info = readObject(row['model_info']);
    const rate = (name: string): number | undefined => {
      const dollars = parseDecimal(info[name]);
      if (dollars === undefined || dollars.digits < 0n) return undefined;
      const { whole, isExact } = roundToUnit(dollars, BigInt(RATE_OF_USD_PER_UNIT));
      if (!isExact) report.remark('price', 'a rate is rounded to a billionth of a point', model);
      return Number(whole);
    };
    const input = rate('input_cost_per_token');
    const output = rate('output_cost_per_token');
    if (prices.has(model) || input === undefined || output === undefined) continue;
    const rates: SourcePrice['rates'] = { input, output };
    for (const [field, name] of priceFields) {
      const part = rate(field);
      if (part !== undefined) rates[name] = part;
    }
    prices.set(model, { model, type: 'tokens', rates });
  }
  return [...prices.values()];
}
