/**
 * Requests of all dialects to vendors of all dialects, streamed and not, at random prices: the charge equals a
 * calculation by the manual's formula that shares no code with the product.
 */
import { createServer, type Server } from 'node:http';
import { rates, tokenRates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ANTHROPIC,
  OPENAI_COMPATIBLE,
  type RelayScene,
  startRelayScene,
} from '../../apps/server/src/testing/relay-scene.ts';
import { listen } from '../listen.ts';
import { addOddGroup, ODD_RATIO_MICROS } from './odd-group.ts';
import type { Dialect } from './recorded-files.ts';

const REQUESTS = 500;
const PRICES = 6;
const OPENAI = 1;
const GEMINI = 25;

const dialects = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

interface Counts {
  /** All input tokens. */
  prompt: number;
  /** All cached tokens: text, audio and images. */
  cached: number;
  cachedAudio: number;
  cachedImage: number;
  written5m: number;
  written1h: number;
  /** Audio of the prompt, cached or not. */
  audio: number;
  /** Images of the prompt, cached or not. */
  image: number;
  /** All output tokens. */
  output: number;
  reasoning: number;
}

interface Rates {
  input: number;
  cachedRead: number;
  /** Null: the rate of `cachedRead`. */
  cachedAudioInput: number | null;
  cachedImageInput: number | null;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  output: number;
  reasoning: number;
}

interface Price {
  rates: Rates;
  above: number;
  tier: Rates;
}

const rate = fc.integer({ min: 0, max: 20_000_000_000 });
const allRates: fc.Arbitrary<Rates> = fc.record({
  input: rate,
  cachedRead: rate,
  cachedAudioInput: fc.option(rate, { freq: 1 }),
  cachedImageInput: fc.option(rate, { freq: 1 }),
  cacheWrite5m: rate,
  cacheWrite1h: rate,
  audioInput: rate,
  imageInput: rate,
  output: rate,
  reasoning: rate,
});
const price: fc.Arbitrary<Price> = fc.record({
  rates: allRates,
  above: fc.integer({ min: 100, max: 20_000 }),
  tier: allRates,
});
const count = (max: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.integer({ min: 1, max }));
const request = fc.record({
  client: fc.constantFrom<Dialect>(...dialects),
  vendor: fc.constantFrom<Dialect>(...dialects),
  stream: fc.boolean(),
  priced: fc.nat({ max: PRICES - 1 }),
  fresh: fc.integer({ min: 1, max: 30_000 }),
  cachedText: count(20_000),
  cachedAudio: count(5_000),
  cachedImage: count(5_000),
  freshAudio: count(5_000),
  freshImage: count(5_000),
  written5m: count(5_000),
  written1h: count(5_000),
  said: fc.integer({ min: 1, max: 4_000 }),
  reasoning: count(4_000),
});
type Random = typeof request extends fc.Arbitrary<infer Made> ? Made : never;

const noMedia = { cachedAudio: 0, cachedImage: 0, freshAudio: 0, freshImage: 0 };

/** Only Anthropic reports cache writes, and only the others report audio and images. */
function countsOf(random: Random): Counts {
  const { vendor, fresh, cachedText, written5m, written1h, said: text, reasoning } = random;
  const isAnthropic = vendor === 'anthropic-messages';
  const [short, long] = isAnthropic ? [written5m, written1h] : [0, 0];
  const { cachedAudio, cachedImage, freshAudio, freshImage } = isAnthropic ? noMedia : random;
  const cached = cachedText + cachedAudio + cachedImage;
  return {
    prompt: fresh + cached + short + long + freshAudio + freshImage,
    cached,
    cachedAudio,
    cachedImage,
    written5m: short,
    written1h: long,
    audio: freshAudio + cachedAudio,
    image: freshImage + cachedImage,
    output: text + reasoning,
    reasoning,
  };
}

/** Returns the charge by the formula in the operator's manual, in points. */
function pointsFor({ rates: plain, above, tier }: Price, counts: Counts): number {
  const of = counts.prompt > above ? tier : plain;
  const { cachedAudio, cachedImage } = counts;
  const [audio, image] = [counts.audio - cachedAudio, counts.image - cachedImage];
  const fresh = counts.prompt - counts.cached - counts.written5m - counts.written1h - audio - image;
  const parts: [number, number][] = [
    [fresh, of.input],
    [counts.cached - cachedAudio - cachedImage, of.cachedRead],
    [cachedAudio, of.cachedAudioInput ?? of.cachedRead],
    [cachedImage, of.cachedImageInput ?? of.cachedRead],
    [audio, of.audioInput],
    [image, of.imageInput],
    [counts.written5m, of.cacheWrite5m],
    [counts.written1h, of.cacheWrite1h],
    [counts.output - counts.reasoning, of.output],
    [counts.reasoning, of.reasoning],
  ];
  let nano = 0n;
  for (const [tokens, rate] of parts) nano += BigInt(tokens) * BigInt(rate);
  const scale = 1_000_000_000n * 1_000_000n;
  return Number((nano * ODD_RATIO_MICROS + scale - 1n) / scale);
}

const TEXT = 'An answer.';

/** Returns the details of a prompt in OpenAI's form. */
function openaiDetails({ cached, cachedAudio, cachedImage, audio, image }: Counts): object {
  return {
    cached_tokens: cached,
    audio_tokens: audio,
    image_tokens: image,
    cached_tokens_details: {
      text_tokens: cached - cachedAudio - cachedImage,
      audio_tokens: cachedAudio,
      image_tokens: cachedImage,
    },
  };
}

/** Returns Gemini's list of the tokens of each modality. */
function geminiDetails(whole: number, audio: number, image: number): object[] {
  return [
    { modality: 'TEXT', tokenCount: whole - audio - image },
    { modality: 'AUDIO', tokenCount: audio },
    { modality: 'IMAGE', tokenCount: image },
  ];
}

/** Returns the vendor's response: one JSON body, or the events of a stream. */
function vendorAnswer({ vendor, stream }: Random, counts: Counts): object | object[] {
  const { prompt, cached, written5m, written1h, output, reasoning } = counts;
  switch (vendor) {
    case 'openai-chat': {
      const usage = {
        prompt_tokens: prompt,
        completion_tokens: output,
        total_tokens: prompt + output,
        prompt_tokens_details: openaiDetails(counts),
        completion_tokens_details: { reasoning_tokens: reasoning },
      };
      const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
      if (stream)
        return [
          { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: TEXT } }] },
          { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
          { ...head, choices: [], usage },
        ];
      const message = { role: 'assistant', content: TEXT };
      return { id: 'c', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
    }
    case 'openai-responses': {
      const usage = {
        input_tokens: prompt,
        input_tokens_details: openaiDetails(counts),
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: prompt + output,
      };
      const part = { type: 'output_text', text: TEXT, annotations: [] };
      const item = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [part] };
      const response = {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'm',
        output: [item],
        usage,
      };
      if (!stream) return response;
      const position = { item_id: 'msg_1', output_index: 0, content_index: 0 };
      return [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
        { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
        { type: 'response.output_text.delta', ...position, delta: TEXT },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ];
    }
    case 'anthropic-messages': {
      const input = {
        input_tokens: prompt - cached - written5m - written1h,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written5m + written1h,
        cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
      };
      const end = { output_tokens: output, output_tokens_details: { thinking_tokens: reasoning } };
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
      const text = { type: 'text', text: TEXT };
      if (!stream) return { ...message, content: [text], stop_reason: 'end_turn', usage: { ...input, ...end } };
      const begun = { ...message, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } };
      return [
        { type: 'message_start', message: begun },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: end },
        { type: 'message_stop' },
      ];
    }
    case 'gemini': {
      const usageMetadata = {
        promptTokenCount: prompt,
        cachedContentTokenCount: cached,
        cacheTokensDetails: geminiDetails(cached, counts.cachedAudio, counts.cachedImage),
        promptTokensDetails: geminiDetails(prompt, counts.audio, counts.image),
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
        totalTokenCount: prompt + output,
      };
      const content = { role: 'model', parts: [{ text: TEXT }] };
      const candidates = [{ index: 0, content, finishReason: 'STOP' }];
      const answer = { candidates, usageMetadata, modelVersion: 'm', responseId: 'r' };
      return stream ? [{ ...answer, candidates: [{ index: 0, content }] }, { ...answer }] : answer;
    }
  }
}

function asEvents(events: readonly object[], vendor: Dialect): string {
  const named = events.map((event) => {
    const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return named.join('') + (vendor === 'openai-chat' ? 'data: [DONE]\n\n' : '');
}

const messages = [{ role: 'user', content: 'hi' }];

/** Path and body of a client's request. */
function buildRequest({ client, stream }: Random, model: string): [path: string, body: object] {
  switch (client) {
    case 'openai-chat':
      return ['/v1/chat/completions', { model, stream, messages }];
    case 'openai-responses':
      return ['/v1/responses', { model, stream, input: 'hi' }];
    case 'anthropic-messages':
      return ['/v1/messages', { model, stream, max_tokens: 8_000, messages }];
    case 'gemini': {
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return [`/v1beta/models/${model}:${action}`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }];
    }
  }
}

const channelTypes: Readonly<Record<Dialect, number>> = {
  'openai-chat': OPENAI_COMPATIBLE,
  'openai-responses': OPENAI,
  'anthropic-messages': ANTHROPIC,
  gemini: GEMINI,
};
let scene: RelayScene;
let vendor: Server;
let body = '';
let isStream = false;
let key: string;
const seed = Date.now() % 1_000_000;
const listed = fc.sample(price, { numRuns: PRICES, seed });

beforeAll(async () => {
  vendor = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(body);
    });
  });
  const base_url = `http://127.0.0.1:${await listen(vendor)}`;
  scene = await startRelayScene({ quota: 10_000_000_000 });
  await addOddGroup(scene);
  for (const dialect of dialects) {
    const models = listed.map((_price, nth) => `${dialect}-${nth}`);
    const other = dialect === 'openai-responses' ? { options: { api: 'responses' } } : {};
    await scene.newChannel({ type: channelTypes[dialect], base_url, models, group: ['odd'], ...other });
    for (const [nth, { rates: plain, above, tier }] of listed.entries())
      await scene.admin
        .api(prices)
        .create({
          body: {
            model: `${dialect}-${nth}`,
            rates: rates.parse(plain),
            tiers: [{ above, rates: tokenRates.parse(tier) }],
          },
        });
  }
  key = await scene.newKey({ unlimited_quota: true, group: 'odd' });
});

afterAll(async () => {
  await scene.close();
  vendor.close();
});

test(`${REQUESTS} random requests are charged by the manual's formula (seed ${seed})`, async () => {
  const wrong: object[] = [];
  let sum = 0;
  const before = await scene.balance();
  for (const random of fc.sample(request, { numRuns: REQUESTS, seed })) {
    const counts = countsOf(random);
    const answer = vendorAnswer(random, counts);
    isStream = Array.isArray(answer);
    body = Array.isArray(answer) ? asEvents(answer, random.vendor) : JSON.stringify(answer);
    const [path, asking] = buildRequest(random, `${random.vendor}-${random.priced}`);
    const response = await scene.post(path, asking, { key, headers: { 'anthropic-version': '2023-06-01' } });
    const text = await response.text();
    await scene.waitUntilSettled();
    const listedPrice = listed[random.priced];
    const expected = listedPrice === undefined ? Number.NaN : pointsFor(listedPrice, counts);
    const record = (await scene.records()).at(-1);
    const isRight = text.includes(TEXT) && record?.quota === expected && record.usage_source === 'reported';
    if (!isRight) wrong.push({ random, expected, charged: record?.quota, status: response.status, said: text });
    sum += expected;
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(before - (await scene.balance())).toBe(sum);
});
