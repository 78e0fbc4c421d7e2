/** Charges for recordings, speech and images at vendors that take or count more than OpenAI does. */

import { NANO_POINTS_PER_POINT as POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { type Reply, startTestVendor, type TestVendor, type VendorRequest } from '../../testing/simulated-vendor.ts';

/** Points of a second, a character and an image. */
const SECOND = 1_000;
const CHARACTER = 10;
const HD_CHARACTER = 22;
const IMAGE = 20_000;
/** Points of an image by its size, where the price has no plain rate. */
const SMALL_IMAGE = 10_000;
const LARGE_IMAGE = 40_000;
/** Model that chooses the size and the quality of an image, and its rates. */
const CHOOSER = 'gpt-image-test';
const chosenRates = { '1024x1024/low': SMALL_IMAGE * POINT, '1536x1024/high': LARGE_IMAGE * POINT };

/** Channel types, and what has a price. */
const models = {
  'mistral-hears': { type: 30, second: SECOND * POINT },
  'groq-hears': { type: 31, second: SECOND * POINT },
  'azure-speaks': { type: 24, character: CHARACTER * POINT },
  'tts-1-hd': { type: 24, character: HD_CHARACTER * POINT },
  'nova-3': { type: 1202, second: SECOND * POINT },
  'aura-test-en': { type: 1202, character: CHARACTER * POINT },
  'aura-2-test-en': { type: 1202, character: CHARACTER * POINT },
  'fal-ai/draws': { type: 1205, image: IMAGE * POINT },
  'grok-draws': { type: 56, image: IMAGE * POINT },
  'ideogram-v3': { type: 1203, image: IMAGE * POINT },
  core: { type: 37, image: IMAGE * POINT },
};

let scene: RelayScene;
let vendor: TestVendor;
let reply: Reply = {};
let sent: Pick<VendorRequest, 'query' | 'body'> = { query: new URLSearchParams(), body: '' };

beforeAll(async () => {
  scene = await startRelayScene();
  vendor = await startTestVendor({}, (request) => {
    sent = request;
    return reply;
  });
  await removeShippedPrices(scene.admin, ['tts-1-hd']);
  for (const [model, { type, ...own }] of Object.entries(models)) {
    await scene.newChannel({ type, base_url: vendor.url, models: [model] });
    await scene.admin.api(prices).create({ body: { model, rates: rates.parse({ input: 0, output: 0, ...own }) } });
  }
  await scene.newChannel({ type: 1002, base_url: vendor.url, models: ['together-draws'] });
  await scene.newChannel({ type: 1, base_url: vendor.url, models: [CHOOSER] });
  const chooserRates = rates.parse({ input: 0, output: 0, image: IMAGE * POINT });
  await scene.admin.api(prices).create({ body: { model: CHOOSER, rates: chooserRates, image_rates: chosenRates } });
  const image_rates = { '1024x1024': SMALL_IMAGE * POINT, '2048x2048': LARGE_IMAGE * POINT };
  const free = rates.parse({ input: 0, output: 0 });
  await scene.admin.api(prices).create({ body: { model: 'together-draws', rates: free, image_rates } });
});
afterAll(async () => {
  await vendor.close();
  await scene.close();
});

/** Returns the charge in points, and the names of the fields that were not sent. */
/** Number of records before the next call, which may be recorded before anything else is read. */
let recorded = 0;
beforeEach(async () => {
  await scene.waitUntilSettled();
  recorded = (await scene.records()).length;
});

async function settle(call: Promise<Response>): Promise<{ charge: number | undefined; dropped: string | null }> {
  const response = await call;
  await response.text();
  await scene.waitUntilSettled();
  expect(response.status).toBe(200);
  const records = await scene.records();
  const [record, ...more] = records.slice(recorded);
  recorded = records.length;
  expect(more).toEqual([]);
  return { charge: record?.quota, dropped: response.headers.get('x-switchyard-dropped') };
}

/** Ten seconds, by its size. */
const recording = () => new File([Buffer.alloc(80_000)], 'speech.bin');

function transcribe(fields: Readonly<Record<string, string>>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', recording());
  const headers = { authorization: `Bearer ${scene.key}` };
  return fetch(`${scene.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
}

const speak = (model: string, input: string, voice: string) => scene.post('/v1/audio/speech', { model, input, voice });
const sound: Reply = { headers: { 'content-type': 'audio/mpeg' }, text: Buffer.from('sound') };

test.each([
  ['the dearest image that the vendor may choose', {}, LARGE_IMAGE],
  ['the dearest size', { size: 'auto', quality: 'high' }, LARGE_IMAGE],
  ['the dearest quality', { size: '1536x1024', quality: 'auto' }, LARGE_IMAGE],
  ['the image that is asked for', { size: '1024x1024', quality: 'low' }, SMALL_IMAGE],
])('holds %s, and charges the delivered one: %j', async (_what, fields, image) => {
  const data = [{ b64_json: 'QUJD' }, { b64_json: 'QUJD' }];
  reply = { json: { created: 1, data, size: '1024x1024', quality: 'low' } };
  const draw = async (quota: number): Promise<Response> => {
    const owner = await scene.createUser('user', { quota });
    const key = await scene.newKey({ unlimited_quota: true }, owner);
    return scene.post('/v1/images/generations', { model: CHOOSER, prompt: 'cats', n: 2, ...fields }, { key });
  };
  expect((await draw(2 * image - 1)).status).toBe(429);
  expect((await settle(draw(2 * image))).charge).toBe(2 * SMALL_IMAGE);
});

test.each([false, true])('charges the seconds of audio that Mistral reports (stream: %s)', async (stream) => {
  const usage = { prompt_audio_seconds: 12, prompt_tokens: 8, completion_tokens: 4, total_tokens: 387 };
  const said = { model: 'mistral-hears', text: 'Hello.', language: 'en', segments: [], usage };
  const events = [
    { type: 'transcription.text.delta', text: 'Hello.' },
    { type: 'transcription.done', ...said },
  ];
  reply = stream
    ? {
        headers: { 'content-type': 'text/event-stream' },
        text: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      }
    : { json: said };
  const fields = { model: 'mistral-hears', ...(stream ? { stream: 'true' } : {}) };
  expect(await settle(transcribe(fields))).toEqual({ charge: 12 * SECOND, dropped: null });
});

test.each([
  ['mistral-hears', 'file_url'],
  ['mistral-hears', 'file_id'],
  ['groq-hears', 'url'],
])('sends %s the recording that it charges, and not that of %s', async (model, field) => {
  reply = { json: { text: 'Hello.' } };
  const other = 'https://recordings.test/an-hour.mp3';
  expect(await settle(transcribe({ model, [field]: other }))).toEqual({ charge: 10 * SECOND, dropped: field });
  expect(sent.body).toContain('name="file"');
  expect(sent.body).not.toContain(other);
});

test.each([
  ['aura-test-en', 'aura-2-other-en', 'aura-test-en', 'voice'],
  ['aura-2-test-en', 'aura-other-en', 'aura-2-test-en', 'voice'],
  ['aura-2-test-en', 'aura-2-other-en', 'aura-2-other-en', null],
])('charges %s for the voice %s, and Deepgram speaks with %s', async (model, voice, spoken, dropped) => {
  reply = sound;
  expect(await settle(speak(model, 'hello', voice))).toEqual({ charge: 5 * CHARACTER, dropped });
  expect(sent.query.get('model')).toBe(spoken);
});

test.each([
  ['hello', 5],
  ['a你好', 5],
  ['日本のテレビ', 8],
])('charges %j at Azure Speech as %s characters', async (input, characters) => {
  reply = sound;
  expect((await settle(speak('azure-speaks', input, 'alloy'))).charge).toBe(characters * CHARACTER);
});

test('charges the markup of a speed and a role at Azure Speech', async () => {
  reply = sound;
  const order = { model: 'azure-speaks', input: 'R&D, don’t "stop"', voice: 'zh-CN-YunxiNeural|Boy', speed: 1.5 };
  const { charge } = await settle(scene.post('/v1/audio/speech', order));
  const markup = '<mstts:express-as role="Boy"><prosody rate="1.5"></prosody></mstts:express-as>';
  expect(charge).toBe((order.input.length + markup.length) * CHARACTER);
  expect(sent.body).toContain('<mstts:express-as role="Boy"><prosody rate="1.5">R&amp;D');
});

test('speaks with an HD voice of Azure only for a model that is priced for it', async () => {
  reply = sound;
  const voice = 'en-US-Ava:DragonHDLatestNeural';
  expect((await settle(speak('tts-1-hd', 'hello', voice))).charge).toBe(5 * HD_CHARACTER);
  const before = (await scene.records()).length;
  const response = await speak('azure-speaks', 'hello', voice);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param: 'voice' } });
  await scene.waitUntilSettled();
  const charges = (await scene.records()).slice(before).map(({ quota }) => quota);
  expect(charges.every((quota) => quota === 0)).toBe(true);
});

test.each([
  ['multi', null, 'language'],
  ['de', 'de', null],
])('asks Deepgram for the language %s at the price of one language', async (language, asked, dropped) => {
  const channels = [{ alternatives: [{ transcript: 'Hallo.' }] }];
  reply = { json: { metadata: { duration: 12 }, results: { channels } } };
  expect(await settle(transcribe({ model: 'nova-3', language }))).toEqual({ charge: 12 * SECOND, dropped });
  expect(sent.query.get('language')).toBe(asked);
  expect(sent.query.get('detect_language')).toBe(asked === null ? 'true' : null);
});

test('asks fal for the image that is charged', async () => {
  reply = { json: { images: [{ url: 'https://images.test/1.png' }] } };
  const options = { resolution: '4K', enable_web_search: true, thinking_level: 'high' };
  const order = { model: 'fal-ai/draws', prompt: 'a cat', seed: 7 };
  const call = scene.post('/v1/images/generations', { ...order, ...options });
  expect(await settle(call)).toEqual({ charge: IMAGE, dropped: Object.keys(options).join(', ') });
  expect(JSON.parse(sent.body)).toEqual({ prompt: 'a cat', seed: 7 });
});

test('asks xAI for the image that is charged', async () => {
  reply = { json: { data: [{ url: 'https://images.test/1.png' }] } };
  const order = { model: 'grok-draws', prompt: 'a cat', aspect_ratio: '1:1' };
  const call = scene.post('/v1/images/generations', { ...order, resolution: '2k' });
  expect(await settle(call)).toEqual({ charge: IMAGE, dropped: 'resolution' });
  expect(JSON.parse(sent.body)).toEqual(order);
});

const REJECTED = 'rejected by content moderation.';
const ideogram = { is_image_safe: false, url: null };
test.each<[string, string, Reply, number, number]>([
  [
    'some images of Ideogram',
    'ideogram-v3',
    { json: { data: [ideogram, { url: 'https://images.test/1.png' }] } },
    200,
    2,
  ],
  ['all images of Ideogram', 'ideogram-v3', { json: { data: [ideogram, ideogram] } }, 400, 2],
  ['Stability’s image', 'core', { json: { image: 'QUJD', finish_reason: 'CONTENT_FILTERED' } }, 400, 1],
  ['xAI’s image, by an error', 'grok-draws', { status: 400, json: { error: `Generated image ${REJECTED}` } }, 400, 2],
  ['xAI’s image', 'grok-draws', { json: { data: [{ respect_moderation: false }] } }, 200, 1],
])('charges what a vendor withholds and bills: %s', async (_what, model, withheld, status, images) => {
  reply = withheld;
  const before = (await scene.records()).length;
  const response = await scene.post('/v1/images/generations', { model, prompt: 'a cat', ...(images > 1 && { n: 2 }) });
  expect(response.status).toBe(status);
  await response.text();
  await scene.waitUntilSettled();
  expect((await scene.records()).slice(before)).toMatchObject([{ type: 'consume', quota: images * IMAGE }]);
});

test('charges the prompt that Azure’s content filter blocks and Azure bills', async () => {
  const error = { code: 'content_filter', message: 'The response was filtered.', status: 400 };
  await scene.newChannel({ type: 3, base_url: vendor.url, models: ['blocked'], key: 'k' });
  const rate = { input: POINT, output: 0 };
  await scene.admin.api(prices).create({ body: { model: 'blocked', rates: rates.parse(rate) } });
  const charged = async (blocked: Reply): Promise<number> => {
    reply = blocked;
    const before = (await scene.records()).length;
    const content = 'word '.repeat(1_000);
    expect((await scene.chat('blocked', { messages: [{ role: 'user', content }] })).status).toBe(400);
    await scene.waitUntilSettled();
    return (await scene.records()).slice(before).reduce((sum, { quota }) => sum + quota, 0);
  };
  expect(await charged({ status: 400, json: { error } })).toBeGreaterThan(900);
  expect(await charged({ status: 400, json: { error: { ...error, code: 'invalid_value' } } })).toBe(0);
});

test('asks one key of xAI for content that xAI refuses and bills, and limits its user', async () => {
  const message =
    'Content violates usage guidelines. Team: 0f8fad5b-d9cb-469f-a165-70867728950e, ' +
    'API key ID: 7c9e6679-7425-40de-944b-e07fc1f90ae7, Model: grok-says, Failed check: SAFETY_CHECK_TYPE_BIO';
  reply = { status: 403, json: { code: 'permission-denied', error: message } };
  await scene.newChannel({
    type: 56,
    base_url: vendor.url,
    models: ['grok-says'],
    key: 'a\nb',
    keys_as: 'one-channel',
  });
  const user = await scene.createUser('user', { quota: 100_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, user);
  const before = vendor.asked.length;
  for (let nth = 0; nth < 30; nth += 1) {
    const response = await scene.chat('grok-says', {}, key);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Team: [account], API key ID: [account], Model: grok-says');
  }
  const limited = await scene.chat('grok-says', {}, key);
  expect([limited.status, await limited.text()]).toEqual([
    429,
    expect.stringContaining('30 failed requests per minute'),
  ]);
  expect(vendor.asked.length - before).toBe(30);
  await scene.waitUntilSettled();
});

test.each([
  [{}, {}, SMALL_IMAGE],
  [{ size: '1024x1024' }, { width: 1024, height: 1024 }, SMALL_IMAGE],
  [{ size: '2048x2048' }, { width: 2048, height: 2048 }, LARGE_IMAGE],
  [{ width: 2048, height: 2048 }, { width: 2048, height: 2048 }, LARGE_IMAGE],
  [{ image_size: '2048x2048' }, { width: 2048, height: 2048 }, LARGE_IMAGE],
  [{ size: '1536x1024' }, { width: 1536, height: 1024 }, LARGE_IMAGE],
])('charges the size %j that Together AI gets, at the highest rate if the price does not list it', async (...row) => {
  const [fields, size, charge] = row;
  reply = { json: { data: [{ url: 'https://images.test/1.png' }] } };
  const order = { model: 'together-draws', prompt: 'a cat' };
  const call = scene.post('/v1/images/generations', { ...order, ...fields });
  expect(await settle(call)).toEqual({ charge, dropped: null });
  expect(JSON.parse(sent.body)).toEqual({ ...order, ...size });
});

test('refuses an image size that is charged as the default, before the vendor is asked', async () => {
  sent = { query: new URLSearchParams(), body: '' };
  const order = { model: 'together-draws', prompt: 'a cat', size: ['2048x2048'] };
  const response = await scene.post('/v1/images/generations', order);
  expect(response.status).toBe(400);
  const message = expect.stringContaining('size must be a string, not an array.');
  expect(await response.json()).toMatchObject({ error: { param: 'size', message } });
  expect(sent.body).toBe('');
});

describe('a chat with a model whose price has no rate for tokens', () => {
  const models = {
    'chat-draws': { rates: { image: IMAGE * POINT } },
    'chat-draws-by-size': { rates: {}, image_rates: { small: SMALL_IMAGE * POINT, large: LARGE_IMAGE * POINT } },
    'chat-films': { rates: { image: IMAGE * POINT, second: SECOND * POINT } },
    'chat-speaks': { rates: { character: CHARACTER * POINT } },
    'chat-seeks': { rates: { webSearch: IMAGE * POINT } },
    'chat-free': { rates: {} },
    'gemini-draws': { rates: { image: IMAGE * POINT } },
  };
  beforeAll(async () => {
    const { 'gemini-draws': _gemini, ...others } = models;
    await scene.newChannel({ base_url: vendor.url, models: Object.keys(others) });
    await scene.newChannel({ type: 25, base_url: vendor.url, models: ['gemini-draws'] });
    for (const [model, { rates: own, ...more }] of Object.entries(models)) {
      const body = savePrice.parse({ model, rates: { input: 0, output: 0, ...own }, ...more });
      await scene.admin.api(prices).create({ body });
    }
  });
  const answerWith = (usage: object | undefined, content: string): Reply => ({
    json: {
      id: 'chat_1',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage,
    },
  });
  const reported = { prompt_tokens: 9, completion_tokens: 2 };

  test.each<[model: string, usage: object | undefined, content: string, charge: number]>([
    ['chat-draws', reported, '![cat](https://images.test/1.png)', IMAGE],
    ['chat-draws', undefined, '![cat](https://images.test/1.png)', IMAGE],
    ['chat-draws-by-size', reported, 'A cat.', LARGE_IMAGE],
    ['chat-films', reported, 'A cat.', SECOND],
    ['chat-speaks', reported, 'A cat.', CHARACTER],
    ['chat-seeks', reported, 'A cat.', 0],
    ['chat-free', reported, 'A cat.', 0],
  ])('charges one unit of the cheapest kind: %s, with the report %j', async (model, usage, content, charge) => {
    reply = answerWith(usage, content);
    expect((await settle(scene.chat(model))).charge).toBe(charge);
  });

  const drawn = (count: number) => ({
    role: 'assistant',
    content: '',
    images: Array.from({ length: count }, (_, nth) => ({
      type: 'image_url',
      image_url: { url: `https://images.test/${nth}.png` },
      b64_json: null,
    })),
  });
  const choices = (member: 'message' | 'delta', images: readonly number[]) =>
    images.map((count, index) => ({ index, [member]: drawn(count), finish_reason: 'stop' }));
  const stream = (events: readonly object[]): Reply => ({
    headers: { 'content-type': 'text/event-stream' },
    text: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
  });

  test.each<[model: string, asked: number, images: number[], charge: number]>([
    ['chat-draws', 3, [1, 1, 1], 3 * IMAGE],
    ['chat-draws', 3, [0, 0], 2 * IMAGE],
    ['chat-draws', 3, [1], IMAGE],
    ['chat-draws', 1, [4], 4 * IMAGE],
    ['chat-films', 2, [1, 4], 2 * SECOND],
  ])('charges each choice, and each image if there are more: %s, n = %s, images %j', async (...row) => {
    const [model, n, images, charge] = row;
    const head = { id: 'chat_1', object: 'chat.completion' };
    reply = { json: { ...head, choices: choices('message', images), usage: reported } };
    expect((await settle(scene.chat(model, { n }))).charge).toBe(charge);
    const events = choices('delta', images).map((choice) => ({ ...head, choices: [choice] }));
    reply = stream([...events, { ...head, choices: [], usage: reported }]);
    expect((await settle(scene.chat(model, { n, stream: true }))).charge).toBe(charge);
  });

  test("charges each image of Gemini's", async () => {
    const part = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const answer = { candidates: [{ index: 0, content: { parts: [part, part] }, finishReason: 'STOP' }] };
    const contents = [{ role: 'user', parts: [{ text: 'two cats' }] }];
    reply = { json: answer };
    expect((await settle(scene.post('/v1beta/models/gemini-draws:generateContent', { contents }))).charge).toBe(
      2 * IMAGE,
    );
    expect((await settle(scene.chat('gemini-draws'))).charge).toBe(2 * IMAGE);
    reply = stream([answer]);
    const path = '/v1beta/models/gemini-draws:streamGenerateContent?alt=sse';
    expect((await settle(scene.post(path, { contents }))).charge).toBe(2 * IMAGE);
    expect((await settle(scene.chat('gemini-draws', { stream: true }))).charge).toBe(2 * IMAGE);
  });

  test('holds a unit for each requested choice', async () => {
    const owner = await scene.createUser('user', { quota: 3 * IMAGE });
    const key = await scene.newKey({ unlimited_quota: true }, owner);
    expect((await scene.chat('chat-draws', { n: 4 }, key)).status).toBe(429);
    reply = answerWith(reported, 'A cat.');
    expect((await scene.chat('chat-draws', { n: 3 }, key)).status).toBe(200);
    await scene.waitUntilSettled();
  });

  test('refuses an account without points', async () => {
    const poor = await scene.createUser('user', { quota: 0 });
    const { status } = await scene.chat('chat-draws', {}, await scene.newKey({ unlimited_quota: true }, poor));
    expect(status).toBe(429);
  });

  test('charges embeddings with such a model', async () => {
    reply = { json: { data: [{ embedding: [0.1], index: 0 }], usage: { prompt_tokens: 3, total_tokens: 3 } } };
    expect((await settle(scene.post('/v1/embeddings', { model: 'chat-draws', input: 'cat' }))).charge).toBe(IMAGE);
  });
});
