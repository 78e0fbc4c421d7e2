import { createServer } from 'node:http';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { features } from '@switchyard/contract/all-feature-routes';
import type { Routes } from '@switchyard/contract/route';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { listen } from './app.ts';
import { insertUsageRecords } from './testing/insert-usage-records.ts';
import { startTestApp, useTestApp } from './testing/start-test-app.ts';

const app = await useTestApp();
const root = await app.createUser('root');
await insertUsageRecords(app.ctx, root.id, [{}, { type: 'manage', model: '' }]);

const reads = Object.values<Routes>(features)
  .flatMap((routes) => Object.values(routes))
  .filter(
    (route) =>
      route.method === 'GET' && route.sameOrigin !== true && route.query !== undefined && !route.path.includes(':'),
  );

interface QuerySchema {
  properties: Record<string, { type?: string; pattern?: string }>;
}
const queryOf = (schema: z.ZodType | undefined): QuerySchema['properties'] =>
  schema === undefined
    ? {}
    : (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as unknown as QuerySchema).properties;

test('every column that a list offers for sorting sorts, in both directions', async () => {
  let sorted = 0;
  for (const { path, query } of reads) {
    const columns = /\((.+?)\)/.exec(queryOf(query)['order']?.pattern ?? '')?.[1]?.split('|') ?? [];
    for (const column of columns) {
      for (const order of [column, `-${column}`, `${column},-id`.replace(/^id,-id$/, 'id')]) {
        const response = await root.fetch(`${path}?order=${order}`);
        expect([200, 400], `${path} ${order}`).toContain(response.status);
        if (response.status === 400) expect(order).toContain(',');
        sorted += 1;
      }
    }
  }
  expect(sorted).toBeGreaterThan(100);
  expect((await root.fetch('/api/log/?order=detail')).status).toBe(400);
});

test('a table that is downloaded has a name', async () => {
  const tables = reads.filter(({ file }) => file === 'text/csv');
  for (const { path } of tables) {
    const { headers } = await root.fetch(`${path}?start_timestamp=1&end_timestamp=2&date=2026-01-01`);
    expect(headers.get('content-disposition'), path).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
  }
  expect(tables.length).toBeGreaterThan(5);
});

test('odd input is answered or refused, never a failure of the server', async () => {
  const oddities = ['%', '_', "'", '"', '\\', '[', '\u0000', '😀', '-1', '0', '1e3', '9007199254740993', 'NaN'];
  for (const { path, query } of reads) {
    for (const name of Object.keys(queryOf(query))) {
      for (const value of [...oddities, 'x'.repeat(500)]) {
        const response = await root.fetch(`${path}?${name}=${encodeURIComponent(value)}`);
        expect([200, 400, 404], `${path}?${name}=${value}`).toContain(response.status);
        await response.arrayBuffer();
      }
    }
  }
  expect((await root.fetch('/api/log/?page=10000000&size=100')).status).toBe(200);
  expect((await root.fetch('/api/token/?page=99999999999999')).status).toBe(400);
});

test('both forms of a trailing slash are served, and unknown paths of the API are JSON', async () => {
  expect((await root.fetch('/api/token')).status).toBe(200);
  expect((await root.fetch('/api/token/')).status).toBe(200);
  const unknown = await root.fetch('/api/nothing');
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ success: false, code: 'not-found' });
});

test('a body that is no JSON, or too large, is refused in the envelope', async () => {
  const post = (body: string, type = 'application/json') =>
    root.fetch('/api/token/', { method: 'POST', body, headers: { 'content-type': type } });
  const form = 'application/x-www-form-urlencoded';
  const invalid = 'The request body is not valid JSON: ';
  const cases: [Promise<Response>, number, string, string][] = [
    [post('{'), 400, 'invalid-input', `${invalid}Expected property name or '}' in JSON at position 1`],
    [post('{"key": canary}'), 400, 'invalid-input', `${invalid}Unexpected token 'c' in JSON at position 8`],
    [post(''), 400, 'invalid-input', 'The request body is empty. Send JSON.'],
    [post('name=x', form), 400, 'invalid-input', `The content type is "${form}". Send application/json.`],
    [post('{"name":"x"}', 'text/plain'), 400, 'invalid-input', 'The content type is "text/plain'],
    [post(JSON.stringify({ name: 'x'.repeat(1_100_000) })), 413, 'too-large', 'exceeds 524288 bytes'],
    [post('{"__proto__":{"name":"x"}}'), 400, 'invalid-input', 'must not set __proto__'],
  ];
  for (const [response, status, code, reason] of cases) {
    expect((await response).status).toBe(status);
    const { message, ...envelope } = z.looseObject({ message: z.string() }).parse(await (await response).json());
    expect(envelope).toMatchObject({ success: false, code });
    expect(message).toContain(reason);
    expect(message).not.toContain('canary');
  }
});

test.each([
  ['is no URL', '/api/token/%zz', "The request is not valid: '/api/token/%zz' is not a valid url component"],
  ['is too long', `/api/token/${'9'.repeat(600)}`, "The request is not valid: '/api/token/999"],
])('a path that %s is refused with the reason in the envelope', async (_what, path, message) => {
  const response = await root.fetch(path);
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ success: false, code: 'invalid-input', message: expect.stringContaining(message) }),
  ]);
});

test('a refused field comes with its rule, its value and its limit', async () => {
  const response = await root.fetch('/api/log/?page=abc&size=500');
  expect(await response.json()).toMatchObject({
    code: 'invalid-input',
    message: 'page must be a number, not "abc"',
    fields: [
      { path: 'page', rule: 'invalid_type', message: 'must be a number, not "abc"', expected: 'number' },
      { path: 'size', rule: 'too_big', message: 'must be at most 100, not 500', limit: 100, expected: 'number' },
    ],
  });
});

test('sends Strict-Transport-Security only over TLS', async () => {
  const behindProxy = await startTestApp({ config: { trustedProxies: ['127.0.0.1'] } });
  onTestFinished(() => behindProxy.close());
  const policyOver = async (scheme: string) => {
    const response = await behindProxy.anonymous.fetch('/api/status', { headers: { 'x-forwarded-proto': scheme } });
    return response.headers.get('strict-transport-security');
  };
  expect(await policyOver('https')).toBe('max-age=31536000');
  expect(await policyOver('http')).toBeNull();
});

test('a request that fails because the storage is busy or unreachable gets a retryable error', async () => {
  const user = await app.createUser('user');
  const busy = vi.spyOn(app.ctx.db.reader, 'selectFrom').mockImplementation(() => {
    throw new Error('timeout exceeded when trying to connect');
  });
  const pending = user.api(apiKeys).list({ query: { page: 1, size: 10 } });
  await expect(pending).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  busy.mockRestore();
});

test.each([
  [
    () => Number(new URL(app.url).port),
    '127.0.0.1',
    (port: number) => `Port ${port} on 127.0.0.1 is in use. Stop the other process, or set PORT.`,
  ],
  [() => 0, '192.0.2.1', () => '192.0.2.1 is not an address of this machine. Set HOST to one, or to 0.0.0.0 for all.'],
  [
    () => 0,
    'absent.invalid',
    () => 'The name absent.invalid cannot be resolved. Set HOST to an address of this machine, or to 0.0.0.0 for all.',
  ],
])('names the variable to change when it cannot listen', async (getPort, host, message) => {
  const [port, server] = [getPort(), createServer()];
  const listening = listen({ server, ctx: { config: { ...app.ctx.config, port, host } } });
  await expect(listening).rejects.toThrow(new Error(message(port)));
});
