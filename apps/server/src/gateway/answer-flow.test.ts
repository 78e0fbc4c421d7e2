/** Streams whose connection breaks at an awkward moment: who got what decides what is paid. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { prices, savePrice } from '@switchyard/contract/prices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { channelHealth } from '../features/channels/channels.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

let scene: RelayScene;
const servers: Server[] = [];

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await scene.close();
});

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const content = event({ choices: [{ index: 0, delta: { content: 'hello' } }] });
const usage = { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300 };
const end = `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}${event({ choices: [], usage })}data: [DONE]\n\n`;
const reset = ({ socket }: ServerResponse): void => void socket?.resetAndDestroy();

/** A channel whose upstream writes the pieces and then lets the connection go. */
async function upstream(model: string, pieces: readonly string[], last: (response: ServerResponse) => void) {
  const server = createServer(async (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) {
      response.write(piece);
      await pause(50);
    }
    last(response);
  });
  servers.push(server);
  return scene.newChannel({ base_url: `http://127.0.0.1:${await listen(server)}`, models: [model] });
}

async function stream(model: string): Promise<{ status: number; text: string; charge: number }> {
  const before = await scene.balance();
  const response = await scene.chat(model, { stream: true });
  const text = await response.text();
  await scene.settled();
  return { status: response.status, text, charge: before - (await scene.balance()) };
}

test.each([
  ['in one packet', [content + end]],
  ['after its content', [content, end]],
])('a connection that is reset after a whole answer, %s, takes nothing from it', async (name, pieces) => {
  const model = `whole ${name}`;
  await scene.admin
    .api(prices)
    .create({ body: savePrice.parse({ model, rates: { input: 1e9, output: 1e9 } }) });
  const id = await upstream(model, pieces, reset);
  expect(await stream(model)).toMatchObject({
    status: 200,
    text: expect.stringMatching(/hello.*\[DONE\]/s),
    charge: 300,
  });
  expect(channelHealth(scene.ctx).of(id, model).failuresInRow).toBe(0);
});

test('content that was read and never sent on costs nothing when the answer fails', async () => {
  const model = 'error-after-finish';
  const finished = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  const failure = event({ error: { message: 'out of memory' } });
  await upstream(model, [content + finished + event({ choices: [], usage }) + failure], (response) =>
    response.end(),
  );
  const { status, text, charge } = await stream(model);
  expect(status).toBe(502);
  expect(text).not.toContain('hello');
  expect(charge).toBe(0);
});
