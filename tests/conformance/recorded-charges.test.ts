/**
 * Replays every recorded response through the whole gateway: the charge equals a calculation that shares no code with
 * it.
 */
import { createServer, type Server } from 'node:http';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ANTHROPIC,
  OPENAI_COMPATIBLE,
  type RelayScene,
  startRelayScene,
} from '../../apps/server/src/testing/relay-scene.ts';
import { listen } from '../listen.ts';
import { readExpectedResponse } from './expected-response.ts';
import { addOddGroup, ODD_RATIO_MICROS } from './odd-group.ts';
import { buildBody, type Dialect, hasRecordings, type Recording, recordings } from './recorded-files.ts';

if (!hasRecordings) console.log('Recorded provider traffic was not found; charges for it are left out.');

/** Nano-points per token; odd numbers, so that a wrong counter or rounding is detected. */
const RATES = { input: 1_250_000_007n, output: 10_000_000_011n, cachedRead: 125_000_003n, cacheWrite: 1_562_500_009n };
/** Channel type of OpenAI itself, which speaks Responses. */
const OPENAI = 1;
const GEMINI = 25;

interface Call {
  model: string;
  path(isStream: boolean): string;
  body(isStream: boolean): unknown;
}

const messages = [{ role: 'user', content: 'hi' }];
const calls: Record<Dialect, Call> = {
  'openai-chat': {
    model: 'openai-recorded',
    path: () => '/v1/chat/completions',
    body: (stream) => ({ model: 'openai-recorded', max_tokens: 1_000, stream, messages }),
  },
  'anthropic-messages': {
    model: 'anthropic-recorded',
    path: () => '/v1/messages',
    body: (stream) => ({ model: 'anthropic-recorded', max_tokens: 1_000, stream, messages }),
  },
  'openai-responses': {
    model: 'responses-recorded',
    path: () => '/v1/responses',
    body: (stream) => ({ model: 'responses-recorded', max_output_tokens: 1_000, stream, input: 'hi' }),
  },
  gemini: {
    model: 'gemini-recorded',
    path: (stream) => `/v1beta/models/gemini-recorded:${stream ? 'streamGenerateContent' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  },
};

function expectedPoints(recording: Recording): number {
  const { usage } = readExpectedResponse(recording);
  if (usage === undefined) throw new Error(`${recording.name} reports no usage`);
  const { input, cachedRead, cacheWrite, output } = usage;
  const nano =
    BigInt(input - cachedRead - cacheWrite) * RATES.input +
    BigInt(cachedRead) * RATES.cachedRead +
    BigInt(cacheWrite) * RATES.cacheWrite +
    BigInt(output) * RATES.output;
  const scale = 1_000_000_000n * 1_000_000n;
  return Number((nano * ODD_RATIO_MICROS + scale - 1n) / scale);
}

/** Models that ran within one response of another model. */
function modelsWithin(body: Buffer | string): string[] {
  const text = String(body);
  const runs = [...text.matchAll(/"iterations":\s*\[([^\]]*)\]/g)].map(([, list = '']) => list);
  return runs.flatMap((list) => [...list.matchAll(/"model":\s*"([^"]+)"/g)].map(([, model = '']) => model));
}

describe.runIf(hasRecordings)('the charge for a recorded answer', () => {
  // Reports without input tokens, or without output tokens for a response with content, are ignored; OpenAI has sent
  // both.
  const priced = recordings.filter((recording) => {
    const { usage, text, toolCalls } = readExpectedResponse(recording);
    const isSilent = text === '' && toolCalls.length === 0;
    const isReported = usage !== undefined && usage.input > 0 && (usage.output > 0 || isSilent);
    // Images that a tool generates have the price of their own model.
    return isReported && !buildBody(recording).includes('"image_generation_call"');
  });
  let scene: RelayScene;
  let replay: Server;
  let current: Recording | undefined;
  let key: string;

  beforeAll(async () => {
    replay = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        if (current === undefined) return response.destroy();
        response.writeHead(200, { 'content-type': current.isStream ? 'text/event-stream' : 'application/json' });
        return response.end(buildBody(current));
      });
    });
    const base_url = `http://127.0.0.1:${await listen(replay)}`;
    scene = await startRelayScene({ quota: 10_000_000_000 });
    await addOddGroup(scene);
    await scene.newChannel({ type: OPENAI_COMPATIBLE, base_url, models: ['openai-recorded'], group: ['odd'] });
    await scene.newChannel({ type: ANTHROPIC, base_url, models: ['anthropic-recorded'], group: ['odd'] });
    await scene.newChannel({ type: OPENAI, base_url, models: ['responses-recorded'], group: ['odd'] });
    await scene.newChannel({ type: GEMINI, base_url, models: ['gemini-recorded'], group: ['odd'] });
    const ran = recordings.flatMap((recording) => modelsWithin(buildBody(recording)));
    for (const model of new Set([...Object.values(calls).map((call) => call.model), ...ran])) {
      const { input, output, cachedRead, cacheWrite } = RATES;
      const odd = rates.parse({
        input: Number(input),
        output: Number(output),
        cachedRead: Number(cachedRead),
        cacheWrite5m: Number(cacheWrite),
        cacheWrite1h: Number(cacheWrite),
      });
      const api = scene.admin.api(prices);
      const body = { model, rates: odd };
      // Some of them have a price from the beginning.
      await api.create({ body }).catch(() => api.update({ params: { model }, body }));
    }
    key = await scene.newKey({ unlimited_quota: true, group: 'odd' });
  });
  afterAll(async () => {
    await scene.close();
    replay.close();
  });

  it('covers every dialect', () => {
    expect(Object.keys(calls).filter((dialect) => !priced.some((recording) => recording.dialect === dialect))).toEqual(
      [],
    );
  });

  it.each(priced.map((recording) => [recording.name, recording] as const))('%s', async (_name, recording) => {
    current = recording;
    const before = await scene.balance();
    const call = calls[recording.dialect];
    const response = await scene.post(call.path(recording.isStream), call.body(recording.isStream), {
      key,
      headers: { 'anthropic-version': '2023-06-01' },
    });
    await response.text();
    await scene.waitUntilSettled();
    const record = (await scene.records()).at(-1);
    const points = expectedPoints(recording);
    expect(record).toMatchObject({ type: 'consume', usage_source: 'reported', quota: points });
    expect(before - (await scene.balance())).toBe(points);
  });
});
