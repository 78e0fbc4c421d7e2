/**
 * P39: a process with few file descriptors limits its connections to clients and upstreams. It survives any number of
 * connections, serves other addresses meanwhile, and serves all addresses again after they close.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { profile } from '@switchyard/contract/accounts/profile';
import { channels, createChannel } from '@switchyard/contract/channels/channels';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Visitor } from '../../apps/server/src/testing/visitor.ts';
import { listen } from '../listen.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { reportMeasurement } from '../tier.ts';
import {
  compileCacheFlags,
  createProductFolder,
  type ProductProcess,
  setUpProduct,
  startProduct,
} from './start-product.ts';

const DESCRIPTORS = 256;
const CONNECTIONS = 400;
/** Together more connections than there are descriptors; each group as many as one address may open. */
const VENDORS = 14;
const CALLS = 20;
const MAIN = join(import.meta.dirname, '../../apps/server/src/main.ts');
/** Client addresses on the machine of the test. */
const [CROWD, OTHER, CALLER] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

let upstream: ScriptedUpstream;
let dataDir: string;
let product: ProductProcess;
let root: Visitor;
let key: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-descriptors-'));
  const folder = createProductFolder(dataDir);
  const command = ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`];
  product = await startProduct(folder, { command: [...command, process.execPath, ...compileCacheFlags, MAIN] });
  ({ root, key } = await setUpProduct(product, folder, upstream.url, ['scripted*']));
});
afterAll(async () => {
  await product.stop('SIGKILL');
  await upstream.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Got {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

function call(localAddress: string, path: string, body?: object): Promise<Got> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const options = { method: body === undefined ? 'GET' : 'POST', localAddress, agent: false, headers };
    const sent = request(`${product.url}${path}`, options);
    sent.on('error', reject).on('response', (response) => {
      const { statusCode: status = 0, headers: got } = response;
      text(response).then((read) => resolve({ status, retryAfter: got['retry-after'], body: read }), reject);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const chat = (from: string, model = 'scripted') =>
  call(from, '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'x' }] });

/** Opens silent connections. @returns those that were not closed at once */
async function openCrowd(): Promise<Set<Socket>> {
  const open = new Set<Socket>();
  const crowd = Array.from(
    { length: CONNECTIONS },
    () =>
      new Promise<void>((resolve) => {
        const socket = connect({ port: product.port, host: '127.0.0.1', localAddress: CROWD });
        socket
          .on('error', () => {})
          .on('close', () => {
            open.delete(socket);
            resolve();
          });
        socket.on('connect', () => {
          open.add(socket);
          resolve();
        });
      }),
  );
  await Promise.all(crowd);
  return open;
}

test(`a process with ${DESCRIPTORS} descriptors survives ${CONNECTIONS} connections`, async () => {
  const crowd = await openCrowd();
  await expect.poll(() => crowd.size).toBeLessThan(DESCRIPTORS / 2);
  const others = await Promise.all(Array.from({ length: 10 }, () => chat(OTHER)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  for (const path of ['/', '/v1/models', '/api/status']) {
    // oxlint-disable-next-line no-await-in-loop -- each connection is to be the only one of its kind
    const refused = await call(CROWD, path).catch((error: unknown) => ({ status: 0, body: String(error) }));
    expect([0, 503]).toContain(refused.status);
    if (refused.status === 503) expect(JSON.parse(refused.body)).toMatchObject({ success: false, code: 'unavailable' });
  }
  expect(product.process.exitCode).toBeNull();
  reportMeasurement(
    'P39',
    `${CONNECTIONS} connections with ${DESCRIPTORS} descriptors: ${crowd.size} open, other addresses served`,
  );
  for (const socket of crowd) socket.destroy();
  await expect.poll(async () => (await chat(CROWD)).status).toBe(200);
});

/** Starts a vendor that responds once the last call has arrived, and keeps the connections for ten minutes. */
async function startVendor(): Promise<string> {
  const waiting: (() => void)[] = [];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const message = { role: 'assistant', content: 'x' };
  const answer = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
  const server = createServer((asked, response) => {
    asked.resume().on('end', () => {
      response.setHeader('content-type', 'application/json').setHeader('keep-alive', 'timeout=600');
      waiting.push(() => response.end(JSON.stringify(answer)));
      if (waiting.length === CALLS) for (const respond of waiting) respond();
    });
  });
  server.keepAliveTimeout = 600_000;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

test(`a process with ${DESCRIPTORS} descriptors limits its connections to ${VENDORS} upstreams`, async () => {
  const { group } = await root.api(profile).get();
  const most: number[] = [];
  for (let nth = 0; nth < VENDORS; nth += 1) {
    const models = [`scripted-kept-${nth}`];
    const base_url = await startVendor();
    // Created before the channel that serves all models.
    const body = { name: `vendor ${nth}`, type: 8, base_url, key: 'key', models, group: [group], priority: 1 };
    await root.api(channels).create({ body: createChannel.parse(body) });
    const answers = await Promise.all(Array.from({ length: CALLS }, () => chat(CALLER, models[0])));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    most.push(readdirSync(`/proc/${product.process.pid}/fd`).length);
  }
  expect((await chat(OTHER)).status).toBe(200);
  reportMeasurement('P39', `${VENDORS} upstreams × ${CALLS} calls at once: ${Math.max(...most)} descriptors`);
  expect(Math.max(...most)).toBeLessThan(DESCRIPTORS);
});
