/**
 * Reads a LiteLLM proxy by its admin API: https://docs.litellm.ai/docs/proxy/management_cli and its OpenAPI
 * description. The proxy stores SHA-256 hashes of its keys, hides the keys of providers, and counts spent dollars
 * against a budget.
 */
import { RATE_OF_USD_PER_UNIT, type Rates, type TokenRates } from '@switchyard/contract/catalog/price-rates';
import { BytePieces } from '@switchyard/relay/byte-pieces';
import { parseJson } from '@switchyard/relay/json';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import {
  computeRemaining,
  dollarsToPoints,
  rateFields,
  readLiteLlmKey,
  reportOrganization,
  teamId,
} from './litellm-keys.ts';
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
import type { Installation, SourcePrice, SourceTier, SourceUser } from './source-installation.ts';

/** Calls the proxy. @param path with its query */
export type ProxyFetch = (path: string) => Promise<unknown>;

const REQUEST_TIMEOUT_MS = 60_000;
/** Maximum bytes of a response. Lists of teams and models have no pages. */
const RESPONSE_MAX_BYTES = 128 * 1024 * 1024;

/** Returns a function that calls the admin API of a proxy with its master key. */
export function createProxyFetch(outbound: Outbound, address: string, masterKey: string): ProxyFetch {
  return async (path) => {
    const named = path.split('?', 1)[0];
    const { status, body } = await outbound.open({
      method: 'GET',
      url: `${address.replace(/\/+$/, '')}${path}`,
      headers: { authorization: `Bearer ${masterKey}`, accept: 'application/json' },
      proxy: '',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const held = new BytePieces();
    for await (const part of body) {
      held.push(part);
      if (held.length > RESPONSE_MAX_BYTES) throw new Error(`The proxy's response to ${named} is too long`);
    }
    if (status !== 200) throw new Error(`The proxy returned status ${status} for ${named}`);
    return parseJson(held.whole().toString('utf8'));
  };
}

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
    unknownGroupsRate: 0,
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
  reportMemberLimits(row, name, report);
  reportOrganization('user', row['organization_id'], name, report);
  return toSourceUser({
    id: teamId(id),
    name,
    displayName: alias,
    enabled: !readBoolean(row['blocked'] ?? false),
    ...readMoney(row, name, report),
  });
}

/**
 * Adds a remark for each limit of a team's members, who spend the team's budget up to one of their own:
 * https://docs.litellm.ai/docs/proxy/team_budgets
 */
function reportMemberLimits(row: Row, team: string, report: ImportReport): void {
  const hasValue = (value: unknown): boolean => (value ?? null) !== null;
  for (const member of readList(row['team_memberships']).map((one) => readObject(one)))
    if (hasValue(member['budget_id']) || hasValue(member['litellm_budget_table']))
      report.remark(
        'user',
        'the limits of a member within the team are not imported; set them on the member’s tokens',
        `${readText(member['user_id'])} in ${team}`,
      );
  if (hasValue(readObject(row['metadata'])['team_member_budget_id']))
    report.remark('user', 'the limits of each member within the team are not imported; set them on the tokens', team);
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

/** Prices of a token. A price for long prompts has the same name with a suffix. */
const tokenFields = new Map<string, keyof TokenRates>([
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['cache_read_input_token_cost', 'cachedRead'],
  ['cache_read_input_audio_token_cost', 'cachedAudioInput'],
  ['cache_read_input_image_token_cost', 'cachedImageInput'],
  ['cache_creation_input_token_cost', 'cacheWrite5m'],
  ['cache_creation_input_token_cost_above_1hr', 'cacheWrite1h'],
  ['input_cost_per_audio_token', 'audioInput'],
  ['output_cost_per_audio_token', 'audioOutput'],
  ['input_cost_per_image_token', 'imageInput'],
  ['output_cost_per_image_token', 'imageOutput'],
  ['output_cost_per_reasoning_token', 'reasoning'],
]);
/** Prices of other units, which apply to models without a price of tokens: many have both, for the same calls. */
const unitFields = new Map<string, Exclude<keyof Rates, keyof TokenRates>>([
  ['output_cost_per_image', 'image'],
  ['input_cost_per_second', 'second'],
  ['input_cost_per_character', 'character'],
  ['input_cost_per_query', 'search'],
]);
const LONG_CONTEXT = /^(.+)_above_(\d{1,7})(k?)_tokens$/;

type PriceField = readonly [name: string, value: unknown];

/**
 * Converts prices, in dollars for a unit: https://docs.litellm.ai/docs/proxy/model_cost_map. If a model has several
 * deployments, the first one with a price is used.
 */
function readPrices(rows: readonly Row[], report: ImportReport): SourcePrice[] {
  const deployments = Map.groupBy(rows, (row) => readText(row['model_name']));
  return [...deployments].flatMap(([model, some]): SourcePrice[] => {
    const priced = some.map(listPriceFields).filter((fields) => fields.some(isSupported));
    const [first] = priced;
    if (first === undefined) {
      report.count('price', 'read');
      report.skip('price', 'its deployments have no price that is supported; set one by hand', model);
      return [];
    }
    if (new Set(priced.map((fields) => JSON.stringify(fields))).size > 1)
      report.remark('price', 'its deployments have different prices; those of the first one are used', model);
    return [readPrice(model, first, report)];
  });
}

/**
 * Lists the fields of a deployment that have a price, by name. Its own prices take precedence over those of the
 * model: https://docs.litellm.ai/docs/proxy/custom_model_cost_map
 */
function listPriceFields(row: Row): PriceField[] {
  const fields = { ...pickPrices(row['model_info']), ...pickPrices(row['litellm_params']) };
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function pickPrices(value: unknown): Row {
  const fields = Object.entries(readObject(value));
  return Object.fromEntries(fields.filter(([name, price]) => /cost|pricing/.test(name) && (price ?? null) !== null));
}

function isSupported([name, value]: PriceField): boolean {
  const dollars = parseDecimal(value);
  return (tokenFields.has(name) || unitFields.has(name)) && dollars !== undefined && dollars.digits >= 0n;
}

/** Converts the price of a deployment, and adds a remark for each part that cannot be imported. */
function readPrice(model: string, fields: readonly PriceField[], report: ImportReport): SourcePrice {
  if (!fields.some(([, value]) => hasPrice(value)))
    report.remark('price', 'it is free in the source; check the price', model);
  const isByToken = fields.some(([name, value]) => tokenFields.has(name) && hasPrice(value));
  /** Rates by the number of prompt tokens above which they apply. */
  const tokens = new Map<number, Partial<TokenRates>>();
  const units: Partial<Rates> = {};
  for (const [name, value] of fields) {
    const dollars = parseDecimal(value);
    const token = parseTokenField(name);
    const unit = isByToken ? undefined : unitFields.get(name);
    if (dollars === undefined || dollars.digits < 0n || (token === undefined && unit === undefined)) {
      if (hasPrice(value))
        report.remark('price', `the field ${name.slice(0, 60)} is not supported; check the price`, model);
      continue;
    }
    const { whole, isExact } = roundToUnit(dollars, BigInt(RATE_OF_USD_PER_UNIT));
    if (!isExact) report.remark('price', 'a rate is rounded to a billionth of a point', model);
    if (unit !== undefined) units[unit] = Number(whole);
    if (token === undefined) continue;
    const rates: Partial<TokenRates> = tokens.get(token.above) ?? {};
    rates[token.rate] = Number(whole);
    tokens.set(token.above, rates);
  }
  const base = { input: 0, output: 0, ...tokens.get(0) };
  tokens.delete(0);
  return { model, type: 'tokens', rates: { ...base, ...units }, tiers: buildTiers(base, tokens) };
}

/**
 * Returns the tiers of a price, lowest first. A tier without its own input price never applies, and a rate that the
 * tier doesn't set is that of short prompts, as in `_get_token_base_cost`:
 * https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/llm_cost_calc/utils.py
 */
function buildTiers(base: SourceTier['rates'], tokens: ReadonlyMap<number, Partial<TokenRates>>): SourceTier[] {
  const tiers = [...tokens].flatMap(([above, rates]) =>
    rates.input === undefined ? [] : [{ above, rates: { ...base, ...rates } }],
  );
  return tiers.toSorted((a, b) => a.above - b.above);
}

/** Parses the name of a token's price. `above` is the number of prompt tokens above which it applies; 0: always. */
function parseTokenField(name: string): { rate: keyof TokenRates; above: number } | undefined {
  const [, field = name, count = '0', thousand = ''] = LONG_CONTEXT.exec(name) ?? [];
  const rate = tokenFields.get(field);
  return rate === undefined ? undefined : { rate, above: Number(count) * (thousand === '' ? 1 : 1_000) };
}

/** Returns whether a field has a price, so that its loss would change what calls cost. */
function hasPrice(value: unknown): boolean {
  const dollars = parseDecimal(value);
  if (dollars !== undefined) return dollars.digits !== 0n;
  return readText(value) !== '' || readList(value).length > 0 || Object.keys(readObject(value)).length > 0;
}
