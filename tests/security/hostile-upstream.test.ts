/**
 * Hostile upstreams: an upstream knows the channel's secrets, but no client learns them, and it cannot fill the memory.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { listen } from '../listen.ts';

const KEY = 'canarykey-0123456789';
const HEADER = 'canaryheader-0123456789';

let scene: RelayScene;
const servers: Server[] = [];

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await scene.close();
});

/** Creates a channel for one model with a custom upstream. */
async function upstream(
  model: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  servers.push(server);
  const port = await listen(server);
  await scene.newChannel({
    base_url: `http://127.0.0.1:${port}`,
    models: [model],
    key: KEY,
    model_headers: { 'x-canary': HEADER },
  });
}

/** Sends the piece repeatedly until the connection closes. */
function flood(response: ServerResponse, piece: string, sent: { bytes: number }): void {
  const write = (): void => {
    while (!response.destroyed) {
      sent.bytes += piece.length;
      if (!response.write(piece)) return void response.once('drain', write);
    }
  };
  write();
}

const content = 'data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}\n\n';
const end =
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n';

test.each([
  ['as they are', (text: string) => text],
  ['as base64', (text: string) => Buffer.from(text).toString('base64')],
  ['cut in the middle', (text: string) => `${'x'.repeat(188)}${text}`],
])('secrets that an error repeats %s reach neither the client nor the record', async (how, write) => {
  const model = `echo ${how}`;
  await upstream(model, (_request, response) => {
    response.writeHead(400).end(model.includes('cut') ? write(KEY) : `no: ${write(KEY)} ${write(HEADER)}`);
  });
  const answer = await (await scene.chat(model)).text();
  await scene.waitUntilSettled();
  const shown = answer + JSON.stringify((await scene.records()).at(-1));
  for (const secret of [KEY, HEADER, Buffer.from(KEY).toString('base64'), Buffer.from(HEADER).toString('base64')])
    expect(shown).not.toContain(secret.slice(0, 8));
});

test.each([
  [`event: error\ndata: ${JSON.stringify({ message: `no: ${KEY}`, code: 500 })}\n\n`],
  [`data: ${JSON.stringify({ error: [`no: ${KEY}`] })}\n\n`],
  [`data: ${JSON.stringify({ detail: `no: ${KEY}` })}\n\n`],
  [`data: ${JSON.stringify({ type: 'error', message: `no: ${KEY}` })}\n\n`],
])('reports an error within a stream without secrets: %j', async (error) => {
  const model = `within ${error.slice(0, 20)}`;
  await upstream(model, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(content);
    systemTimers.after(50, () => response.end(error + content));
  });
  const answer = await (await scene.chat(model, { stream: true })).text();
  await scene.waitUntilSettled();
  expect(answer).toContain('hello');
  expect(answer).toContain('"upstream_error"');
  expect(answer + JSON.stringify((await scene.records()).at(-1))).not.toContain(KEY);
});

test.each([
  ['comments', `${': nothing'.repeat(1_000)}\n\n`],
  ['blank lines', '\n'.repeat(10_000)],
  ['fields that are unknown', 'id: 7\n\n'.repeat(1_000)],
])('an upstream that sends nothing but %s is aborted with the same error in every dialect', async (name, piece) => {
  const sent = { bytes: 0 };
  await upstream(name, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    flood(response, piece, sent);
  });
  const body = { model: name, max_tokens: 10, messages: [{ role: 'user', content: 'x' }], stream: true };
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    sent.bytes = 0;
    const response = await scene.post(path, body);
    expect([path, response.status]).toEqual([path, 502]);
    expect(sent.bytes).toBeLessThan(64 * 1024 * 1024);
  }
});

test('a complete response ends, regardless of further bytes from the upstream', async () => {
  await upstream('endless', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(content + end);
    const timer = systemTimers.every(100, () => response.write(': more\n\n'));
    response.on('close', () => timer.close());
  });
  const response = await scene.chat('endless', { stream: true });
  expect(await response.text()).toContain('[DONE]');
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'reported' });
});

const refusals = {
  echo: [400, { message: "Invalid value: 'invalid api key, insufficient balance'.", type: 'invalid_request_error' }],
  flagged: [403, { code: 403, message: 'Your input was flagged', metadata: { reasons: ['violence'] } }],
  large: [
    429,
    { message: 'Request too large for m: Limit 3, Requested 6.', type: 'tokens', code: 'rate_limit_exceeded' },
  ],
} as const;

test.each(['echo', 'flagged', 'large'] as const)(
  'what a client is to blame for (%s) takes no channel from the others',
  async (model) => {
    const [status, error] = refusals[model];
    const requests: string[] = [];
    await upstream(model, (_request, response) => {
      requests.push(model);
      if (requests.length > 6) return response.end(`{"choices":[{"message":{"content":"hello"}}]}`);
      response.writeHead(status, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error }));
    });
    for (let time = 0; time < 6; time += 1) expect(await (await scene.chat(model)).json()).toEqual({ error });
    expect((await scene.chat(model)).status).toBe(200);
    expect(requests.length).toBe(7);
  },
);

test('a stream with audio only counts as content, regardless of its length', async () => {
  const sound = `data: {"choices":[{"index":0,"delta":{"audio":{"data":"${'A'.repeat(100_000)}"}}}]}\n\n`;
  await upstream('sound', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(sound.repeat(20) + end);
  });
  const response = await scene.chat('sound', { stream: true });
  expect(response.status).toBe(200);
  expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true);
});
