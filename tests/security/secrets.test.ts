/** Responses never contain secrets, reads change nothing, and other users' objects appear not to exist. */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { features } from '@switchyard/contract/all-feature-routes';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { channels } from '@switchyard/contract/channels/channels';
import { pointsAmount } from '@switchyard/contract/money';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { notifications } from '@switchyard/contract/operations/notifications';
import { isSecret, settingDefinitions, settingNames, settings } from '@switchyard/contract/operations/settings';
import { playground } from '@switchyard/contract/playground/playground';
import type { Route, Routes } from '@switchyard/contract/route';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { expect, test } from 'vitest';
import type { Context } from '../../apps/server/src/context.ts';
import { digestTables } from '../../apps/server/src/testing/any-table.ts';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import { sampleContent } from '../../apps/server/src/testing/sample-conversation.ts';
import { useTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createVisitor, type Visitor } from '../../apps/server/src/testing/visitor.ts';

// The clock is stopped, so that no session's "last seen" changes.
const app = await useTestApp({ now: Date.UTC(2026, 0, 10, 12), config: { publicUrl: 'https://gate.example' } });
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const owner = await app.createUser('user');
const stranger = await app.createUser('user');

const PASSKEY = 77;
const canaries = {
  channelKey: 'sk-canary-channel-key-0123456789',
  header: 'canary-header-value-0123456789',
  proxyPassword: 'canary-proxy-password',
  processorKey: 'canary-processor-key-0123456789',
  destinationPath: 'canary-destination-path-0123456789',
  webhook: 'canary-webhook-secret-0123456789',
};
const [channel] = await root
  .api(channels)
  .create({
    body: {
      name: 'canary',
      type: 8,
      base_url: 'http://127.0.0.1:9',
      models: ['gpt-4o'],
      key: canaries.channelKey,
      model_headers: { 'x-canary': canaries.header },
      proxy: `http://user:${canaries.proxyPassword}@127.0.0.1:9`,
    },
  });
const secretSettings = settingNames
  .filter(isSecret)
  .map((name) => ({ key: settingDefinitions[name].option, value: `canary-setting-${name}-0123456789` }));
await root.api(settings).updateMany({ body: secretSettings });
const provider = await root
  .api(paymentProviders)
  .create({
    body: {
      type: 'epay',
      name: 'canary',
      currency: 'CNY',
      config: { pay_domain: 'http://127.0.0.1:9', partner_id: '1', key: canaries.processorKey },
    },
  });
const destination = await root
  .api(notifications)
  .create({
    body: {
      type: 'slack',
      name: 'canary',
      events: [],
      enabled: true,
      config: { address: `https://hooks.example/${canaries.destinationPath}` },
    },
  });
const rule = await root
  .api(contentSafety)
  .create({
    body: safetyRuleForm.parse({
      name: 'canary',
      kind: 'webhook',
      action: 'flag',
      url: 'http://127.0.0.1:9/',
      secret: canaries.webhook,
    }),
  });
const [code = ''] = await root.api(redemptionCodes).create({ body: { name: 'canary', quota: pointsAmount.parse(5) } });
const { trade_no: tradeNo } = await owner.api(orders).create({ body: { uuid: provider.uuid, amount: 1 } });
const key = await owner.api(apiKeys).create({ body: { name: 'canary' } });
const token = await owner.api(accessTokens).replace();
const [ownToken] = await owner.api(accessTokens).list();
await insertUsageRecords(app.ctx, owner.id, [
  { request_id: 'canary-call', api_key_id: key.id, channel_id: channel?.id ?? null },
]);
const [record] = (await owner.api(usageRecords).listOwn()).data;
await app.ctx.db.writer
  .insertInto('passkey')
  .values({
    id: PASSKEY,
    user_id: owner.id,
    credential_id: 'canary',
    public_key: 'canary',
    counter: 0,
    transports: '[]',
    rp_id: 'localhost',
    alias: 'canary',
    created_time: 1,
    last_used_time: 0,
  })
  .execute();
const { id: conversation } = await owner
  .api(playground)
  .createConversation({ body: { title: 'canary', content: sampleContent('canary') } });
const [session] = await owner.api(profile).listSessions();

/** Real ids for the parameters of each feature's routes; a missing one fails the walk. */
const ids: Readonly<Record<string, string | number | undefined>> = {
  accessTokens: ownToken?.id,
  alerts: destination.id,
  // A missing view returns the same as another user's.
  analytics: 1,
  apiKeys: key.id,
  // A missing list returns the same as another user's.
  catalogue: 1,
  channels: channel?.id,
  channelKeys: channel?.id,
  channelTests: channel?.id,
  contentSafety: rule.id,
  dashboard: owner.id,
  modelDetails: 'gpt-4o',
  modelOwners: 1,
  orders: 1,
  passkeys: PASSKEY,
  playground: 'canary-call',
  prices: 'gpt-4o',
  processors: provider.id,
  profile: session?.id,
  redemptionCodes: 1,
  telegram: 1,
  usageRecords: record?.id,
  userGroups: 1,
  userDetails: owner.id,
  users: owner.id,
};

const routes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes).map(([name, route]) => ({ feature, name: `${feature}.${name}`, route })),
);
/** A GET of the public API that changes something is no read. */
const reads = routes.filter(({ route }) => route.method === 'GET' && route.sameOrigin !== true);

/** Object of the owner that a route refers to. */
function idFor(feature: string, route: Route) {
  if (route.path.includes(':trade_no')) return tradeNo;
  return route.path.includes('/conversations/') ? conversation : ids[feature];
}

function pathOf(route: Route, id: string | number | undefined): string {
  if (!route.path.includes(':')) return route.path;
  if (id === undefined) throw new Error(`${route.path} needs an id in this test`);
  return route.path.replace(/:\w+/, encodeURIComponent(id));
}

async function readEverything(who: Visitor): Promise<string> {
  const answers: string[] = [];
  for (const { feature, route } of reads) {
    const response = await who.fetch(pathOf(route, idFor(feature, route)));
    answers.push(JSON.stringify([...response.headers]), await response.text());
  }
  return answers.join('\n');
}

async function storedSecrets(ctx: Context): Promise<string[]> {
  const users = await ctx.db.writer.selectFrom('user').select(['password_hash']).execute();
  const tokens = await ctx.db.writer.selectFrom('access_token').select('token_hash').execute();
  const keys = await ctx.db.writer.selectFrom('api_key').select(['key_hash', 'key_sealed']).execute();
  const sealed = await ctx.db.writer
    .selectFrom('channel')
    .select(['key_sealed', 'headers_sealed', 'proxy_sealed'])
    .execute();
  const settings = await ctx.db.writer.selectFrom('setting').select('value').execute();
  return [...users, ...tokens, ...keys, ...sealed, ...settings]
    .flatMap((row) => Object.values(row))
    .filter((value) => value !== null);
}

test('no response to a read contains a secret, for any caller', async () => {
  const secrets = [
    ...Object.values(canaries),
    ...secretSettings.map(({ value }) => value),
    key.key,
    code,
    token,
    ...[root, admin, owner, stranger].flatMap((who) => [
      who.password,
      /session=([^;]+)/.exec(who.identity['cookie'] ?? '')?.[1] ?? 'no cookie',
    ]),
    ...(await storedSecrets(app.ctx)),
  ];
  expect(secrets.length).toBeGreaterThan(15);
  const byToken = createVisitor(app.url, { authorization: `Bearer ${token}` });
  for (const who of [app.anonymous, owner, stranger, admin, root, byToken]) {
    const answers = await readEverything(who);
    expect(answers).toContain('Switchyard');
    expect(secrets.filter((secret) => answers.includes(secret))).toEqual([]);
  }
});

test('no read changes the database, except the audit log for files of staff', async () => {
  const digest = async () => {
    const { audit_entry: _entries, audit_head: _head, ...others } = await digestTables(app.ctx.db);
    return others;
  };
  const before = await digest();
  expect(Object.keys(before).length).toBeGreaterThan(10);
  for (const who of [app.anonymous, owner, admin, root]) await readEverything(who);
  expect(await digest()).toEqual(before);
});

test("other users' objects return the same as missing ones", async () => {
  const own = routes.filter(({ route }) => route.access === 'user' && route.path.includes(':'));
  expect(own.length).toBeGreaterThan(5);
  for (const { feature, name, route } of own) {
    const ask = async (id: string | number | undefined) => {
      const response = await stranger.fetch(pathOf(route, id), {
        method: route.method,
        ...(route.method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }),
      });
      const { request_id: _unique, ...body } = (await response.json()) as Record<string, unknown>;
      // A response may repeat the requested id.
      return { status: response.status, body: JSON.stringify(body).replaceAll(String(id), 'ID') };
    };
    const id = idFor(feature, route);
    expect(await ask(id), name).toEqual(await ask(typeof id === 'number' ? 999_999 : 'missing'));
  }
  expect((await owner.api(apiKeys).get({ params: { id: key.id } })).name).toBe('canary');
  expect((await owner.fetch('/api/user/self')).status).toBe(200);
});

test('an error response repeats no secret that was sent', async () => {
  const response = await root.fetch('/api/channel/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: '', type: 8, models: [], key: canaries.channelKey, proxy: 'canary://' }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).not.toMatch(/canary/);
});

test('a secret setting that is refused is not repeated', async () => {
  const response = await root.fetch('/api/option/', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'SMTPToken', value: 'canary\r\nQUIT' }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).not.toMatch(/canary/);
});
