import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const NAMES = ['a-chat', 'b/chat', 'c-chat', 'd-chat', 'text-embedding-3-small'];
let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ models: [...NAMES, 'scripted*'] });
  await scene.newChannel({ models: ['of-others'], group: ['vip'] });
});
afterAll(() => scene.close());

async function ask(path: string, headers: Record<string, string> = {}, key = scene.key) {
  const response = await fetch(scene.url + path, { headers: { 'x-goog-api-key': key, ...headers } });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body };
}
const asOpenai = () => ({ authorization: `Bearer ${scene.key}` });
const bearer = async (path: string, key = scene.key) => {
  const response = await fetch(scene.url + path, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const claude = { 'anthropic-version': '2023-06-01' };
const ids = (list: unknown): string[] =>
  (list as { id?: string; baseModelId?: string }[]).map((entry) => entry.id ?? entry.baseModelId ?? '');

describe('the list of models', () => {
  test('lists the models that a bearer key may call in OpenAI’s format', async () => {
    const { body } = await bearer('/v1/models');
    expect(body).toMatchObject({ object: 'list', data: [{ id: 'a-chat', object: 'model' }, {}, {}, {}, {}] });
    expect(ids(body['data'])).toEqual(NAMES);
    const narrow = await scene.newKey({
      unlimited_quota: true,
      setting: {
        heartbeat: { enabled: false, timeout_seconds: 30 },
        strict_translation: false,
        limits: {
          limit_model_setting: { enabled: true, models: ['c-chat', 'of-others'] },
          limits_ip_setting: { enabled: false, whitelist: [] },
          concurrency: 0,
          tokens_per_minute: 0,
          budgets: { day: null, week: null, month: null },
        },
      },
    });
    expect(ids((await bearer('/v1/models', narrow)).body['data'])).toEqual(['c-chat']);
    expect((await bearer('/v1/models/a-chat', narrow)).status).toBe(404);
  });

  test.each([
    ['/v1/models', claude],
    ['/v1/models', { 'x-api-key': 'sent' }],
    ['/claude/v1/models', {}],
  ])('is Anthropic’s at %s with %j', async (path, headers) => {
    const sent = 'x-api-key' in headers ? { 'x-api-key': scene.key } : headers;
    const { body } = await ask(path, sent);
    expect(body).toMatchObject({
      data: [{ type: 'model', id: 'a-chat', display_name: 'a-chat' }, {}, {}, {}, {}],
      has_more: false,
      first_id: 'a-chat',
      last_id: 'text-embedding-3-small',
    });
  });

  test.each(['/v1/models', '/v1beta/models', '/gemini/v1beta/models'])('lists Gemini’s models at %s', async (path) => {
    const { body } = await ask(path);
    const models = body['models'] as object[];
    expect(models[0]).toEqual({
      name: 'models/a-chat',
      baseModelId: 'a-chat',
      displayName: 'a-chat',
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    });
    expect(models.at(-1)).toMatchObject({ supportedGenerationMethods: [] });
    expect(body).not.toHaveProperty('nextPageToken');
  });

  test('returns one model in each dialect, also one with a slash', async () => {
    expect((await bearer('/v1/models/b/chat')).body).toMatchObject({ id: 'b/chat', object: 'model' });
    expect((await ask('/v1/models/b%2Fchat', claude)).body).toMatchObject({ type: 'model', id: 'b/chat' });
    expect((await ask('/v1beta/models/a-chat')).body).toMatchObject({ name: 'models/a-chat' });
    const missing = await ask('/claude/v1/models/none', asOpenai());
    expect(missing).toMatchObject({ status: 404, body: { type: 'error', error: { type: 'not_found_error' } } });
  });
});

describe('pages of the list of models', () => {
  const page = async (query: string) => (await ask(`/v1/models?${query}`, claude)).body;

  test('pages forwards and backwards in Anthropic’s list', async () => {
    const first = await page('limit=2');
    expect(first).toMatchObject({ has_more: true, first_id: 'a-chat', last_id: 'b/chat' });
    const second = await page('limit=2&after_id=b%2Fchat');
    expect(second).toMatchObject({ has_more: true, first_id: 'c-chat', last_id: 'd-chat' });
    expect(await page('limit=2&after_id=d-chat')).toMatchObject({
      has_more: false,
      first_id: 'text-embedding-3-small',
    });
    expect(await page('limit=2&before_id=d-chat')).toMatchObject({
      has_more: true,
      first_id: 'b/chat',
      last_id: 'c-chat',
    });
    expect(await page('before_id=a-chat')).toMatchObject({ data: [], has_more: false, first_id: null });
  });

  test('follows Gemini’s page tokens to the end of the list', async () => {
    const seen: string[] = [];
    let token: string | undefined = '';
    for (let count = 0; token !== undefined && count < 10; count++) {
      const query: string = token === '' ? '' : `&pageToken=${token}`;
      const { body } = await ask(`/v1beta/models?pageSize=2${query}`);
      seen.push(...ids(body['models']));
      token = body['nextPageToken'] as string | undefined;
    }
    expect(seen).toEqual(NAMES);
  });

  test.each(['limit=0', 'limit=1001', 'limit=x', 'after_id=none', 'before_id=%00'])(
    'refuses %s in Anthropic’s format',
    async (query) => {
      expect(await ask(`/v1/models?${query}`, claude)).toMatchObject({
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error' } },
      });
    },
  );

  test('refuses invalid page tokens and page sizes', async () => {
    expect((await ask('/v1beta/models?pageToken=x')).status).toBe(400);
    expect((await ask('/v1beta/models?pageSize=-1')).status).toBe(400);
  });
});
