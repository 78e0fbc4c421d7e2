import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import type { RouteCall } from '@switchyard/contract/route';
import { tasks } from '@switchyard/contract/tasks/tasks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SunoVendor, startSunoVendor } from '../../../../../tests/scripted-tasks/scripted-suno.ts';
import { getSafetyCounter } from '../../operations/content-safety/content-safety.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';

const NANO = 1_000_000_000;
const SUNO = 41;
const SONG = 70_000;
const PER_SECOND = 100;
const PER_CHARACTER = 2;

type NewPrice = RouteCall<(typeof prices)['create']>['body'];

let scene: RelayScene;
let vendor: SunoVendor;

beforeAll(async () => {
  vendor = await startSunoVendor();
  scene = await startRelayScene();
  await scene.newChannel({ type: SUNO, models: ['chirp*', 'suno_lyrics'], base_url: vendor.url, key: 'suno-key' });
  await removeShippedPrices(scene.admin, ['chirp', 'suno']);
  const price = (model: string, fields: Pick<NewPrice, 'rates'> & Partial<NewPrice>) =>
    scene.admin.api(prices).create({ body: { model, ...fields } });
  await price('chirp*', { type: 'times', rates: rates.parse({ input: SONG * NANO, output: 0 }) });
  await price('chirp-v4', { rates: rates.parse({ input: 0, output: 0, second: PER_SECOND * NANO }) });
  await price('suno_lyrics', { rates: rates.parse({ input: 0, output: 0, character: PER_CHARACTER * NANO }) });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.tasks.clear();
  vendor.submissions.length = 0;
});

const call = (path: string, body?: unknown, key = scene.key) =>
  fetch(scene.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function submit(action: 'music' | 'lyrics', body: Record<string, unknown>): Promise<string> {
  const response = await call(`/suno/submit/${action}`, body);
  const answer = (await response.json()) as { code: string; data: string };
  expect([response.status, answer.code]).toEqual([200, 'success']);
  return answer.data;
}

async function until(id: string, status: string): Promise<Record<string, unknown>> {
  return advanceUntil(scene.clock, async () => {
    const { data } = (await (await call(`/suno/fetch/${id}`)).json()) as { data: Record<string, unknown> };
    expect(data['status']).toBe(status);
    return data;
  });
}

const available = () => scene.ctx.ledger.readAvailable(scene.user.id);

test('a song has the price of its model, and comes without the proxy’s account', async () => {
  const before = await available();
  const id = await submit('music', { gpt_description_prompt: 'a cat', notify_hook: 'http://x' });
  expect(vendor.submissions[0]).toEqual({
    path: '/suno/submit/music',
    body: { gpt_description_prompt: 'a cat', mv: 'chirp-v3-0' },
  });
  vendor.completeMusic(120);
  const song = await until(id, 'SUCCESS');
  expect(song).toMatchObject({ task_id: id, action: 'MUSIC', progress: '100%', data: [{ title: 'Cat' }, {}] });
  expect(JSON.stringify(song)).not.toContain('the account of the proxy');
  expect(before - (await available())).toBe(SONG);
});

test('a song reaches the proxy without fields that choose another model, or the songs of other users', async () => {
  const sent = { mv: 'chirp-v4', prompt: 'la', tags: 'pop', make_instrumental: true };
  const clips = { persona_id: 'p', cover_clip_id: 'other', artist_clip_id: 'other', clip_ids: ['other'] };
  const others = { metadata: { model: 'chirp-v5' }, task: 'cover', ...clips };
  const response = await call('/suno/submit/music', { ...sent, ...others });
  expect(response.headers.get('x-switchyard-dropped')).toBe(Object.keys(others).join(', '));
  expect(vendor.submissions[0]?.body).toEqual(sent);
});

test('a song that is priced by the second costs its seconds, of which the most was held', async () => {
  const before = await available();
  const id = await submit('music', { prompt: 'la', mv: 'chirp-v4', tags: 'pop', title: 'Cat' });
  expect(before - (await available())).toBe(960 * PER_SECOND);
  vendor.completeMusic(100.2);
  await until(id, 'SUCCESS');
  expect(before - (await available())).toBe(201 * PER_SECOND);
});

test('lyrics cost their letters', async () => {
  const before = await available();
  const id = await submit('lyrics', { prompt: 'about a cat' });
  vendor.completeLyrics('la '.repeat(100));
  expect(await until(id, 'SUCCESS')).toMatchObject({ action: 'LYRICS', data: { title: 'Cat' } });
  expect(before - (await available())).toBe(300 * PER_CHARACTER);
});

test('a song continues a clip of a task at the same proxy', async () => {
  const origin = await submit('music', { prompt: 'la' });
  const theirs = vendor.getLastTask().task_id;
  vendor.completeMusic(60);
  await until(origin, 'SUCCESS');
  await submit('music', { prompt: 'lo', task_id: origin, continue_clip_id: 'clip-1', continue_at: 50 });
  expect(vendor.submissions.at(-1)?.body).toMatchObject({ task_id: theirs, continue_clip_id: 'clip-1' });
});

describe('a song of a channel that offers some models', () => {
  const continuedAs = async (origin: string, path: string, more: Record<string, unknown>, key = scene.key) => {
    const body = { prompt: 'lo', task_id: origin, continue_clip_id: 'clip-1', ...more };
    const response = await call(`/suno/submit/${path}`, body, key);
    return { status: response.status, text: await response.text() };
  };
  const sing = async (owner: string): Promise<string> => {
    const response = await call('/suno/submit/music', { prompt: 'la' }, owner);
    const { data: origin } = (await response.json()) as { data: string };
    vendor.completeMusic(60);
    await advanceUntil(scene.clock, async () => {
      const fetched = await call(`/suno/fetch/${origin}`, undefined, owner);
      expect(await fetched.json()).toMatchObject({ data: { status: 'SUCCESS' } });
    });
    vendor.submissions.length = 0;
    return origin;
  };

  test('a song continues only with models that its channel offers, unless an administrator pins the channel', async () => {
    await scene.admin.api(userGroups).create({ body: { symbol: 'limited', name: 'Limited', public: true } });
    const own = { type: SUNO, base_url: vendor.url, key: 'suno-key' };
    const channel = await scene.newChannel({ ...own, models: ['chirp-v3-0'], group: ['limited'] });
    const key = await scene.newKey({ unlimited_quota: true, group: 'limited' });
    const origin = await sing(key);
    for (const [path, more] of [
      ['music', { mv: 'chirp-v4' }],
      ['music', { mv: 'dear' }],
      ['lyrics', {}],
    ] as const) {
      const { status, text } = await continuedAs(origin, path, more, key);
      expect([status, text], text).toEqual([404, expect.stringContaining('does not offer the model')]);
    }
    expect(vendor.submissions).toEqual([]);
    expect((await continuedAs(origin, 'music', {}, key)).status).toBe(200);
    expect((await continuedAs(origin, 'music', { mv: 'chirp-v3-0' }, key)).status).toBe(200);
    await scene.ctx.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'top-up', ref: 'test:admin', userId: scene.admin.id, amount: 10_000_000, note: '' }),
    );
    const adminKey = await scene.newKey({ unlimited_quota: true, group: 'limited' }, scene.admin);
    const theirs = await sing(adminKey);
    expect((await continuedAs(theirs, 'music', { mv: 'chirp-v4' }, adminKey)).status).toBe(404);
    expect((await continuedAs(theirs, 'music', { mv: 'chirp-v4' }, `${adminKey}#${channel}`)).status).toBe(200);
  });
});

test('a song named after its task can be continued', async () => {
  const origin = await submit('music', { prompt: 'la' });
  const theirs = vendor.getLastTask().task_id;
  const audio_url = 'https://songs.test/1.mp3';
  Object.assign(vendor.getLastTask(), { status: 'SUCCESS', data: [{ id: `${theirs}_1`, audio_url }] });
  await until(origin, 'SUCCESS');
  await submit('music', { prompt: 'lo', task_id: origin, continue_clip_id: `${origin}_1` });
  expect(vendor.submissions.at(-1)?.body).toMatchObject({ task_id: theirs, continue_clip_id: `${theirs}_1` });
});

test.each([
  [{ continue_clip_id: 'clip-of-another' }, 400],
  [{ continue_clip_id: '' }, 200],
  [{ continue_clip_id: null }, 200],
  [{ continue_clip_id: 7 }, 200],
  [{}, 200],
  [{ Continue_clip_id: 'clip-of-another' }, 400],
])('asks the proxy for no song of another user by %j', async (named, status) => {
  const origin = await submit('music', { prompt: 'la' });
  const theirs = vendor.getLastTask().task_id;
  vendor.completeMusic(60);
  await until(origin, 'SUCCESS');
  vendor.submissions.length = 0;
  const ids = [origin, theirs];
  const answers = await Promise.all(
    ids.map((task_id) => call('/suno/submit/music', { prompt: 'lo', task_id, ...named })),
  );
  expect(answers[0]?.status).toBe(status);
  for (const { body } of vendor.submissions) {
    expect(body).not.toHaveProperty('task_id');
    expect(body).not.toHaveProperty('continue_clip_id');
  }
});

test.each(['music', 'lyrics'] as const)(
  'what the proxy calls %s is never shown, also before its first news',
  async (action) => {
    const id = await submit(action, { prompt: 'la' });
    const theirs = vendor.getLastTask().task_id;
    const text = await (await call(`/suno/fetch/${id}`)).text();
    expect(text).not.toContain(theirs);
    expect(JSON.parse(text)).toMatchObject({ data: { task_id: id, data: null } });
    expect(await (await call('/suno/fetch', { ids: [id, theirs] })).text()).not.toContain(theirs);
    expect((await call(`/suno/fetch/${theirs}`)).status).toBe(404);
    const data = [{ id: 'clip', task_id: theirs, audio_url: 'https://songs.test/1.mp3', extra: { of: [theirs] } }];
    Object.assign(vendor.getLastTask(), { status: 'Success', data });
    expect(JSON.stringify(await until(id, 'SUCCESS'))).not.toContain(theirs);
  },
);

test('a song that fails costs nothing', async () => {
  const before = await available();
  const id = await submit('music', { prompt: 'la' });
  Object.assign(vendor.getLastTask(), { status: 'FAILURE', fail_reason: 'the words are not allowed' });
  expect(await until(id, 'FAILURE')).toMatchObject({ fail_reason: 'the words are not allowed' });
  expect(await available()).toBe(before);
});

test('fetches several tasks at once, and none of another user', async () => {
  const ids = [await submit('music', { prompt: 'a' }), await submit('music', { prompt: 'b' })];
  const list = (await (await call('/suno/fetch', { ids })).json()) as { data: { task_id: string }[] };
  expect(list.data.map(({ task_id }) => task_id)).toEqual(ids);
  const stranger = await scene.createUser('user', { quota: 10_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, stranger);
  expect(await (await call('/suno/fetch', { ids }, key)).json()).toMatchObject({ data: [] });
  expect((await call(`/suno/fetch/${ids[0]}`, undefined, key)).status).toBe(404);
});

test.each([
  ['lyrics', {}, 'prompt'],
  ['music', { continue_clip_id: 'clip-1' }, 'task_id'],
])('rejects an invalid request in the proxy’s error format: %s %j', async (action, body, field) => {
  const response = await call(`/suno/submit/${action}`, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ message: expect.stringContaining(field) as string, data: null });
  expect(vendor.submissions).toEqual([]);
});

describe('with rules of content safety', () => {
  const safety = () => scene.admin.api(contentSafety);
  const rule = (form: object) =>
    safety().create({ body: safetyRuleForm.parse({ name: 'List', kind: 'words', words: ['bomb'], ...form }) });
  afterEach(async () => {
    for (const { id } of await safety().list()) await safety().remove({ params: { id } });
  });

  test.each([
    ['music', { prompt: 'la bomb la' }],
    ['music', { gpt_description_prompt: 'a song of a bomb' }],
    ['music', { prompt: 'la', title: 'Bomb' }],
    ['music', { prompt: 'la', tags: 'pop, bomb' }],
    ['music', { prompt: 'la', negative_tags: 'bomb' }],
    ['lyrics', { prompt: 'about a bomb' }],
  ])('%s of %j is not ordered', async (action, body) => {
    await rule({ action: 'refuse' });
    const answer = await call(`/suno/submit/${action}`, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'content_filter', data: null }]);
    expect(vendor.submissions).toEqual([]);
  });

  test('sends no masked text to the proxy', async () => {
    await rule({ action: 'mask' });
    await submit('music', { prompt: 'la bomb', tags: 'bomb' });
    expect(vendor.submissions[0]?.body).toMatchObject({ prompt: 'la ***', tags: '***' });
  });

  test('lyrics that were written lose masked words wherever they are shown', async () => {
    const { id: ruleId } = await rule({ action: 'mask', input: false, output: true });
    const id = await submit('lyrics', { prompt: 'about a cat' });
    vendor.completeLyrics('the bomb sang');
    expect(await until(id, 'SUCCESS')).toMatchObject({ data: { text: 'the *** sang', title: 'Cat' } });
    const { data } = await scene.user.api(tasks).listOwn({ query: { task_id: id } });
    expect(data[0]?.works).toMatchObject([{ text: 'the *** sang' }]);
    const { news } = await scene.ctx.db.writer
      .selectFrom('task')
      .select('news')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(news).not.toContain('bomb');
    await getSafetyCounter(scene.ctx).write();
    expect((await safety().list()).find((one) => one.id === ruleId)?.found).toBe(1);
  });

  test('a song whose words are refused is not shown, not while it is made either, and costs nothing', async () => {
    await rule({ action: 'refuse', input: false, output: true });
    const before = await available();
    const id = await submit('music', { gpt_description_prompt: 'a cat' });
    vendor.completeMusic(60);
    const data = JSON.parse(JSON.stringify(vendor.getLastTask().data).replaceAll('la la', 'a bomb')) as unknown;
    Object.assign(vendor.getLastTask(), { data, status: 'IN_PROGRESS' });
    expect(await until(id, 'IN_PROGRESS')).toMatchObject({ data: null });
    Object.assign(vendor.getLastTask(), { status: 'SUCCESS' });
    const song = await until(id, 'FAILURE');
    expect(song).toMatchObject({
      data: null,
      fail_reason:
        'The content policy of this gateway blocked the result. Change the request, or send its ID to the operator.',
    });
    expect(await available()).toBe(before);
  });

  test('a user’s songs that are refused without a charge are limited', async () => {
    await rule({ action: 'refuse', input: false, output: true });
    const singer = await scene.createUser('user', { quota: 100_000_000 });
    const key = await scene.newKey({ unlimited_quota: true }, singer);
    const order = (): Promise<Response> => call('/suno/submit/lyrics', { prompt: 'about a cat' }, key);
    for (let nth = 0; nth < 30; nth += 1) {
      expect((await order()).status).toBe(200);
      vendor.completeLyrics('a bomb');
    }
    await advanceUntil(scene.clock, async () => {
      const rows = scene.ctx.db.writer.selectFrom('task').select('status').where('user_id', '=', singer.id);
      expect((await rows.execute()).map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 'failed'));
    });
    const refused = await order();
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining('30 failed requests per minute'),
    ]);
    expect((await call('/suno/submit/lyrics', { prompt: 'about a cat' })).status).toBe(200);
  });

  test('a song keeps its addresses, with any content', async () => {
    await rule({ action: 'mask', input: false, output: true });
    const id = await submit('music', { prompt: 'la' });
    vendor.completeMusic(60);
    const url = `${vendor.url}/bomb.mp3`;
    const data = JSON.parse(
      JSON.stringify(vendor.getLastTask().data).replaceAll(`${vendor.url}/1.mp3`, url),
    ) as unknown;
    Object.assign(vendor.getLastTask(), { data });
    expect(await until(id, 'SUCCESS')).toMatchObject({ data: [{ audio_url: url }, {}] });
  });
});

describe('a song that was delivered before its task ends without success', () => {
  const song = (status: string, duration: number | null) => ({
    id: 'clip-1',
    audio_url: `${vendor.url}/1.mp3`,
    status,
    metadata: { duration },
  });
  const chargeOf = async (id: string) => {
    const { request_id, charge } = await scene.ctx.db.writer
      .selectFrom('task')
      .select(['request_id', 'charge'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect((await scene.ctx.ledger.readCharge(request_id)) ?? 0).toBe(charge);
    return charge;
  };
  const ends: [string, () => void][] = [
    [
      'fails',
      () => Object.assign(vendor.getLastTask(), { status: 'FAILURE', fail_reason: 'One clip failed.', data: [] }),
    ],
    ['expires', () => scene.clock.advance(3_700)],
  ];

  test.each(ends)('costs its price if it is finished when its task %s', async (_how, end) => {
    const id = await submit('music', { prompt: 'la', mv: 'chirp-v4' });
    Object.assign(vendor.getLastTask(), {
      status: 'IN_PROGRESS',
      data: [song('complete', 180), song('streaming', null)],
    });
    await advanceUntil(scene.clock, async () =>
      expect(await (await call(`/suno/fetch/${id}`)).text()).toContain('1.mp3'),
    );
    end();
    expect(JSON.stringify(await until(id, 'SUCCESS'))).toContain('1.mp3');
    expect(await chargeOf(id)).toBe(180 * PER_SECOND);
  });

  test.each(ends)('costs nothing and is withheld if it is a preview when its task %s', async (_how, end) => {
    const id = await submit('music', { prompt: 'la', mv: 'chirp-v4' });
    Object.assign(vendor.getLastTask(), { status: 'IN_PROGRESS', data: [song('streaming', null)] });
    await advanceUntil(scene.clock, async () =>
      expect(await (await call(`/suno/fetch/${id}`)).text()).toContain('1.mp3'),
    );
    end();
    expect(JSON.stringify(await until(id, 'FAILURE'))).not.toContain('1.mp3');
    expect((await scene.user.fetch(`/api/task/${id}/work/0`)).status).toBe(404);
    expect(await chargeOf(id)).toBe(0);
  });
});
