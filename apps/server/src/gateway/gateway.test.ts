/** Endpoints other than chat, streamed and not, are charged exactly and refuse in OpenAI's format. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { NANO_POINTS_PER_POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { toPoints } from '@switchyard/contract/money';
import type { RouteCall } from '@switchyard/contract/route';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { SAMPLE_IMAGE } from '../../../../tests/scripted-upstream/other-answers.ts';
import { generateTokens } from '../../../../tests/scripted-upstream/scripted-response.ts';
import { verifyLedger } from '../ledger/ledger.ts';
import { createClientAddress } from '../platform/http/client-address.ts';
import { NOON, type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { startTestVendor } from '../testing/simulated-vendor.ts';
import { createGateway } from './gateway.ts';

const POINT = NANO_POINTS_PER_POINT;
const TOKENS = rates.parse({ input: POINT, output: 5 * POINT, imageOutput: 9 * POINT, audioInput: 3 * POINT });
const none = { input: 0, output: 0 };

let scene: RelayScene;

beforeAll(async () => {
  // The count of tokens is waited for, however busy the machine is.
  scene = await startRelayScene({ now: NOON });
  await scene.newChannel({
    models: ['scripted*', 'gpt-*', 'dall-e*', 'tts-1*', 'whisper-1*', 'my-*', 'omni-*', 'rerank-v3.5'],
    model_mapping: { 'my-pictures': 'gpt-image-1', 'my-whisper': 'whisper-1' },
  });
  const byToken = ['gpt-image-1', 'gpt-4o-transcribe', 'gpt-4o-mini-tts', 'gpt-4o-mini-tts+*', 'scripted*'];
  for (const model of byToken) await priced(model, { rates: TOKENS });
  for (const model of ['dall-e-3', 'dall-e-3+*'])
    await priced(model, {
      rates: rates.parse({ ...none, image: 500 * POINT }),
      image_rates: { '1024x1024/hd': 800 * POINT, '1792x1024': 600 * POINT },
    });
  for (const model of ['tts-1', 'tts-1+*'])
    await priced(model, { rates: rates.parse({ ...none, character: 7 * POINT }) });
  await priced('whisper-1', { rates: rates.parse({ ...none, second: 50 * POINT }) });
});
afterAll(async () => {
  await scene.waitUntilSettled();
  const { problems } = await verifyLedger(scene.ctx.db.reader);
  await scene.close();
  expect(problems).toEqual([]);
});
beforeEach(() => {
  scene.upstream.requests.length = 0;
  scene.upstream.setScript(undefined);
});

type Price = RouteCall<(typeof prices)['create']>['body'];

/** In place of the shipped price, if there is one. */
async function priced(model: string, price: Omit<Price, 'model'>): Promise<void> {
  const api = scene.admin.api(prices);
  const known = await api.all();
  if (known.some((entry) => entry.model === model)) await api.remove({ params: { model } });
  await api.create({ body: { model, ...price } });
}

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

/** POSTs a form with the key. */
function postForm(path: string, fields: Record<string, string | Blob>): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return fetch(scene.url + path, { method: 'POST', headers: { authorization: `Bearer ${scene.key}` }, body: form });
}

/** Speech of so many seconds, 16 kHz. */
function wav(seconds: number): Blob {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0).toString();
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(seconds * 32_000, 40);
  return new File([header, new Uint8Array(seconds * 32_000)], 'speech.wav', { type: 'audio/wav' });
}

const picture = () => new File([Buffer.from(SAMPLE_IMAGE, 'base64')], 'cat.png', { type: 'image/png' });

describe('images', () => {
  test('charges images by the reported tokens', async () => {
    const response = await scene.post('/v1/images/generations', { model: 'gpt-image-1', prompt: 'a small cat' });
    expect(await response.json()).toMatchObject({ data: [{ b64_json: SAMPLE_IMAGE }] });
    const record = await lastRecord();
    expect(record).toMatchObject({ usage_source: 'reported', prompt_tokens: 3, completion_tokens: 10 });
    expect(record.quota).toBe(3 + 10 * 9);
    expect(response.headers.get('x-switchyard-points')).toBe('93');
  });

  test.each([
    [{}, 500],
    [{ n: 3 }, 1_500],
    [{ quality: 'hd' }, 800],
    [{ quality: 'hd', n: 2 }, 1_600],
    [{ size: '1792x1024', quality: 'hd' }, 600],
  ])('asked for by %j cost %i points', async (more, points) => {
    await scene.post('/v1/images/generations', { model: 'dall-e-3', prompt: 'a cat', ...more });
    expect((await lastRecord()).quota).toBe(points);
  });

  test('streams partial images before the final one', async () => {
    const response = await scene.post('/v1/images/generations', {
      model: 'gpt-image-1',
      prompt: 'a small cat',
      stream: true,
      partial_images: 2,
    });
    const text = await response.text();
    expect(text.match(/^event: \S+/gm)).toEqual([
      'event: image_generation.partial_image',
      'event: image_generation.partial_image',
      'event: image_generation.completed',
    ]);
    expect(await lastRecord()).toMatchObject({ quota: 3 + 10 * 9, usage_source: 'reported', is_stream: 1 });
  });

  test('charges one image when a stream breaks off after a partial one', async () => {
    const body = { model: 'dall-e-3+cut-after-1', prompt: 'a cat', stream: true, partial_images: 2 };
    const response = await scene.post('/v1/images/generations', body);
    expect(await response.text()).toContain('"error":');
    expect((await lastRecord()).quota).toBe(500);
  });

  test('forwards the form of an image edit unchanged except for the model’s name', async () => {
    const response = await postForm('/v1/images/edits', {
      model: 'my-pictures',
      prompt: 'with a hat',
      'image[]': picture(),
    });
    expect(await response.json()).toMatchObject({ data: [{ b64_json: SAMPLE_IMAGE }] });
    const [served] = scene.upstream.requests;
    expect(served).toMatchObject({ path: '/v1/images/edits', json: { model: 'gpt-image-1', prompt: 'with a hat' } });
    expect(served?.headers['content-type']).toMatch(/^multipart\/form-data; boundary="/);
    expect(served?.body).toContain('name="image[]"; filename="cat.png"');
    expect(served?.body).not.toContain('my-pictures');
    expect((await lastRecord()).quota).toBe(3 + 10 * 9);
  });

  test('charges nothing for images that fail', async () => {
    const response = await scene.post('/v1/images/generations', { model: 'dall-e-3+status-500', prompt: 'a cat' });
    expect(response.status).toBe(502);
    expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
  });
});

describe('speech', () => {
  const input = 'Say this, 你好 🙂.';
  const CHARACTERS = 15;

  test('comes as it is spoken, and costs its characters', async () => {
    const response = await scene.post('/v1/audio/speech', { model: 'tts-1', input, voice: 'alloy' });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(await response.text()).toBe(generateTokens(10).join(''));
    const record = await lastRecord();
    expect(record).toMatchObject({ quota: CHARACTERS * 7, usage_source: 'counted' });
    expect(scene.upstream.requests[0]?.headers.accept).toBe('*/*');
  });

  test('breaks off speech visibly when the upstream does, and charges its characters', async () => {
    const body = { model: 'tts-1+cut-after-3', input, voice: 'alloy' };
    const response = await scene.post('/v1/audio/speech', body);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect((await lastRecord()).quota).toBe(CHARACTERS * 7);
  });

  test('charges speech in events by the tokens that they report', async () => {
    const body = { model: 'gpt-4o-mini-tts', input: 'one two', voice: 'alloy', stream_format: 'sse' };
    const response = await scene.post('/v1/audio/speech', body);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('"speech.audio.done"');
    expect(await lastRecord()).toMatchObject({ quota: 2 + 10 * 5, usage_source: 'reported' });
  });

  test('estimates delivered speech without a report at its price for tokens', async () => {
    const body = { model: 'gpt-4o-mini-tts', input: 'word '.repeat(200), voice: 'alloy' };
    await (await scene.post('/v1/audio/speech', body)).text();
    const whole = await lastRecord();
    expect(whole.usage_source).toBe('estimated');
    expect(whole.quota).toBeGreaterThan(1_000);
    const cut = await scene.post('/v1/audio/speech', { ...body, model: 'gpt-4o-mini-tts+cut-after-3' });
    await expect(cut.text()).rejects.toThrow();
    const broken = await lastRecord();
    expect(broken.quota).toBeGreaterThan(0);
    expect(broken.quota).toBeLessThan(whole.quota / 2);
  });

  test('turns a refusal of speech inside a 200 into an error with its status, free of charge', async () => {
    const body = { model: 'tts-1+error-in-200', input, voice: 'alloy' };
    const response = await scene.post('/v1/audio/speech', body);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_error' } });
    expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
  });
});

describe('a transcript', () => {
  const send = (model: string, more: Record<string, string> = {}, path = '/v1/audio/transcriptions') =>
    postForm(path, { file: wav(3), model, ...more });

  test('costs the seconds that were reported', async () => {
    const response = await send('my-whisper');
    expect(await response.json()).toMatchObject({ usage: { type: 'duration', seconds: 8 } });
    expect(await lastRecord()).toMatchObject({ quota: 8 * 50, usage_source: 'reported' });
    expect(scene.upstream.requests[0]?.json['model']).toBe('whisper-1');
    expect(scene.upstream.requests[0]?.body).toContain('filename="speech.wav"');
  });

  test('charges a detailed transcript by the duration that it reports', async () => {
    await send('whisper-1', { response_format: 'verbose_json' });
    expect(await lastRecord()).toMatchObject({ quota: 8 * 50, usage_source: 'reported' });
  });

  test.each(['text', 'srt', 'vtt'])(
    'forwards a transcript as %s and charges the duration of the recording',
    async (format) => {
      const response = await send('whisper-1', { response_format: format });
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await response.text()).toBe(`${generateTokens(10).join('')}\n`);
      expect(await lastRecord()).toMatchObject({ quota: 3 * 50, usage_source: 'counted', is_stream: 0 });
    },
  );

  test('charges a recording for its actual length and flags a header that states less', async () => {
    const sample = new URL('../../../../packages/relay/fixtures/recordings/aac.m4a', import.meta.url);
    const file = readFileSync(sample);
    file.writeUInt32BE(1, file.indexOf('mvhd') + 20);
    await postForm('/v1/audio/transcriptions', { file: new Blob([file]), model: 'whisper-1', response_format: 'text' });
    const record = await lastRecord();
    expect(record).toMatchObject({ quota: 5 * 50, usage_source: 'counted' });
    expect(JSON.parse(record.detail).receipt).toMatchObject({ capped: true });
  });

  test('costs the tokens that were reported, whole and streamed', async () => {
    await send('gpt-4o-transcribe', { prompt: 'two words' });
    expect(await lastRecord()).toMatchObject({ quota: 2 * 3 + 10 * 5, usage_source: 'reported' });
    const response = await send('gpt-4o-transcribe', { prompt: 'two words', stream: 'true' });
    expect(await response.text()).toContain('"transcript.text.done"');
    expect(await lastRecord()).toMatchObject({ quota: 2 * 3 + 10 * 5, is_stream: 1, usage_source: 'reported' });
  });

  test('returns a complete transcript from a model that doesn’t stream', async () => {
    const response = await send('whisper-1', { stream: 'true' });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ text: generateTokens(10).join('') });
    expect((await lastRecord()).quota).toBe(8 * 50);
  });

  test('sends a translation into English to its own endpoint', async () => {
    await send('whisper-1', {}, '/v1/audio/translations');
    expect(scene.upstream.requests[0]?.path).toBe('/v1/audio/translations');
    expect((await lastRecord()).quota).toBe(8 * 50);
  });
});

test('a form and sound that are sent again with an Idempotency-Key are answered as before, and charged once', async () => {
  const again = async (path: string, body: () => FormData | string): Promise<string[]> => {
    const headers: Record<string, string> = { authorization: `Bearer ${scene.key}`, 'idempotency-key': path };
    if (typeof body() === 'string') headers['content-type'] = 'application/json';
    const texts: string[] = [];
    for (let count = 0; count < 2; count++) {
      const response = await fetch(scene.url + path, { method: 'POST', headers, body: body() });
      texts.push(`${response.status} ${response.headers.get('content-type')} ${await response.text()}`);
    }
    return texts;
  };
  const form = (): FormData => {
    const form = new FormData();
    form.append('model', 'whisper-1');
    form.append('file', wav(2));
    return form;
  };
  const [first, second] = await again('/v1/audio/transcriptions', form);
  expect(first).toContain('200 application/json');
  expect(second).toBe(first);
  const speech = JSON.stringify({ model: 'tts-1', input: 'again', voice: 'alloy' });
  const [spoken, repeated] = await again('/v1/audio/speech', () => speech);
  expect(spoken).toContain('200 audio/mpeg');
  expect(repeated).toBe(spoken);
  expect(scene.upstream.requests).toHaveLength(2);
});

describe('a moderation and a rerank', () => {
  test('charges a moderation and a rerank by their prompt', async () => {
    const response = await scene.post('/v1/moderations', { model: 'scripted', input: ['one', 'two'] });
    expect(await response.json()).toMatchObject({ results: [{ flagged: false }, { flagged: false }] });
    expect(await lastRecord()).toMatchObject({ usage_source: 'estimated', completion_tokens: 0 });
    expect((await lastRecord()).quota).toBeGreaterThan(0);
    const documents = ['first', 'second'];
    const ranked = await scene.post('/v1/rerank', { model: 'scripted', query: 'which', documents });
    expect(await ranked.json()).toMatchObject({
      results: [{ index: 0 }],
      usage: { total_tokens: 3 },
      meta: { billed_units: { input_tokens: 3 } },
    });
    expect(await lastRecord()).toMatchObject({ quota: 3, usage_source: 'reported' });
  });

  test('need no model if the dialect has one of its own', async () => {
    await scene.post('/v1/moderations', { input: 'one' });
    expect(scene.upstream.requests[0]?.json['model']).toBe('omni-moderation-latest');
  });

  test('have the shipped prices: nothing, and a search', async () => {
    await scene.post('/v1/moderations', { input: 'one' });
    expect((await lastRecord()).quota).toBe(0);
    await scene.post('/v1/rerank', { model: 'rerank-v3.5', query: 'which', documents: ['one', 'two'] });
    expect((await lastRecord()).quota).toBe(1_000);
  });
});

describe('Cohere’s second version of rerank', () => {
  const documents = ['first', 'second'];

  test('answers in its shape and charges like the first version', async () => {
    const response = await scene.post('/v2/rerank', { model: 'scripted', query: 'which', documents });
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/./),
      results: [{ index: 0, relevance_score: 0.9 }],
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 3 } },
    });
    expect(await lastRecord()).toMatchObject({ quota: 3, usage_source: 'reported' });
  });

  test.each([
    ['without a key', 401, { documents }, { key: 'sk-none' }],
    ['without documents', 400, {}, {}],
    ['for a model that nobody offers', 404, { documents, model: 'nobodys-ranker' }, {}],
  ])('reports an error in its own format: %s', async (_what, status, fields, options) => {
    const body = { model: 'scripted', query: 'which', ...fields };
    const response = await scene.post('/v2/rerank', body, options);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message: expect.stringMatching(/./) });
  });
});

describe('an answer without the vectors that were asked for', () => {
  test('asks another channel, and charges nothing for the first', async () => {
    const empty = await startTestVendor({
      'POST /v1/embeddings': () => ({
        json: { object: 'list', data: [], usage: { prompt_tokens: 900, total_tokens: 900 } },
      }),
    });
    await scene.newChannel({ models: ['scripted-vectors'], base_url: empty.url, priority: 9 });
    const ask = () => scene.post('/v1/embeddings', { model: 'scripted-vectors', input: ['one', 'two'] });
    expect(await (await ask()).json()).toMatchObject({ data: [{ index: 0 }, { index: 1 }] });
    expect(empty.asked).toEqual(['POST /v1/embeddings']);
    expect((await lastRecord()).prompt_tokens).toBeLessThan(900);
    const before = await scene.balance();
    scene.upstream.setScript(() => ({ garbage: true }));
    expect((await ask()).status).toBe(502);
    await scene.waitUntilSettled();
    expect(await scene.balance()).toBe(before);
    await empty.close();
  });
});

describe('a refusal in OpenAI’s format', () => {
  const ask = async (path: string, contentType: string, body: string) => {
    const response = await scene.post(path, body, { headers: { 'content-type': contentType } });
    return { status: response.status, ...((await response.json()) as { error: object }) };
  };

  test('refuses a malformed form in OpenAI’s format', async () => {
    const form = 'multipart/form-data; boundary=b';
    for (const body of ['', '--b', '--b\r\n\r\n--b--', '--c--', '{"model":"whisper-1"}'])
      expect(await ask('/v1/audio/transcriptions', form, body)).toMatchObject({
        status: 400,
        error: { code: 'invalid_request', type: 'invalid_request_error' },
      });
    expect(await ask('/v1/images/edits', 'multipart/form-data', '--b--')).toMatchObject({ status: 400 });
  });

  test.each([
    ['/v1/audio/transcriptions', 'application/json'],
    ['/v1/images/variations', 'application/json'],
    ['/v1/images/generations', 'multipart/form-data; boundary=b'],
    ['/v1/audio/speech', 'multipart/form-data; boundary=b'],
    ['/v1/moderations', 'text/plain'],
  ])('refuses %s as %s', async (path, contentType) => {
    expect(await ask(path, contentType, '{}')).toMatchObject({
      status: 415,
      error: { code: 'unsupported_media_type' },
    });
  });

  test('refuses a body that is too large', async () => {
    const response = await postForm('/v1/audio/transcriptions', {
      model: 'whisper-1',
      file: new Blob([new Uint8Array(33 * 1024 * 1024)]),
    });
    expect(response.status).toBe(413);
  });

  test('refuses a transcription without a file and an image without a prompt', async () => {
    const nameless = await postForm('/v1/audio/transcriptions', { model: 'whisper-1' });
    expect(await nameless.json()).toMatchObject({ error: { param: 'file' } });
    const wordless = await scene.post('/v1/images/generations', { model: 'dall-e-3' });
    expect(await wordless.json()).toMatchObject({ error: { param: 'prompt' } });
  });

  test('refuses a request that the account cannot pay before the upstream is called', async () => {
    const key = await scene.newKey({ unlimited_quota: false, remain_quota: toPoints(700) });
    const response = await scene.post('/v1/images/generations', { model: 'dall-e-3', prompt: 'a cat', n: 2 }, { key });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 'insufficient_quota' } });
    expect(scene.upstream.requests).toEqual([]);
  });
});

test('ends a request that starts after the running requests were aborted', async () => {
  const gateway = await createGateway(scene.ctx, createClientAddress([]));
  const server = createServer((request, response) => gateway.handle(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;
  gateway.abortRunning();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'Say something.' }] }),
  });
  expect(await response.json()).toMatchObject({ error: { code: 'gateway_stopping' } });
  expect(scene.upstream.requests).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
  await gateway.close();
});
