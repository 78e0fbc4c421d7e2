/**
 * A client's fields and headers never decide which host the gateway calls or with which key. Tries all combinations of
 * the fields and headers that have misled similar gateways, beside ordinary calls.
 */
import { Agent, createServer, request, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { createRandom, type Random } from '../../apps/server/src/tools/demo/random.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { listen } from '../listen.ts';

const REQUESTS = 2_000;
const AT_ONCE = 16;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

let scene: RelayScene;
/** Host that the gateway may call, so that only the client's field is tested. */
let elsewhere: Server;
let wish: string;
let caught = 0;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  scene = await startRelayScene();
  await removeRateLimits(scene.admin);
  await scene.newChannel({});
  elsewhere = createServer((_request, response) => response.end('{}'));
  elsewhere.on('connection', () => (caught += 1));
  wish = `127.0.0.1:${await listen(elsewhere)}`;
});
afterAll(async () => {
  agent.destroy();
  elsewhere.close();
  await scene.close();
});

const fields = [
  'api_base',
  'base_url',
  'baseURL',
  'api_url',
  'url',
  'endpoint',
  'host',
  'hostname',
  'origin',
  'proxy',
  'proxies',
  'http_proxy',
  'webhook',
  'webhook_url',
  'callback_url',
  'image_url',
  'file_url',
  'input_audio_url',
  'azure_endpoint',
  'vertex_location',
  'aws_bedrock_runtime_endpoint',
  'custom_llm_provider',
  'model_info',
  'litellm_params',
  'extra_body',
  'extra_headers',
  'headers',
  'provider_specific_header',
  'metadata',
  'config',
  'provider',
  'channel',
  'channel_id',
  'api_key',
  'api_version',
  'organization',
  'redirect_uri',
];
const headers = [
  'x-forwarded-host',
  'x-forwarded-server',
  'x-forwarded-for',
  'x-original-url',
  'x-rewrite-url',
  'x-host',
  'x-http-host-override',
  'x-real-ip',
  'x-api-base',
  'x-base-url',
  'x-portkey-custom-host',
  'x-upstream-url',
  'x-target-url',
  'x-proxy-url',
  'x-goog-api-client',
  'api-base',
  'forwarded',
  'via',
  'referer',
  'origin',
  'proxy',
  'location',
  'host',
];

function wished(random: Random): unknown {
  const url = `http://${wish}/v1`;
  return random.pick<unknown>([
    url,
    wish,
    `//${wish}`,
    [url],
    { url },
    { base_url: url, api_base: url },
    `${url}#`,
    `http://x@${wish}/`,
  ]);
}

function bodyOf(random: Random): string {
  const content = random.chance(0.3)
    ? [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: `http://${wish}/image.png` } },
      ]
    : 'Say something.';
  const body: Record<string, unknown> = { model: 'scripted', messages: [{ role: 'user', content }] };
  for (let count = random.between(1, 6); count > 0; count -= 1) body[random.pick(fields)] = wished(random);
  return JSON.stringify(body);
}

function headersOf(random: Random): Record<string, string> {
  const sent: Record<string, string> = {};
  for (let count = random.between(0, 4); count > 0; count -= 1)
    sent[random.pick(headers)] = random.pick([`http://${wish}/v1`, wish, `host=${wish}`]);
  return sent;
}

function targetOf(random: Random): string {
  const path = random.pick(['/v1/chat/completions', '/v1/messages', '/claude/v1/messages']);
  if (random.chance(0.1)) return `http://${wish}${path}`;
  return random.chance(0.3) ? `${path}?base_url=http://${wish}&api_base=${wish}` : path;
}

function send(random: Random): Promise<number> {
  const body = bodyOf(random);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port: new URL(scene.url).port,
        method: 'POST',
        path: targetOf(random),
        headers: {
          ...headersOf(random),
          authorization: `Bearer ${scene.key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    );
    sent.on('error', reject).end(body);
  });
}

test(`${REQUESTS} calls that name another host reach the channel's own with its own key (SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    const batch = await Promise.all(Array.from({ length: AT_ONCE }, () => send(random)));
    for (const status of batch) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(caught).toBe(0);
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
  expect(statuses.get(200), JSON.stringify([...statuses])).toBeGreaterThan(REQUESTS / 4);
  const { requests, url } = scene.upstream;
  expect(new Set(requests.map((request) => request.headers.host))).toEqual(new Set([new URL(url).host]));
  expect(new Set(requests.map((request) => request.headers.authorization))).toEqual(new Set(['Bearer sk-upstream']));
  expect(JSON.stringify(requests.map((request) => Object.entries(request.headers)))).not.toContain(wish);
});
