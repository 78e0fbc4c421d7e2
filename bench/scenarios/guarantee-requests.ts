/** A plain request, and one for each guarantee beyond it: each has a separate token in the same product. */
import { createVisitor, signIn, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import {
  type ApiKeySetting,
  apiKeySetting,
  apiKeys,
  createApiKey,
} from '../../packages/contract/src/accounts/api-keys.ts';
import { createUserGroup, type RouteOrder, userGroups } from '../../packages/contract/src/accounts/user-groups.ts';
import { createUser, users } from '../../packages/contract/src/accounts/users.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { toPoints } from '../../packages/contract/src/money.ts';
import type { RouteCall } from '../../packages/contract/src/route.ts';
import type { UsageRecord } from '../../packages/contract/src/usage/usage-records.ts';
import type { SwitchyardTarget } from '../targets/switchyard.ts';
import { COUNTED_MODEL, PROMPT, requestBytes, type Wish } from '../targets/target-and-requests.ts';

export interface GuaranteeRequest {
  what: string;
  token: string;
  request: Buffer;
  sessionAffinity: boolean;
  usageSource: UsageRecord['usage_source'];
}

/** Large enough that nothing is refused. */
const PLENTY = toPoints(100_000_000_000);
/** Maximum of a group; more than a run needs. */
const REQUESTS_PER_MINUTE = 1_000_000;
const TOKENS_PER_MINUTE = 1_000_000_000;
const TOKEN_NAME_MAX = 30;

const orders: readonly RouteOrder[] = ['weight', 'latency', 'cost'];
/** Replaces a plain request's question; about as long. */
const knownConversation = [
  { role: 'user', content: PROMPT.slice(0, PROMPT.length / 2) },
  { role: 'assistant', content: 'Gladly.' },
  { role: 'user', content: PROMPT.slice(PROMPT.length / 2) },
] as const;
const newConversation = [{ role: 'user', content: `Text @@@@@@@@. ${PROMPT}` }] as const;

type TokenSettings = Omit<RouteCall<(typeof apiKeys)['create']>['body'], 'name'>;

interface Asking extends Partial<Pick<GuaranteeRequest, 'sessionAffinity' | 'usageSource'>> {
  owner?: Visitor;
  token?: TokenSettings;
  headers?: Readonly<Record<string, string>>;
  wish?: Wish;
}

/** The first and the last are the same plain one. */
export async function guaranteeRequests(target: SwitchyardTarget): Promise<GuaranteeRequest[]> {
  const { root } = target;
  const make = async (what: string, asking: Asking): Promise<GuaranteeRequest> => {
    const { owner = root, sessionAffinity = true, usageSource = 'reported' } = asking;
    const token = what.slice(0, TOKEN_NAME_MAX).trim();
    const { key } = await owner
      .api(apiKeys)
      .create({ body: createApiKey.parse({ unlimited_quota: true, ...asking.token, name: token }) });
    const headers = { ...asking.headers, authorization: `Bearer ${key}` };
    const request = requestBytes({ port: target.port, headers }, asking.wish);
    return { what, token, request, sessionAffinity, usageSource };
  };
  const askings = { ...tokenLimits(), ...(await choices(root)), ...usageAndPrice() };
  await root.api(prices).create({ body: savePrice.parse({ model: 'bench-free', rates: { input: 0, output: 0 } }) });
  const minuteLimits = {
    owner: await userWithMinuteLimits(target),
    token: limited({ tokens_per_minute: TOKENS_PER_MINUTE }),
  };
  return [
    await make('plain', {}),
    await make('requests and tokens per minute', minuteLimits),
    ...(await Promise.all(Object.entries(askings).map(([what, asking]) => make(what, asking)))),
    await make('plain again', {}),
  ];
}

function tokenLimits(): Record<string, Asking> {
  return {
    "token's quota": { token: { unlimited_quota: false, remain_quota: PLENTY } },
    'budgets per day, week, month': { token: limited({ budgets: { day: PLENTY, week: PLENTY, month: PLENTY } }) },
    concurrency: { token: limited({ concurrency: 100_000 }) },
    'allowed models': {
      token: limited({ limit_model_setting: { enabled: true, models: ['bench-model', 'bench-free'] } }),
    },
    'allowed addresses': {
      token: limited({ limits_ip_setting: { enabled: true, whitelist: ['10.0.0.0/8', '127.0.0.1'] } }),
    },
    'Idempotency-Key, always a new one': { headers: { 'idempotency-key': 'bench-@@@@@@@@' } },
  };
}

function usageAndPrice(): Record<string, Asking> {
  return {
    'no usage reported: estimated': { wish: { model: 'bench-unreported' }, usageSource: 'estimated' },
    'no usage reported: counted': { wish: { model: COUNTED_MODEL }, usageSource: 'counted' },
    'free model': { wish: { model: 'bench-free' } },
  };
}

function limited(limits: Partial<ApiKeySetting['limits']>): TokenSettings {
  const setting = apiKeySetting.parse({
    limits: {
      limit_model_setting: { enabled: false, models: [] },
      limits_ip_setting: { enabled: false, whitelist: [] },
      ...limits,
    },
  });
  return { setting };
}

/** Two equal channels each: their cost and that of session affinity with a choice of channels. */
async function choices(root: Visitor): Promise<Record<string, Asking>> {
  for (const order of orders) {
    await newGroup(root, { symbol: `by-${order}`, order });
    const cost = { ratio: order === 'cost' ? 0.5 : null };
    await copyChannel(root, `by-${order}`, cost);
    await copyChannel(root, `by-${order}`, cost);
  }
  const token = { group: 'by-weight' };
  return {
    ...Object.fromEntries(
      orders.map((order) => [
        `two channels by ${order}, no conversation`,
        { token: { group: `by-${order}` }, sessionAffinity: false },
      ]),
    ),
    'two channels, new conversation': { token, wish: { messages: newConversation } },
    'two channels, known conversation': { token, wish: { messages: knownConversation } },
  };
}

async function newGroup(
  root: Visitor,
  settings: Partial<RouteCall<(typeof userGroups)['create']>['body']>,
): Promise<void> {
  const { symbol } = settings;
  await root
    .api(userGroups)
    .create({ body: createUserGroup.parse({ name: symbol, api_rate: 0, public: true, ...settings }) });
}

/** A channel like the first one, for another group. */
async function copyChannel(root: Visitor, group: string, cost: { ratio: number | null }): Promise<void> {
  const [first] = (await root.api(channels).list({ query: { order: 'id', size: 1 } })).data;
  await root
    .api(channels)
    .create({ body: createChannel.parse({ ...first, name: group, group: [group], cost, key: 'upstream-key' }) });
}

/** A token's limit of requests per minute is too low for a fast machine; a group's is not. */
async function userWithMinuteLimits({ root, port }: SwitchyardTarget): Promise<Visitor> {
  const group = 'minute-limits';
  await newGroup(root, { symbol: group, api_rate: REQUESTS_PER_MINUTE, tpm: TOKENS_PER_MINUTE });
  await copyChannel(root, group, { ratio: null });
  const account = { username: 'limited', password: 'limited-by-minutes' };
  const { id } = await root.api(users).create({ body: createUser.parse({ ...account, group }) });
  await root.api(users).changeQuota({ params: { id }, body: { quota: PLENTY, remark: 'set-up' } });
  const url = `http://127.0.0.1:${port}`;
  return createVisitor(url, await signIn(url, account.username, account.password));
}
