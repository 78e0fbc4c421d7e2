/**
 * Behaviour of the API that Terraform's generic providers, and other tools that manage resources by ids, require: POST
 * to a collection creates a resource and returns its id, GET, PUT and DELETE below the collection apply to it, and 404
 * means that it is gone.
 */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import type { Right } from '@switchyard/contract/accounts/permissions';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useTestApp } from '../../apps/server/src/testing/start-test-app.ts';

const app = await useTestApp();
const root = await app.createUser('root');
const scopes: Right[] = [
  'channels.read',
  'channels.write',
  'groups.read',
  'groups.write',
  'prices.read',
  'prices.write',
];
let token: string;

beforeAll(async () => {
  const body = { name: 'terraform', scopes, read_only: false, expires_time: 0 };
  ({ token } = await root.api(accessTokens).create({ body }));
});

async function ask(method: string, path: string, body?: object) {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: JSON.parse(await response.text()) as unknown };
}

/** Value at `data/0/id` of a response. */
function at(answer: unknown, path: string): unknown {
  return path.split('/').reduce<unknown>((value, part) => {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return entries.find(([name]) => name === part)?.[1];
  }, answer);
}

interface Resource {
  kind: string;
  collection: string;
  idAt: string;
  data: Record<string, unknown>;
  change: Record<string, unknown>;
  /** Fields of the data that no response contains. */
  writeOnly: string[];
  /** Status of a second creation with the same data. */
  again: number;
}

const resources: Resource[] = [
  {
    kind: 'a channel',
    collection: '/api/channel',
    idAt: 'data/0/id',
    data: {
      name: 'main',
      type: 1,
      key: 'sk-1234567890123456',
      models: ['gpt-4o', 'o3*'],
      group: ['default', 'vip'],
      priority: 3,
      model_mapping: { 'gpt-4o': 'gpt-4o-2024-11-20' },
    },
    change: { priority: 5, models: ['gpt-4o'] },
    writeOnly: ['key'],
    again: 200,
  },
  {
    kind: 'a user group',
    collection: '/api/user_group',
    idAt: 'data/id',
    data: { symbol: 'gold', name: 'Gold', ratio: 0.8, public: true },
    change: { ratio: 0.75 },
    writeOnly: [],
    again: 409,
  },
  {
    kind: 'a price',
    collection: '/api/prices/single',
    idAt: 'data/model',
    data: { model: 'example-model', type: 'tokens', rates: { input: 1_250_000_000, output: 5_000_000_000 } },
    change: { rates: { input: 1_000_000_000, output: 5_000_000_000 } },
    writeOnly: [],
    again: 409,
  },
];

describe.each(resources)('$kind', ({ collection, idAt, data, change, writeOnly, again }) => {
  let one: string;
  const readable = (wanted: object) =>
    Object.fromEntries(Object.entries(wanted).filter(([name]) => !writeOnly.includes(name)));

  test('creates it by POST, which returns its id, and reads it as it was written', async () => {
    const created = await ask('POST', collection, data);
    expect(created.status).toBe(200);
    const id = at(created.answer, idAt);
    expect(['string', 'number']).toContain(typeof id);
    one = `${collection}/${String(id)}`;
    expect(await ask('GET', one)).toMatchObject({ status: 200, answer: { data: readable(data) } });
  });

  test('is unchanged by a PUT of its own state', async () => {
    const before = await ask('GET', one);
    expect(await ask('PUT', one, data)).toMatchObject({ status: 200 });
    const after = await ask('GET', one);
    expect(at(after.answer, 'data')).toEqual(at(before.answer, 'data'));
  });

  test('a PUT of everything that GET returns changes nothing', async () => {
    const before = await ask('GET', one);
    const whole = z.record(z.string(), z.unknown()).parse(at(before.answer, 'data'));
    expect(await ask('PUT', one, whole)).toMatchObject({ status: 200 });
    expect(at((await ask('GET', one)).answer, 'data')).toEqual(whole);
  });

  test('is changed by PUT', async () => {
    const wanted = { ...data, ...change };
    expect(await ask('PUT', one, wanted)).toMatchObject({ status: 200 });
    expect(await ask('GET', one)).toMatchObject({ status: 200, answer: { data: readable(wanted) } });
  });

  test('is not created twice if its name must be unique', async () => {
    const second = await ask('POST', collection, data);
    expect(second.status).toBe(again);
    if (again === 200) await ask('DELETE', `${collection}/${String(at(second.answer, idAt))}`);
  });

  test('is gone after DELETE, with a status for every caller', async () => {
    expect(await ask('DELETE', one)).toMatchObject({ status: 200 });
    for (const [method, body] of [['GET'], ['PUT', data], ['DELETE']] as const)
      expect(await ask(method, one, body), method).toMatchObject({
        status: 404,
        answer: { success: false, code: 'not-found' },
      });
  });
});

test('an id of another kind is not found', async () => {
  for (const path of ['/api/channel/none', '/api/user_group/none'])
    expect(await ask('PUT', path, {})).toMatchObject({ status: 400 });
});
