/**
 * Reads a LiteLLM proxy by its admin API: https://docs.litellm.ai/docs/proxy/management_cli and its OpenAPI
 * description. The proxy stores SHA-256 hashes of its keys, hides the keys of providers, and counts spent dollars
 * against a budget.
 */
import { RATE_OF_USD_PER_UNIT, type Rates } from '@switchyard/contract/catalog/rates';
import type { Installation, SourcePrice, SourceUser } from './installation.ts';
import { computeRemaining, dollarsToPoints, rateFields, readLiteLlmKey, teamId } from './litellm-keys.ts';
import type { ImportReport } from './report.ts';
import {
  parseDecimal,
  type Row,
  readBoolean,
  readList,
  readNumber,
  readObject,
  readText,
  readTime,
  roundToUnit,
} from './row-values.ts';

/** Calls the proxy. @param path with its query */
export type ProxyFetch = (path: string) => Promise<unknown>;

/** Order in which new rows do not move others to the next page. */
const OLDEST_FIRST = 'sort_by=created_at&sort_order=asc';
/** Name of the rows' identity in each list. */
const identities = { users: 'user_id', keys: 'token' } as const;
const PAGE = 100;
/** Limit on the pages of a list, in case it never reports its end. */
const PAGES_MAX = 10_000;

/** @throws if the proxy does not respond as documented */
export async function readLiteLlm(ask: ProxyFetch, report: ImportReport): Promise<Installation> {
  const users = await readAllPages(ask, `/user/list?${OLDEST_FIRST}&`, 'users', 'page_size');
  const keys = await readAllPages(
    ask,
    `/key/list?return_full_object=true&include_team_keys=true&${OLDEST_FIRST}&`,
    'keys',
    'size',
  );
  const teams = parseRows(await ask('/team/list'), '/team/list');
  const models = parseRows(readObject(await ask('/model/info'))['data'], '/model/info');
  const owners = new Map([
    ...users.map((row) => [readText(row['user_id']), row] as const),
    ...teams.map((row) => [teamId(readText(row['team_id'])), row] as const),
  ]);
  const ownKeys = keys.flatMap((row) => readLiteLlmKey(row, owners, report) ?? []);
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

/** Reads each row once: a change during the reading may repeat rows on the next page. */
async function readAllPages(
  ask: ProxyFetch,
  path: string,
  field: keyof typeof identities,
  size: string,
): Promise<Row[]> {
  const rows = new Map<unknown, Row>();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = readObject(await ask(`${path}page=${page}&${size}=${PAGE}`));
    const some = parseRows(answer[field], path);
    for (const row of some) rows.set(row[identities[field]] ?? row, row);
    if (some.length === 0 || page >= readNumber(answer['total_pages'], PAGES_MAX)) return [...rows.values()];
  }
  throw new Error(`${path} has too many pages`);
}

function parseRows(value: unknown, path: string): Row[] {
  if (!Array.isArray(value)) throw new Error(`${path.split('?', 1)[0]} returned no list`);
  return readList(value).map((row) => readObject(row));
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

function readMoney(row: Row, name: string, report: ImportReport): Pick<SourceUser, 'balance' | 'used' | 'createdTime'> {
  const left = computeRemaining(row);
  if (left === undefined) report.remark('user', 'has no budget in the source; needs points', name);
  if (readText(row['budget_duration']) !== '')
    report.remark('user', 'its budget resets in the source; the remainder becomes a balance', name);
  if (readList(row['models']).length > 0)
    report.remark('user', 'its model list applies only to its imported tokens', name);
  if (rateFields.some((field) => (row[field] ?? null) !== null))
    report.remark('user', 'its rate limits are not imported; those of its tokens are', name);
  return {
    balance: left ?? 0n,
    used: dollarsToPoints(parseDecimal(row['spend'])),
    createdTime: readTime(row['created_at']),
  };
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
