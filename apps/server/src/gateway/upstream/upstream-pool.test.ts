import { Server } from 'proxy-chain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSocks5Proxy } from '../../../../../tests/scripted-upstream/socks5.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
});
afterAll(() => scene.close());

test('a channel’s HTTP proxy carries its calls, with user and password', async () => {
  const logins: string[] = [];
  const proxy = new Server({
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: ({ username, password }) => {
      logins.push(`${username}:${password}`);
      return {
        requestAuthentication: username !== 'relay' || (password !== 'p%40ss' && password !== 'p@ss'),
      };
    },
  });
  await proxy.listen();
  await scene.newChannel({ models: ['scripted-http'], proxy: `http://relay:p%40ss@127.0.0.1:${proxy.port}` });
  expect((await scene.chat('scripted-http')).status).toBe(200);
  expect(await (await scene.chat('scripted-http', { stream: true })).text()).toContain('[DONE]');
  expect(logins.length).toBeGreaterThan(0);
  await proxy.close(true);
  expect((await scene.chat('scripted-http')).status).toBe(502);
});

test('a channel’s SOCKS5 proxy carries its calls, with user and password', async () => {
  const proxy = await startSocks5Proxy('relay', 'secret');
  await scene.newChannel({ models: ['scripted-socks'], proxy: proxy.url });
  expect((await scene.chat('scripted-socks')).status).toBe(200);
  expect(proxy.connections).toBe(1);
  proxy.close();
});

test('a channel’s own headers reach the upstream, but never replace the credentials', async () => {
  await scene.newChannel({
    models: ['scripted-headers'],
    model_headers: { 'x-team': 'blue', authorization: 'Bearer other' },
  });
  await scene.chat('scripted-headers');
  const headers = scene.upstream.requests.at(-1)?.headers;
  expect(headers).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer sk-upstream' });
});
