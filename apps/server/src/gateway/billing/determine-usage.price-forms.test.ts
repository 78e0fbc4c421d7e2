/** Charges of each operation by each form of price. Videos and songs are charged as tasks, realtime by the response. */

import { NANO_POINTS_PER_POINT as POINT } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

/** Points of a call, a second, a character or an image. */
const UNIT = 1_000;
/** Charge where the manual says that the form doesn't apply to the operation: one unit of it. */
const DOES_NOT_APPLY = UNIT;

const forms = {
  call: { type: 'times', rates: { input: UNIT * POINT, output: 0 } },
  second: { rates: { input: 0, output: 0, second: UNIT * POINT } },
  character: { rates: { input: 0, output: 0, character: UNIT * POINT } },
  image: { rates: { input: 0, output: 0, image: UNIT * POINT } },
  tokens: { rates: { input: POINT, output: POINT } },
} as const;
type Form = keyof typeof forms;

const SECONDS = 60;
const text = 'word '.repeat(160);
/** Estimated tokens of the text, and OpenAI's of a second of speech. */
const TEXT_TOKENS = 209;
const TOKENS_PER_SECOND = 20;

/** Points for each operation. */
const charges: Record<string, Record<Form, number>> = {
  speech: {
    call: UNIT,
    second: SECONDS * UNIT,
    character: text.length * UNIT,
    image: DOES_NOT_APPLY,
    tokens: TEXT_TOKENS + SECONDS * TOKENS_PER_SECOND,
  },
  transcription: { call: UNIT, second: SECONDS * UNIT, character: DOES_NOT_APPLY, image: DOES_NOT_APPLY, tokens: 840 },
  images: { call: UNIT, second: DOES_NOT_APPLY, character: DOES_NOT_APPLY, image: 3 * UNIT, tokens: 826 },
  chat: { call: UNIT, second: DOES_NOT_APPLY, character: DOES_NOT_APPLY, image: DOES_NOT_APPLY, tokens: 210 },
  embeddings: { call: UNIT, second: DOES_NOT_APPLY, character: DOES_NOT_APPLY, image: DOES_NOT_APPLY, tokens: 30 },
  rerank: { call: UNIT, second: DOES_NOT_APPLY, character: DOES_NOT_APPLY, image: DOES_NOT_APPLY, tokens: 40 },
};

/** Returns a WAV file of mono PCM at 24 kHz. */
function createWav(seconds: number): Buffer {
  const data = Buffer.alloc(seconds * 48_000, 1);
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 24_000],
    [28, 48_000],
    [40, data.length],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  return Buffer.concat([head, data]);
}

const answers = {
  '/v1/audio/speech': { headers: { 'content-type': 'audio/wav' }, text: createWav(SECONDS) },
  '/v1/audio/transcriptions': {
    json: { text: 'Hello.', usage: { type: 'tokens', input_tokens: 600, output_tokens: 240, total_tokens: 840 } },
  },
  '/v1/images/generations': {
    json: {
      data: [{ b64_json: 'QUJD' }, { b64_json: 'QUJD' }, { b64_json: 'QUJD' }],
      usage: { input_tokens: 10, output_tokens: 816, total_tokens: 826 },
    },
  },
  '/v1/embeddings': {
    json: { data: [{ embedding: [0.1], index: 0 }], usage: { prompt_tokens: 30, total_tokens: 30 } },
  },
  '/v1/rerank': { json: { results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 40 } } },
  '/v1/chat/completions': {
    json: {
      id: 'chat_1',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 200, total_tokens: 210 },
    },
  },
};

let scene: RelayScene;
let vendor: TestVendor;
beforeAll(async () => {
  const replies = new Map(Object.entries(answers));
  vendor = await startTestVendor({}, ({ target }) => replies.get(target) ?? { status: 404, text: 'no' });
  scene = await startRelayScene();
  await scene.newChannel({ base_url: vendor.url, models: ['by-*'], key: 'k' });
  for (const [form, price] of Object.entries(forms))
    await scene.admin.api(prices).create({ body: savePrice.parse({ model: `by-${form}`, ...price }) });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});

function transcribe(model: string): Promise<Response> {
  const form = new FormData();
  form.set('model', model);
  form.set('file', new Blob([createWav(SECONDS)], { type: 'audio/wav' }), 'a.wav');
  const headers = { authorization: `Bearer ${scene.key}` };
  return fetch(`${scene.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
}

const speak = (model: string, key?: string): Promise<Response> => {
  const body = { model, voice: 'alloy', input: text, response_format: 'wav' };
  return scene.post('/v1/audio/speech', body, key === undefined ? {} : { key });
};

const calls: Record<string, (model: string) => Promise<Response>> = {
  speech: (model) => speak(model),
  transcription: transcribe,
  images: (model) => scene.post('/v1/images/generations', { model, prompt: 'a cat', n: 3, quality: 'low' }),
  chat: (model) => scene.chat(model),
  embeddings: (model) => scene.post('/v1/embeddings', { model, input: 'cat' }),
  rerank: (model) => scene.post('/v1/rerank', { model, query: 'cat', documents: ['a cat'] }),
};

test.each(Object.keys(charges))('charges %s by the natural units of each form of price', async (operation) => {
  const charged: Record<string, number> = {};
  for (const form of Object.keys(forms)) {
    const before = await scene.balance();
    const response = await calls[operation]?.(`by-${form}`);
    await response?.arrayBuffer();
    expect(response?.status).toBe(200);
    await scene.waitUntilSettled();
    charged[form] = before - (await scene.balance());
  }
  expect(charged).toEqual(charges[operation]);
});

test.each([
  // 800 characters at 15 a second.
  ['second', 54 * UNIT],
  ['tokens', TEXT_TOKENS + Math.ceil((800 / 15) * TOKENS_PER_SECOND)],
])('holds the expected length of speech priced by the %s', async (form, hold) => {
  const speakWith = async (quota: number): Promise<number> => {
    const key = await scene.newKey({ unlimited_quota: true }, await scene.createUser('user', { quota }));
    const response = await speak(`by-${form}`, key);
    await response.arrayBuffer();
    return response.status;
  };
  expect(await speakWith(hold - 1)).toBe(429);
  expect(await speakWith(hold)).toBe(200);
  await scene.waitUntilSettled();
});
