/** Rate and memory limits of each entrance of the listener. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { features } from '@switchyard/contract/all-feature-routes';
import { getBodyMaxBytes, getBodyMaxValues, type Route, type Routes } from '@switchyard/contract/route';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOON, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { createVisitor } from '../../apps/server/src/testing/visitor.ts';
import { reportMeasurement } from '../tier.ts';

/** Maximum calls in a minute of a user or an anonymous address. */
const CALLS_MAX = 1_200;
/** Maximum changes of a user in two minutes. */
const WRITES_MAX = 120;
const MIB = 1_048_576;
/** Maximum bytes of a response that refuses a body. */
const REFUSAL_MAX_BYTES = 32_768;
const MINUTE_SECONDS = 60;

let scene: RelayScene;
beforeAll(async () => {
  scene = await startRelayScene({
    now: NOON,
    config: { metricsReaders: [{ scheme: 'Bearer', credentials: 'reader-of-metrics' }] },
  });
  await scene.newChannel({});
});
afterAll(() => scene.close());

const contractRoutes: readonly Route[] = Object.values<Routes>(features).flatMap((one) => Object.values(one));
const isWrite = ({ method, sameOrigin }: Route): boolean => method !== 'GET' || sameOrigin === true;
/** Requests without a route. GET requests outside of the API get the console's page. */
const unknownPaths = ['/no/such', '/api/no/such', '/assets/no-such.js', '/healthz/no-such'];
const unknownMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const unknownCalls = unknownPaths.flatMap((path) => unknownMethods.map((method) => ({ method, path })));
const pathOf = (path: string): string => path.replace(/:\w+/g, '1');

const contentTypeOf = (path: string): string =>
  /transcriptions|\/files/.test(path) ? 'multipart/form-data; boundary=x' : 'application/json';

/** @returns the status of a request that announces a body of so many bytes and sends none of it */
async function statusOfAnnounced(
  method: string,
  path: string,
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const request = httpRequest(scene.url + path, {
    method,
    headers: {
      ...headers,
      'sec-fetch-site': 'same-origin',
      'content-type': contentTypeOf(path),
      'content-length': bytes,
    },
  });
  request.on('error', () => {});
  request.flushHeaders();
  const [response] = await once(request, 'response');
  request.destroy();
  return Number(response.statusCode);
}

describe('routes of the management API', () => {
  test('every route refuses an address with too many anonymous calls', async () => {
    const { anonymous, user, app, clock } = scene;
    clock.advance(MINUTE_SECONDS);
    for (let count = 0; count < CALLS_MAX; count += 1) await (await anonymous.fetch('/api/status')).arrayBuffer();
    const routes = app.entryPoints.routes.filter(
      ({ path, access }) => path.startsWith('/api/') && !path.includes('*') && access !== 'payment provider',
    );
    expect(routes.length).toBeGreaterThan(400);
    for (const { method, path } of routes) {
      const response = await anonymous.fetch(pathOf(path), { method });
      await response.arrayBuffer();
      expect(response.status, `${method} ${path}`).toBe(429);
      expect(response.headers.get('retry-after'), `${method} ${path}`).toBe('60');
    }
    const unknown = [...unknownCalls, ...unknownPaths.map((path) => ({ method: 'GET', path }))];
    for (const { method, path } of unknown) {
      const response = await anonymous.fetch(path, { method });
      await response.arrayBuffer();
      expect(response.status, `${method} ${path}`).toBe(429);
      // A signed-in user of the same network is not refused.
      const known = await user.fetch(path, { method });
      await known.arrayBuffer();
      expect(known.status, `${method} ${path}`).not.toBe(429);
    }
    reportMeasurement('P41', `${routes.length} routes without a session beyond the rate of the address: 0 answered`);
    expect((await user.fetch('/api/user/self')).status).toBe(200);
    clock.advance(MINUTE_SECONDS);
  });

  test('a call without a route is refused before its body is read, and counts against the rate of the address', async () => {
    const { anonymous, clock } = scene;
    clock.advance(MINUTE_SECONDS);
    for (const { method, path } of unknownCalls)
      expect(await statusOfAnnounced(method, path, MIB, {}), `${method} ${path}`).toBe(404);
    const response = await anonymous.fetch('/no/such?query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'not JSON',
    });
    expect(await response.json()).toMatchObject({
      success: false,
      code: 'not-found',
      message: 'Not found: POST /no/such',
      request_id: response.headers.get('x-request-id'),
    });
    for (let count = unknownCalls.length + 1; count < CALLS_MAX; count += 1)
      await (await anonymous.fetch('/no/such', { method: 'POST' })).arrayBuffer();
    expect((await anonymous.fetch('/no/such', { method: 'POST' })).status).toBe(429);
    expect((await anonymous.fetch('/api/status')).status).toBe(429);
    clock.advance(MINUTE_SECONDS);
  });

  test('every route refuses a user who calls too often', async () => {
    const { user, admin, clock } = scene;
    clock.advance(2 * MINUTE_SECONDS);
    const byToken = createVisitor(scene.url, { authorization: `Bearer ${await user.api(accessTokens).replace()}` });
    for (let count = 0; count < CALLS_MAX; count += 1) await (await user.fetch('/api/user/self')).arrayBuffer();
    for (const { method, path } of [...contractRoutes, ...unknownCalls]) {
      const response = await user.fetch(pathOf(path), { method });
      await response.arrayBuffer();
      expect(response.status, `${method} ${path}`).toBe(429);
      expect(response.headers.get('retry-after'), `${method} ${path}`).toBe('60');
    }
    reportMeasurement('P41', `${contractRoutes.length} routes beyond the rate of the user: 0 answered`);
    expect((await admin.fetch('/api/user/self')).status).toBe(200);
    // Access tokens are counted apart, so that a stolen one can be deleted.
    expect((await byToken.fetch('/api/user/self')).status).toBe(200);
    clock.advance(MINUTE_SECONDS);
    expect((await user.fetch('/api/user/self')).status).toBe(200);
  });

  test('every route that a user changes something with counts against the rate of that user', async () => {
    const routes = contractRoutes.filter((route) => route.access === 'user' && isWrite(route));
    expect(routes.length).toBeGreaterThan(40);
    const { user, clock } = scene;
    const call = async ({ method, path }: Pick<Route, 'method' | 'path'>): Promise<number> => {
      const response = await user.fetch(pathOf(path), {
        method,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (let count = 0; count < WRITES_MAX; count += 1) await call({ method: 'POST', path: '/api/token/' });
    for (const route of routes) {
      // Routes that require a confirmed identity refuse earlier.
      const refusals = route.stepUp === true ? [403, 429] : [429];
      expect(refusals, `${route.method} ${route.path}`).toContain(await call(route));
    }
    reportMeasurement('P41', `${routes.length} changes beyond the rate of the user: 0 made`);
    clock.advance(2 * MINUTE_SECONDS);
  });

  test('every route refuses a body beyond its limit before it reads it', async () => {
    const routes = contractRoutes.filter(({ method }) => method !== 'GET');
    for (const route of routes) {
      const { method, path, stepUp } = route;
      const bytes = getBodyMaxBytes(route);
      expect(bytes, path).toBeLessThanOrEqual(8 * MIB);
      const status = await statusOfAnnounced(method, pathOf(path), bytes + 1, scene.admin.identity);
      expect(stepUp === true ? [403, 413] : [413], `${method} ${path}`).toContain(status);
    }
    reportMeasurement('P41', `${routes.length} bodies beyond the limit: 0 read`);
  });

  test('every route refuses a body with too many values before it parses it', async () => {
    const routes = contractRoutes.filter(
      (route) =>
        route.body !== undefined && route.stepUp !== true && 2 * getBodyMaxValues(route) < getBodyMaxBytes(route),
    );
    expect(routes.length).toBeGreaterThan(15);
    for (const route of routes) {
      // The text after the values is no JSON: a parser would report that first.
      const body = `[${'1,'.repeat(getBodyMaxValues(route))}`;
      const response = await scene.admin.fetch(pathOf(route.path), {
        method: route.method,
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(await response.text(), route.path).toContain(`more than ${getBodyMaxValues(route)} values`);
      expect(response.status, route.path).toBe(413);
    }
    reportMeasurement('P41', `${routes.length} bodies of too many values: 0 parsed`);
  });

  test('a body that violates rules in thousands of places gets a short response', async () => {
    scene.clock.advance(2 * MINUTE_SECONDS);
    const answer = { text: '', reasoning: '', toolCalls: [] };
    const answers = [1, 2, 3].map(() => ({
      ...answer,
      id: '',
      model: '',
      state: 'done',
      rounds: Array.from({ length: 60 }, () => ({})),
    }));
    const turn = { id: '', for: 'text', text: '', images: [], answers };
    const settings = { models: ['m'], system: '', stop: [], json: false, stream: true, tools: [], toolChoice: 'auto' };
    const body = JSON.stringify({ title: 'x', content: { settings, turns: Array.from({ length: 120 }, () => turn) } });
    const response = await scene.user.fetch('/api/playground/conversations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('content.turns.0.answers.0.rounds.0.text');
    expect(text.length).toBeLessThan(REFUSAL_MAX_BYTES);
  });
});

/**
 * Refusals without a look at the body: an unknown route, or a key that may not use a channel's own routes.
 */
const readsNoBody: ReadonlyMap<string, number> = new Map([
  ['POST /v1/responses/r/cancel', 404],
  ['POST /v1/batches/b/cancel', 404],
  ['POST /v1/fine_tuning/jobs', 403],
]);

describe('entrances of the relay', () => {
  test('every entrance refuses a body beyond the limit, and authenticates first', async () => {
    const { relayBodyMaxBytes } = scene.ctx.config;
    const calls = scene.app.entryPoints.relay.flatMap(({ name, access, examples }) =>
      examples.filter((example) => example.startsWith('POST')).map((example) => ({ name, access, example })),
    );
    expect(calls.length).toBeGreaterThan(10);
    const key = await scene.newKey({ unlimited_quota: true });
    for (const { name, access, example } of calls) {
      const [method = '', path = ''] = example.split(' ');
      // Files of batches are stored on the disk, and have a separate limit.
      const bytes = name === 'files and batches' ? 2 ** 40 : 2 * relayBodyMaxBytes + 1;
      const identity = access === 'session' ? scene.user.identity : { authorization: `Bearer ${key}` };
      const known = await statusOfAnnounced(method, path, bytes, { ...identity });
      expect(known, example).toBe(readsNoBody.get(example) ?? 413);
      if (access === 'anyone') continue;
      expect(await statusOfAnnounced(method, path, bytes, {}), example).toBe(401);
    }
  });
});
