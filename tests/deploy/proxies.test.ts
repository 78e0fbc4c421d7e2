/** The configurations for nginx and Caddy in deploy/, in the real programs, in front of the real gateway. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectRealtime } from '../../apps/server/src/testing/realtime-test-client.ts';
import { createSelfSignedCertificate } from '../../apps/server/src/testing/self-signed-certificates.ts';
import { createVisitor, signIn } from '../../apps/server/src/testing/visitor.ts';
import { usageRecords } from '../../packages/contract/src/usage/usage-records.ts';
import { buildChatBody } from '../faults/raw-stream.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  setUpProduct,
  startProduct,
} from '../faults/start-product.ts';
import { findFreePort } from '../find-free-port.ts';
import { type RealtimeUpstream, startRealtimeUpstream } from '../scripted-upstream/realtime.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { type RunningProgram, startProgram, unpackDebianProgram } from './find-program.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const place = mkdtempSync(join(tmpdir(), 'switchyard-proxies-'));
const pem = createSelfSignedCertificate('127.0.0.1');
const keyFile = join(place, 'key.pem');
const certificateFile = join(place, 'certificate.pem');
/** On Linux all of 127.0.0.0/8 is local, so that the client's address can differ from the proxy's. */
const CLIENT = '127.0.0.2';
const LARGE_BYTES = 20_000_000;

let upstream: ScriptedUpstream;
let realtime: RealtimeUpstream;
let folder: ProductFolder;
let product: ProductProcess;
let key: string;

beforeAll(async () => {
  writeFileSync(keyFile, pem.key);
  writeFileSync(certificateFile, pem.cert);
  setDefaultCACertificates([...getCACertificates('default'), pem.cert]);
  upstream = await startScriptedUpstream();
  realtime = await startRealtimeUpstream();
  folder = createProductFolder(join(place, 'data'));
  product = await startProduct(folder, { variables: { TRUSTED_PROXIES: '127.0.0.1' } });
  ({ key } = await setUpProduct(product, folder, upstream.url, ['tokens-*', 'scripted*']));
  await setUpProduct(product, folder, realtime.url, ['live*']);
});
afterAll(async () => {
  await product.stop('SIGTERM');
  await upstream.close();
  await realtime.close();
  rmSync(place, { recursive: true, force: true });
});

/** Replaces ports, names and paths of the configuration, which must all occur in it. */
function adapt(recipe: string, changes: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(deploy, recipe), 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    expect(text, recipe).toContain(from);
    text = text.replaceAll(from, to);
  }
  return text;
}

async function startNginx(path: string, port: number): Promise<RunningProgram> {
  const home = join(place, 'nginx');
  mkdirSync(join(home, 'logs'), { recursive: true });
  const recipe = adapt('nginx/switchyard.conf', {
    'listen 80;': `listen 127.0.0.1:${await findFreePort()};`,
    'listen [::]:80;': '',
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    'listen [::]:443 ssl http2;': '',
    '/etc/ssl/switchyard/fullchain.pem': certificateFile,
    '/etc/ssl/switchyard/privkey.pem': keyFile,
    '/var/log/nginx/switchyard.log': join(home, 'access.log'),
    'server 127.0.0.1:3000 ': `server 127.0.0.1:${product.port} `,
  });
  writeFileSync(join(home, 'switchyard.conf'), recipe);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(home, name)};`)
    .join(' ');
  const configuration = join(home, 'nginx.conf');
  writeFileSync(
    configuration,
    `daemon off; user root; pid ${join(home, 'pid')}; error_log stderr; events {}
     http { ${temporary} include ${join(home, 'switchyard.conf')}; }`,
  );
  const parameters = ['-p', home, '-c', configuration];
  execFileSync(path, ['-t', ...parameters], { stdio: 'pipe' });
  return startProgram(path, parameters, port);
}

async function startCaddy(path: string, port: number): Promise<RunningProgram> {
  const home = join(place, 'caddy');
  mkdirSync(home, { recursive: true });
  const recipe = adapt('caddy/Caddyfile', {
    '{$SITE_ADDRESS:ai.example.com} {': `{$SITE_ADDRESS:ai.example.com} {\n\ttls ${certificateFile} ${keyFile}`,
  });
  const configuration = join(home, 'Caddyfile');
  writeFileSync(configuration, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${recipe}`);
  const variables = { HOME: home, SITE_ADDRESS: `https://127.0.0.1:${port}`, GATEWAYS: `127.0.0.1:${product.port}` };
  const parameters = ['--config', configuration, '--adapter', 'caddyfile'];
  execFileSync(path, ['validate', ...parameters], { stdio: 'pipe', env: { ...process.env, ...variables } });
  return startProgram(path, ['run', ...parameters], port, variables);
}

const proxies = [
  { name: 'nginx', path: unpackDebianProgram('nginx'), start: startNginx },
  { name: 'caddy', path: unpackDebianProgram('caddy'), start: startCaddy },
];

for (const { name, path, start } of proxies)
  describe.skipIf(path === undefined)(name, () => {
    let url: string;
    let proxy: RunningProgram;
    beforeAll(async () => {
      const port = await findFreePort();
      url = `https://127.0.0.1:${port}`;
      proxy = await start(path ?? '', port);
    });
    afterAll(() => proxy.stop());

    const agent = new Agent({ localAddress: CLIENT, ca: pem.cert });
    /** Head of the response; its body is for the caller. */
    const chat = (body: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const sent = request(
          `${url}/v1/chat/completions`,
          {
            method: 'POST',
            agent,
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
          },
          resolve,
        );
        sent.once('error', reject);
        sent.end(body);
      });
    const textOf = async (answer: IncomingMessage): Promise<string> => Buffer.concat(await answer.toArray()).toString();

    test('forwards each event of a stream at once', async () => {
      const answer = await chat(buildChatBody('tokens-10+drip-200ms'));
      const times: number[] = [];
      for await (const piece of answer) {
        expect(String(piece).length).toBeGreaterThan(0);
        times.push(performance.now());
      }
      expect(times.length).toBeGreaterThan(8);
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_500);
    });

    test('informs the gateway at once of a disconnected client', async () => {
      const before = upstream.requests.length;
      const answer = await chat(buildChatBody('tokens-200+drip-200ms'));
      await new Promise((resolve) => answer.once('data', resolve));
      answer.destroy();
      await expect
        .poll(() => upstream.requests.slice(before).map(({ disconnectedAt }) => disconnectedAt !== undefined), {
          timeout: 8_000,
        })
        .toEqual([true]);
    });

    test('forwards the messages of a WebSocket in both directions', async () => {
      const caller = connectRealtime({ url, key }, 'live');
      onTestFinished(() => caller.socket.terminate());
      await caller.waitForEvent('session.created');
      caller.send({ type: 'response.create' });
      const done = await caller.waitForEvent('response.done');
      expect(done).toMatchObject({ type: 'response.done' });
    });

    test('forwards bodies of many megabytes', async () => {
      const url = `data:image/png;base64,${'A'.repeat(LARGE_BYTES)}`;
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
      const answer = await chat(JSON.stringify({ model: 'scripted', messages }));
      expect([answer.statusCode, (await textOf(answer)).slice(0, 200)]).toEqual([200, expect.any(String)]);
    });

    test('reports the client’s own address, and none that the client invented', async () => {
      const model = `scripted-${name}`;
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
      const answer = await chat(body, { 'x-forwarded-for': '203.0.113.9' });
      expect([answer.statusCode, await textOf(answer)]).toEqual([200, expect.any(String)]);
      const root = createVisitor(product.url, await signIn(product.url, folder.root.username, folder.root.password));
      const { data } = await root.api(usageRecords).list({ query: { model_name: model } });
      expect(data.map(({ source_ip: address }) => address)).toEqual([CLIENT]);
    });

    test('lets staff sign in from another address, over TLS, with a cookie that is limited to TLS', async () => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(
          `${url}/api/user/login`,
          { method: 'POST', agent, headers: { 'content-type': 'application/json', origin: url } },
          resolve,
        );
        sent.once('error', reject);
        sent.end(JSON.stringify(folder.root));
      });
      expect([answer.statusCode, await textOf(answer)]).toEqual([200, expect.any(String)]);
      const cookies = answer.headers['set-cookie'] ?? [];
      expect(cookies.length).toBeGreaterThan(0);
      expect(cookies.filter((cookie) => !/; Secure/i.test(cookie))).toEqual([]);
    });

    test('writes no key of a URL into a log', async () => {
      const secret = 'sk-in-the-address';
      await new Promise<void>((resolve, reject) => {
        const sent = request(`${url}/v1beta/models?key=${secret}`, { agent }, (answer) => {
          answer.resume().once('end', () => resolve());
        });
        sent.once('error', reject);
        sent.end();
      });
      const log = join(place, name, 'access.log');
      const text = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
      // It is written after the response.
      if (name === 'nginx') await expect.poll(text).toContain('/v1beta/models');
      expect(text()).not.toContain(secret);
    });
  });
