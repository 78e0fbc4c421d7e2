/** Recognition and delivery of content: unknown events, silence, connections that break at any moment. */
import type { ServerResponse } from 'node:http';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { requestChanges } from '@switchyard/contract/channels/channel-nested-settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import {
  formatChatChunk,
  formatChatEnd,
  type StreamingUpstream,
  startStreamingUpstream,
} from '../../testing/streaming-upstream.ts';

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

async function newChannel(model: string, write: (response: ServerResponse) => Promise<void> | void): Promise<number> {
  const upstream = await startStreamingUpstream(write);
  upstreams.push(upstream);
  return scene.newChannel({ base_url: upstream.url, models: [model] });
}

/** Sends its role, so many times the piece, and its end. */
const repeating = (piece: string) => (response: ServerResponse) => {
  response.write(formatChatChunk({ role: 'assistant' }));
  for (let sent = 0; sent < MORE_THAN_IS_HELD; sent += 1) response.write(piece);
  response.end(formatChatEnd({ prompt_tokens: 10, completion_tokens: 5_000 }));
};

function failuresOf(id: number): number | undefined {
  return getChannelHealth(scene.ctx).list(id)[0]?.failuresInRow;
}

test('a long stream of events of an unknown kind is delivered, charged as reported, and no failure', async () => {
  const id = await newChannel('holographic', repeating(formatChatChunk({ hologram: PIECE })));
  const response = await scene.chat('holographic', { stream: true });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text.split('hologram')).toHaveLength(MORE_THAN_IS_HELD + 1);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({
    type: 'consume',
    usage_source: 'reported',
    completion_tokens: 5_000,
  });
  expect(failuresOf(id)).toBe(0);
});

test('delivers a large event of an unknown kind without parsing it', async () => {
  const event = `data: {"id":"c","hologram":[${'{"a":1},'.repeat(500_000)}1]}\n\n`;
  await newChannel('holographic-large', async (response) => {
    await new Promise((resolve) => response.write(event, resolve));
    // Otherwise the gateway might read it together with the content.
    await sleep(systemTimers, 200);
    response.end(formatChatChunk({ content: 'a' }) + formatChatEnd({ prompt_tokens: 10, completion_tokens: 5 }));
  });
  let text = '';
  const block = await measureLongestBlockRepeatedly(async () => {
    text = await (await scene.chat('holographic-large', { stream: true })).text();
  });
  expect(text).toContain(event);
  expect(block).toBeLessThan(25);
});

test.each([
  ['comments', `: ${PIECE}\n\n`],
  ['lines of no field', `${PIECE}\n\n`],
])('a long stream of %s is no answer', async (what, piece) => {
  const model = `silent ${what}`;
  const id = await newChannel(model, repeating(piece));
  const response = await scene.chat(model, { stream: true });
  expect(response.status).toBe(502);
  await response.text();
  expect(failuresOf(id)).toBe(1);
});

test('refuses a stream of empty events without delaying others', async () => {
  await newChannel('empty-events', (response) => void response.end('data:\n\n'.repeat(160_000)));
  let status = 0;
  const block = await measureLongestBlockRepeatedly(async () => {
    const response = await scene.chat('empty-events', { stream: true });
    ({ status } = response);
    await response.text();
  });
  expect(status).toBe(502);
  expect(block).toBeLessThan(50);
});

async function stream(model: string): Promise<{ status: number; text: string; charge: number }> {
  const before = await scene.balance();
  const response = await scene.chat(model, { stream: true });
  const text = await response.text();
  await scene.waitUntilSettled();
  return { status: response.status, text, charge: before - (await scene.balance()) };
}

const content = formatChatChunk({ content: 'hello' });
const usage = { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300 };

test.each([
  ['in one packet', [content + formatChatEnd(usage)]],
  ['after its content', [content, formatChatEnd(usage)]],
])('a connection that is reset after a whole answer, %s, takes nothing from it', async (how, pieces) => {
  const model = `reset ${how}`;
  const onePoint = savePrice.parse({ model, rates: { input: 1e9, output: 1e9 } });
  await scene.admin.api(prices).create({ body: onePoint });
  const id = await newChannel(model, async (response) => {
    for (const piece of pieces) {
      response.write(piece);
      await sleep(systemTimers, 50);
    }
    response.socket?.resetAndDestroy();
  });
  expect(await stream(model)).toMatchObject({
    status: 200,
    text: expect.stringMatching(/hello.*\[DONE\]/s),
    charge: 300,
  });
  expect(failuresOf(id)).toBe(0);
});

test('content that was read and never sent on costs nothing when the answer fails', async () => {
  const failure = `data: ${JSON.stringify({ error: { message: 'out of memory' } })}\n\n`;
  await newChannel('fails-late', (response) => {
    response.end(content + formatChatChunk({}, 'stop') + failure);
  });
  const { status, text, charge } = await stream('fails-late');
  expect(status).toBe(502);
  expect(text).not.toContain('hello');
  expect(charge).toBe(0);
});

test.each([1, MORE_THAN_IS_HELD])('a stream of %s pieces reaches a client that wants it whole', async (pieces) => {
  const model = `whole-${pieces}`;
  const upstream = await startStreamingUpstream((response) => {
    for (let sent = 0; sent < pieces; sent += 1) response.write(formatChatChunk({ content: PIECE }));
    response.end(formatChatEnd({ prompt_tokens: 10, completion_tokens: 5_000 }));
  });
  upstreams.push(upstream);
  const request_changes = requestChanges.parse({ streaming: 'always' });
  await scene.newChannel({ base_url: upstream.url, models: [model], request_changes });
  const answer = chatAnswer.parse(await (await scene.chat(model)).json());
  expect(answer.choices[0].message.content).toBe(PIECE.repeat(pieces));
});

const chatAnswer = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });
