/**
 * P39: a process that may have few descriptors bounds the connections of its clients. It lives beside as many as they like to
 * open, serves other addresses meanwhile, and serves everybody again when they leave.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { measured } from '../tier.ts';
import { newProductFolder, type Product, setUpProduct, startProduct, withCompileCache } from './product.ts';

const DESCRIPTORS = 256;
const CONNECTIONS = 400;
const MAIN = join(import.meta.dirname, '../../apps/server/src/main.ts');
/** Two clients on the machine of the test. */
const [CROWD, OTHER] = ['127.0.0.1', '127.0.0.2'];

let upstream: ScriptedUpstream;
let dataDir: string;
let product: Product;
let key: string;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-descriptors-'));
  const folder = newProductFolder(dataDir);
  const command = ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`];
  product = await startProduct(folder, {
    command: [...command, process.execPath, ...withCompileCache, MAIN],
  });
  ({ key } = await setUpProduct(product, folder, upstream.url, ['scripted*']));
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

const chat = (from: string) =>
  call(from, '/v1/chat/completions', { model: 'scripted', messages: [{ role: 'user', content: 'x' }] });

/** Opens connections that say nothing. @returns those that were not closed at once */
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

test(`a process lives beside ${CONNECTIONS} connections with ${DESCRIPTORS} descriptors`, async () => {
  const crowd = await openCrowd();
  await expect.poll(() => crowd.size).toBeLessThan(DESCRIPTORS / 2);
  const others = await Promise.all(Array.from({ length: 10 }, () => chat(OTHER)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  for (const path of ['/', '/v1/models', '/api/status']) {
    // oxlint-disable-next-line no-await-in-loop -- each connection is to be the only one of its kind
    const refused = await call(CROWD, path).catch((error: unknown) => ({ status: 0, body: String(error) }));
    expect([0, 503]).toContain(refused.status);
    if (refused.status === 503)
      expect(JSON.parse(refused.body)).toMatchObject({ success: false, code: 'unavailable' });
  }
  expect(product.process.exitCode).toBeNull();
  measured(
    'P39',
    `${CONNECTIONS} connections with ${DESCRIPTORS} descriptors: ${crowd.size} open, other addresses served`,
  );
  for (const socket of crowd) socket.destroy();
  await expect.poll(async () => (await chat(CROWD)).status, { timeout: 20_000 }).toBe(200);
});
