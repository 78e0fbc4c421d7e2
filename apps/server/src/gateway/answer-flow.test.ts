/** Answers of a kind that nobody foresaw are answers; silence and garbage are not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { channelHealth } from '../features/channels/channels.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import {
  chatEnd,
  chatEvent,
  type StreamingUpstream,
  startStreamingUpstream,
} from '../testing/streaming-upstream.ts';

const MORE_THAN_IS_HELD = 100;
const PIECE = 'A'.repeat(20_000);

let scene: RelayScene;
const upstreams: StreamingUpstream[] = [];

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(async () => {
  await scene.close();
  for (const upstream of upstreams) await upstream.close();
});

/** Sends its role, so many times the piece, and its end. */
async function newChannel(model: string, piece: string): Promise<number> {
  const upstream = await startStreamingUpstream((response) => {
    response.write(chatEvent({ role: 'assistant' }));
    for (let sent = 0; sent < MORE_THAN_IS_HELD; sent += 1) response.write(piece);
    response.end(chatEnd({ prompt_tokens: 10, completion_tokens: 5_000 }));
  });
  upstreams.push(upstream);
  return scene.newChannel({ base_url: upstream.url, models: [model] });
}

function failuresOf(id: number): number | undefined {
  return channelHealth(scene.ctx).list(id)[0]?.failuresInRow;
}

test('a long stream of events of an unknown kind is delivered, charged as reported, and no failure', async () => {
  const id = await newChannel('holographic', chatEvent({ hologram: PIECE }));
  const response = await scene.chat('holographic', { stream: true });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text.split('hologram')).toHaveLength(MORE_THAN_IS_HELD + 1);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  await scene.settled();
  expect((await scene.records()).at(-1)).toMatchObject({
    type: 'consume',
    usage_source: 'reported',
    completion_tokens: 5_000,
  });
  expect(failuresOf(id)).toBe(0);
});

test.each([
  ['comments', `: ${PIECE}\n\n`],
  ['garbage', `data: ${PIECE}\n\n`],
  ['lines of no field', `${PIECE}\n\n`],
])('a long stream of %s is no answer', async (what, piece) => {
  const model = `silent ${what}`;
  const id = await newChannel(model, piece);
  const response = await scene.chat(model, { stream: true });
  expect(response.status).toBe(502);
  await response.text();
  expect(failuresOf(id)).toBe(1);
});
