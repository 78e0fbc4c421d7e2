/** No GET, HEAD or OPTIONS request writes, and routes that write only accept JSON, which no form can send. */
import { get } from 'node:http';
import { features } from '@switchyard/contract/all-feature-routes';
import type { Route, Routes } from '@switchyard/contract/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestTables } from '../../apps/server/src/testing/any-table.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import type { Visitor } from '../../apps/server/src/testing/visitor.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';

const routes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes).map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);
/** GETs of the public API that change something; authorization.test.ts proves that no other site can cause them. */
const mayWrite = ({ method, sameOrigin }: Route, as: string) => method === 'GET' && as === 'GET' && sameOrigin === true;
/** When a session was last seen, and that the database is writable: no user's data. */
const uncounted: Readonly<Record<string, readonly string[]>> = { session: ['last_seen_time'], readiness: ['tried_at'] };

let scene: RelayScene;
let visitors: Readonly<Record<string, Visitor>>;

beforeAll(async () => {
  // The clock is stopped, so that no job writes meanwhile.
  scene = await startRelayScene({ now: Date.now() });
  await removeRateLimits(scene.admin);
  await scene.newChannel({});
  await (await scene.chat('scripted')).text();
  await scene.waitUntilSettled();
  visitors = {
    anonymous: scene.anonymous,
    user: scene.user,
    administrator: await scene.createUser('admin'),
    root: scene.admin,
  };
});
afterAll(() => scene.close());

/** Files that staff download, each of which leaves an entry in the audit log. */
const audited = routes.filter(({ route }) => route.auditAs !== undefined);
const tables = () => digestTables(scene.ctx.db, uncounted);
const pathOf = ({ path }: Route): string => path.replace(/:\w+/g, '1');

test('the digest detects a change', async () => {
  const before = await tables();
  expect(Object.keys(before).length).toBeGreaterThan(15);
  await scene.newKey({});
  expect(await tables()).not.toEqual(before);
});

test.each(['GET', 'HEAD', 'OPTIONS'])('%s changes nothing for any caller and any route', async (method) => {
  const before = await tables();
  // GETs of the public API that change something require a token of their own.
  const fixed = routes.filter(({ route }) => route.sameOrigin !== true);
  const isLooking = ({ route }: (typeof routes)[number]) => route.method === 'GET' && route.auditAs === undefined;
  const called = method === 'GET' ? fixed.filter(isLooking) : fixed;
  let answered = 0;
  for (const { name, route } of called) {
    if (mayWrite(route, method)) continue;
    for (const [who, visitor] of Object.entries(visitors)) {
      for (const query of ['', '?page=1&size=5&keyword=a&model=scripted']) {
        const response = await visitor.fetch(pathOf(route) + query, { method });
        await response.arrayBuffer();
        expect(response.status, `${who} ${name}`).toBeLessThan(500);
        if (response.ok) answered += 1;
      }
    }
  }
  for (const path of [
    '/',
    '/panel',
    '/healthz',
    '/readyz',
    '/api/openapi.json',
    '/v1/models',
    '/dashboard/billing/usage',
    '/api/usage/token/',
  ]) {
    const headers = { authorization: `Bearer ${scene.key}` };
    await (await fetch(scene.url + path, { method, headers })).arrayBuffer();
  }
  if (method === 'GET') expect(answered).toBeGreaterThan(100);
  expect(await tables()).toEqual(before);
});

test('a file for staff leaves an entry in the audit log and changes nothing else', async () => {
  expect(audited.length).toBeGreaterThan(5);
  const before = await tables();
  for (const { route } of audited) await (await scene.admin.fetch(pathOf(route))).arrayBuffer();
  const { audit_entry: entries, audit_head: head, ...others } = await tables();
  expect(before).toMatchObject(others);
  expect([entries, head]).not.toEqual([before['audit_entry'], before['audit_head']]);
});

/** Requests that content of the console can cause in a browser without a script, such as a model's response. */
const withoutScript: Readonly<Record<string, Record<string, string>>> = {
  'a link': { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  'an image': { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  'an image with CORS': { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'image' },
  'a frame': { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  'a link over plain HTTP': {},
};

/** Sends a request with exactly these headers; `fetch` would add its own. @returns the status */
function plainGet(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
  });
}

test.each(Object.entries(withoutScript))(
  '%s in the console changes nothing, whatever it names',
  async (_how, headers) => {
    const before = await tables();
    const paths = scene.app.entryPoints.routes
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/') && !path.endsWith('/'))
      .filter(({ path }) => audited.every(({ route }) => route.path !== path))
      .map(({ path }) => path.replace(/:\w+/g, '1'));
    expect(paths.length).toBeGreaterThan(100);
    for (const path of paths) {
      const query = path.startsWith('/api/oauth') ? '?code=a&state=b' : '?email=a@example.com';
      for (const { identity } of [scene.user, scene.admin]) {
        const cookie = identity['cookie'] ?? '';
        expect(await plainGet(scene.url + path + query, { cookie, ...headers }), path).toBeLessThan(500);
      }
    }
    expect(await tables()).toEqual(before);
  },
);

const forms: readonly (readonly [string | undefined, string])[] = [
  ['text/plain', '{}'],
  ['text/plain;charset=UTF-8', '{"id":1}'],
  ['application/x-www-form-urlencoded', 'id=1&name=x'],
  ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="id"\r\n\r\n1\r\n--x--\r\n'],
  ['application/xml', '<id>1</id>'],
  [undefined, '{}'],
];

test('routes that write only accept JSON', async () => {
  const before = await tables();
  const writes = routes.filter(({ route }) => route.method !== 'GET');
  expect(writes.length).toBeGreaterThan(30);
  for (const { name, route } of writes) {
    for (const [type, body] of forms) {
      // Bytes have no default content type, unlike text.
      const response = await scene.admin.fetch(pathOf(route), {
        method: route.method,
        headers: type === undefined ? {} : { 'content-type': type },
        body: Buffer.from(body),
      });
      expect(await response.text(), `${name} as ${type}`).toContain('Send application/json');
      expect(response.status).toBe(400);
    }
  }
  expect(await tables()).toEqual(before);
});
