/** Checks who may use which entrance of the listener: all routes of the relay's table and of Fastify. */
import { get, type IncomingHttpHeaders } from 'node:http';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { impersonation } from '@switchyard/contract/accounts/impersonation';
import { permissionNames } from '@switchyard/contract/accounts/permissions';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { users } from '@switchyard/contract/accounts/users';
import { features } from '@switchyard/contract/all-feature-routes';
import type { Routes } from '@switchyard/contract/route';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOON, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { createBrowserVisitor, createVisitor, type Visitor } from '../../apps/server/src/testing/visitor.ts';

const READERS = [{ scheme: 'Bearer', credentials: 'reader-of-metrics' }] as const;
const HOUR_SECONDS = 3_600;

let scene: RelayScene;
/** Keys that may not be used, and how each is refused. */
const refusedKeys = new Map<string, { key: string; status: number }>();
/** Callers with a session or access token who may not spend, and those who may not see other users' data. */
const refusedSpenders = new Map<string, Visitor>();

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON, config: { metricsReaders: [...READERS] } });
  await scene.newChannel({});
  await keysOf(scene);
  await spendersOf(scene);
});
afterAll(() => scene.close());

async function keysOf(app: RelayScene): Promise<void> {
  const { user, admin, clock } = app;
  const expiresAt = Math.floor(clock.now() / 1000) + HOUR_SECONDS;
  const named = async (name: string) => (await user.api(apiKeys).list()).data.find((one) => one.name === name);
  const disabled = await app.newKey({ name: 'disabled', unlimited_quota: true });
  const { id } = (await named('disabled')) ?? {};
  if (id === undefined) throw new Error('no key was made');
  await user.api(apiKeys).update({ body: { id, status: 'disabled' } });
  const expired = await app.newKey({ name: 'expired', expired_time: expiresAt, unlimited_quota: true });
  const bound = await app.newKey({
    name: 'bound',
    unlimited_quota: true,
    setting: {
      heartbeat: { enabled: false, timeout_seconds: 30 },
      strict_translation: false,
      limits: {
        limit_model_setting: { enabled: false, models: [] },
        limits_ip_setting: { enabled: true, whitelist: ['192.0.2.1'] },
        concurrency: 0,
        tokens_per_minute: 0,
        budgets: { day: null, week: null, month: null },
      },
    },
  });
  const deletedUser = await app.createUser('user', { quota: 1_000 });
  const keyOfGone = await app.newKey({ unlimited_quota: true }, deletedUser);
  await admin.api(users).manage({ body: { username: deletedUser.username, action: 'disable' } });
  clock.advance(2 * HOUR_SECONDS);
  refusedKeys
    .set('nobody', { key: '', status: 401 })
    .set('garbage', { key: `sk-${'x'.repeat(48)}`, status: 401 })
    .set('a disabled key', { key: disabled, status: 401 })
    .set('an expired key', { key: expired, status: 401 })
    .set('a key of another address', { key: bound, status: 403 })
    .set('a key of a disabled user', { key: keyOfGone, status: 401 });
}

async function spendersOf(app: RelayScene): Promise<void> {
  const { url, admin, anonymous, ctx } = app;
  const owner = await app.createUser('admin', { quota: 100_000_000 });
  const token = async (name: string, scopes: ('user' | (typeof permissionNames)[number])[], read_only: boolean) => {
    const { token: text } = await owner
      .api(accessTokens)
      .create({ body: { name, scopes, read_only, expires_time: 0 } });
    return createVisitor(url, { authorization: `Bearer ${text}` });
  };
  const disabled = await app.createUser('user', { quota: 1_000 });
  await ctx.db.writer.updateTable('user').set({ status: 'disabled' }).where('id', '=', disabled.id).execute();
  const desk = createBrowserVisitor(url);
  await desk.api(signIn).signIn({ body: { username: admin.username, password: admin.password } });
  const acted = await app.createUser('user', { quota: 1_000 });
  await desk.api(impersonation).start({ body: { user_id: acted.id, reason: 'Ticket 17' } });
  refusedSpenders
    .set('nobody', anonymous)
    .set('garbage', createVisitor(url, { authorization: `Bearer ${'x'.repeat(40)}` }))
    .set('a forged cookie', createVisitor(url, { cookie: 'switchyard_session=x' }))
    .set('a token that only reads', await token('reads', ['user', ...permissionNames], true))
    .set('a narrow token', await token('narrow', ['records.read'], false))
    .set('a disabled user', disabled)
    .set('root acting as a user', desk);
}

interface Example {
  name: string;
  method: string;
  path: string;
}

function examplesOf(access: string): Example[] {
  return scene.app.entryPoints.relay
    .filter((entrance) => entrance.access === access)
    .flatMap(({ name, examples }) =>
      examples.map((example) => {
        const [method = '', path = ''] = example.split(' ');
        return { name, method, path };
      }),
    );
}

const body = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'a' }], ids: [] });

function withKey({ method, path }: Example, key: string): Promise<Response> {
  return fetch(scene.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) },
    ...(method === 'POST' ? { body } : {}),
  });
}

describe('entrances of the relay', () => {
  test('no entrance accepts an invalid key, or charges it', async () => {
    const examples = examplesOf('key');
    expect(examples.length).toBeGreaterThan(30);
    for (const [who, { key, status }] of refusedKeys)
      for (const example of examples) {
        const response = await withKey(example, key);
        await response.arrayBuffer();
        expect(response.status, `${who}: ${example.method} ${example.path}`).toBe(status);
      }
    expect(await scene.records()).toEqual([]);
  });

  test('no entrance accepts a session that may not spend, or charges it', async () => {
    const examples = examplesOf('session').filter(({ method }) => method === 'POST');
    expect(examples.length).toBeGreaterThan(3);
    for (const [who, caller] of refusedSpenders)
      for (const { method, path } of examples) {
        const response = await caller.fetch(path, { method, headers: { 'content-type': 'application/json' }, body });
        await response.arrayBuffer();
        expect([401, 403], `${who}: ${method} ${path}`).toContain(response.status);
      }
    expect(await scene.records()).toEqual([]);
  });

  test('every entrance serves its own examples', async () => {
    const key = await scene.newKey({ unlimited_quota: true });
    for (const example of [...examplesOf('key'), ...examplesOf('anyone')]) {
      const response = await withKey(example, key);
      expect(await response.text(), `${example.method} ${example.path}`).not.toContain('Invalid URL');
    }
  });

  test('no response to a GET is cacheable', async () => {
    const key = await scene.newKey({ unlimited_quota: true });
    const gets = ['key', 'session', 'anyone'].flatMap(examplesOf).filter(({ method }) => method === 'GET');
    for (const example of gets) {
      const { headers } = await withKey(example, key);
      expect(headers.get('cache-control'), example.path).toBe('no-store');
      for (const credential of ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie'])
        expect(headers.get('vary'), example.path).toContain(credential);
    }
  });

  test('read requests count against the rate limit of their key', async () => {
    const gets = [
      'GET /v1/models',
      'GET /api/usage/token',
      'GET /dashboard/billing/usage',
      'GET /v1/videos',
      'GET /v1/files',
      'GET /v1/batches',
      'GET /v1/responses/r',
    ];
    for (const [at, example] of gets.entries()) {
      const [method = '', path = ''] = example.split(' ');
      const key = await scene.newKey({ name: `rate ${at}`, unlimited_quota: true, api_rate: 2 });
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 3; attempt += 1)
        statuses.push((await withKey({ name: example, method, path }, key)).status);
      expect(statuses[2], example).toBe(429);
      expect(statuses[0], example).not.toBe(429);
    }
  });
});

/** Spellings of a path that reach the same route. */
const spellings: Readonly<Record<string, (path: string) => string>> = {
  plainly: (path) => path,
  'with an encoded letter': (path) => path.replace('/a', '/%61'),
  'with all letters encoded': (path) => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'as a whole URL': (path) => scene.url + path,
};

/** Sends a GET with exactly this request target; `fetch` would normalize it. */
function getAt(path: string, cookie: string): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  const { hostname, port } = new URL(scene.url);
  return new Promise((resolve, reject) => {
    get({ hostname, port, path, headers: { cookie } }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    }).on('error', reject);
  });
}

describe('routes of the listener', () => {
  test('every route declares who may call it, like its contract', () => {
    const declared = new Map(
      scene.app.entryPoints.routes.map(({ method, path, access }) => [`${method} ${path}`, access]),
    );
    for (const { method, path, access } of Object.values<Routes>(features).flatMap((one) => Object.values(one)))
      expect(declared.get(`${method} ${path}`), `${method} ${path}`).toBe(access);
  });

  test('the routes outside of the contract are listed', () => {
    const known = new Set(
      Object.values<Routes>(features).flatMap((one) => Object.values(one).map(({ path }) => path.replace(/\/$/, ''))),
    );
    const others = scene.app.entryPoints.routes
      .filter(({ path, method }) => method !== 'HEAD' && !known.has(path.replace(/\/$/, '')))
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path, access }) => `${method} ${path}: ${access}`);
    expect(others.toSorted()).toEqual([
      'GET /api/metrics: metrics reader',
      'GET /api/openapi.json: anyone',
      'GET /api/payment/notify/:uuid: payment provider',
      'POST /api/payment/notify/:uuid: payment provider',
      'POST /api/telegram/webhook: Telegram',
    ]);
  });

  test('routes of external services refuse all other callers', async () => {
    const metrics = (headers: Record<string, string>) => fetch(`${scene.url}/api/metrics`, { headers });
    expect((await metrics({})).status).toBe(401);
    expect((await metrics({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await metrics({ cookie: scene.admin.identity['cookie'] ?? '' })).status).toBe(401);
    const telegram = await fetch(`${scene.url}/api/telegram/webhook`, { method: 'POST', body: 'x' });
    expect(telegram.status).toBe(401);
  });

  test('no response is cacheable, in any spelling of its path', async () => {
    const gets = Object.values<Routes>(features)
      .flatMap((one) => Object.values(one))
      .filter(({ method }) => method === 'GET');
    expect(gets.length).toBeGreaterThan(100);
    const cookie = scene.user.identity['cookie'] ?? '';
    for (const [how, spell] of Object.entries(spellings)) {
      expect((await getAt(spell('/api/user/self'), cookie)).status, how).toBe(200);
      for (const route of gets) {
        const path = spell(route.path.replace(/:\w+/g, '1'));
        const { headers } = await getAt(path, cookie);
        expect(headers['x-content-type-options'], path).toBe('nosniff');
        // Public responses are revalidated each time.
        const allowed = route.access === 'anyone' ? ['no-store', 'private, no-cache'] : ['no-store'];
        expect(allowed, path).toContain(headers['cache-control']);
      }
    }
  });

  test('routes identify the caller before they parse a body', async () => {
    const writes = Object.values<Routes>(features)
      .flatMap((one) => Object.values(one))
      .filter(({ method, access }) => method !== 'GET' && access !== 'anyone');
    expect(writes.length).toBeGreaterThan(100);
    for (const { method, path } of writes) {
      const response = await scene.anonymous.fetch(path.replace(/:\w+/g, '1'), {
        method,
        headers: { 'content-type': 'application/json' },
        body: '{ this is not JSON',
      });
      await response.arrayBuffer();
      expect(response.status, `${method} ${path}`).toBe(401);
    }
  });
});
