/** Leaving a stream just before its report saves nothing that was already said, and no hidden reasoning. */
import { setTimeout as pause } from 'node:timers/promises';
import { testRequest } from '@switchyard/relay';
import { emptyUsage } from '@switchyard/relay/usage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import {
  chatEnd,
  chatEvent,
  type StreamingUpstream,
  startStreamingUpstream,
} from '../testing/streaming-upstream.ts';
import { createReadOn } from './read-on.ts';

const REASONING = 20_000;

let scene: RelayScene;
const upstreams: StreamingUpstream[] = [];

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(async () => {
  await scene.close();
  for (const upstream of upstreams) await upstream.close();
});

/** Says a few words, thinks for so long about the end, and reports. */
async function newThinker(model: string, endsAfterMs: number, reasoning: number): Promise<StreamingUpstream> {
  const upstream = await startStreamingUpstream(async (response) => {
    response.write(chatEvent({ content: 'The answer is 42 ###END' }));
    await pause(endsAfterMs);
    const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
    response.end(chatEnd({ prompt_tokens: 10, completion_tokens: reasoning + 8, ...details }));
  });
  upstreams.push(upstream);
  await scene.newChannel({ base_url: upstream.url, models: [model] });
  return upstream;
}

async function leaveAtEnd(model: string) {
  const leaving = new AbortController();
  const body = { model, stream: true, messages: [{ role: 'user', content: 'x' }] };
  const response = await scene.post('/v1/chat/completions', body, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  return lastRecord();
}

async function lastRecord() {
  await scene.settled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

test('a report that comes within a moment after the client left is charged', async () => {
  await newThinker('quick', 300, 0);
  expect(await leaveAtEnd('quick')).toMatchObject({ usage_source: 'reported', completion_tokens: 8 });
});

test('reasoning that is known to be hidden is charged to whoever leaves before its report as well', async () => {
  const upstream = await newThinker('thinker', 1_500, REASONING);
  await (await scene.chat('thinker', { stream: true })).text();
  expect((await lastRecord()).completion_tokens).toBe(REASONING + 8);
  const left = await leaveAtEnd('thinker');
  expect(left).toMatchObject({ usage_source: 'reported', completion_tokens: REASONING + 8 });
  expect(JSON.parse(left.detail).ending).toBe('client-left');
  expect(upstream.cancelled).toBe(0);
});

test('a stream that hides nothing is cancelled within a second after its client left', async () => {
  const upstream = await newThinker('plain', 1_500, 0);
  await (await scene.chat('plain', { stream: true })).text();
  const started = performance.now();
  expect(await leaveAtEnd('plain')).toMatchObject({ usage_source: 'estimated' });
  expect(performance.now() - started).toBeLessThan(1_000);
  await expect.poll(() => upstream.cancelled).toBe(1);
});

test.each([
  ['shown', 4_000, 900, false],
  ['shown in part', 2_400, 900, false],
  ['hidden', 400, 900, true],
  ['not reported', 400, 0, false],
])('reasoning that is %s', (_how, deliveredCharacters, reasoning, hides) => {
  const readOn = createReadOn();
  const request = testRequest('gpt-5');
  const meter = {
    usage: { ...emptyUsage(), output: 100, reasoning },
    finished: true,
    deliveredCharacters,
    deliveredWideCharacters: 0,
    deliveredSample: '',
    servedModel: undefined,
  };
  readOn.note(1, 'gpt-5', request, meter);
  expect(readOn.msFor(1, 'gpt-5', 0)).toBe(hides ? 60_000 : 600);
  expect(readOn.msFor(2, 'gpt-5', 0)).toBe(600);
  expect(readOn.msFor(1, 'gpt-5', 5_000)).toBe(5_000);
});
