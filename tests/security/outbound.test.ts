/**
 * The server calls only allowed addresses. Every address form is used in every feature that calls an address, with and
 * without the check at saving, and no connection may be attempted; see `address-forms.ts`.
 */

import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { channels } from '@switchyard/contract/channels/channels';
import { type ChannelId, channelId } from '@switchyard/contract/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { OPENAI_COMPATIBLE, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { listen } from '../listen.ts';
import { reportMeasurement, sampleOf } from '../tier.ts';
import { internalHosts, internalNames } from './address-forms.ts';
import { installScriptedDns, recordConnections, setDnsName } from './scripted-dns.ts';

/** Address forms that a short run tries in each place of each feature. */
const FORMS = 20;
const MODEL = 'moved';
/** Public address that is never called: channels are created with it before they are changed. */
const OUTSIDE = 'http://outside.test';
setDnsName('outside.test', ['8.8.8.8']);
for (const [name, addresses] of Object.entries(internalNames)) setDnsName(name, addresses);

let strict: RelayScene;
/** Feature that may call 127.0.0.1, and no other internal address. */
let open: RelayScene;
let canary: Server;
let port: number;
let caught = 0;
const attempts = recordConnections();
const forgetNames = installScriptedDns();

beforeAll(async () => {
  canary = createServer((_request, response) => response.end('{}'));
  for (const event of ['connection', 'request']) canary.on(event, () => (caught += 1));
  for (const event of ['connect', 'clientError'])
    canary.on(event, (_reason: unknown, socket: Socket) => void socket.destroy());
  port = await listen(canary, '0.0.0.0');
  strict = await startRelayScene({ config: { outboundAllow: [] } });
  open = await startRelayScene();
  for (const scene of [strict, open]) await removeRateLimits(scene.admin);
});
afterAll(async () => {
  canary.closeAllConnections();
  canary.close();
  await strict.close();
  await open.close();
  vi.restoreAllMocks();
  forgetNames();
});
beforeEach(() => {
  caught = 0;
  attempts.length = 0;
});

/** Attempts to connect to anything but the servers of this test and of its databases. */
function strayAttempts(): string[] {
  const database = process.env['TEST_POSTGRES'];
  const own = [strict, open].flatMap(({ url, upstream }) => [url, upstream.url]);
  const hosts = new Set([...own, ...(database === undefined ? [] : [database])].map((url) => new URL(url).host));
  return attempts.filter((attempt) => !hosts.has(attempt.replace(' ', ':')));
}

interface Place {
  base_url: string;
  proxy: string;
}

/** Fields of a channel that contain an address. */
const places: Readonly<Record<string, (host: string) => Place>> = {
  'the address': (host) => ({ base_url: `http://${host}:${port}/v1`, proxy: '' }),
  'the address over TLS': (host) => ({ base_url: `https://${host}:${port}`, proxy: '' }),
  'the proxy': (host) => ({ base_url: OUTSIDE, proxy: `http://${host}:${port}` }),
  'the proxy for TLS': (host) => ({ base_url: 'https://outside.test', proxy: `http://${host}:${port}` }),
  'the SOCKS proxy': (host) => ({ base_url: OUTSIDE, proxy: `socks5://${host}:${port}` }),
};

const channelOf = new Map<RelayScene, number>();

/** Writes an address into a channel's row that no form accepts: saving and calling have separate checks. */
async function moved(scene: RelayScene, { base_url, proxy }: Place): Promise<ChannelId> {
  const id = channelOf.get(scene) ?? (await scene.newChannel({ base_url: OUTSIDE, models: [MODEL] }));
  channelOf.set(scene, id);
  const proxy_sealed = proxy === '' ? '' : scene.ctx.vault.seal('channel-proxy', `channel:${id}`, proxy);
  await scene.ctx.db.writer
    .updateTable('channel')
    .set({ base_url, proxy_sealed, status: 'enabled' })
    .where('id', '=', id)
    .execute();
  await scene.ctx.changes.publish({ topic: 'channels' });
  await api(scene).resume({ params: { id: channelId.parse(id) } });
  return channelId.parse(id);
}

const api = (scene: RelayScene) => scene.admin.api(channels);

/** Features that call a configured address. Their results do not matter here. */
const features: Readonly<Record<string, (scene: RelayScene, place: Place) => Promise<unknown>>> = {
  'saving a channel': (scene, place) => scene.newChannel({ ...place, models: ['never asked for'] }),
  'the model list of a form': (scene, { base_url, proxy }) =>
    api(scene).fetchModels({ body: { type: OPENAI_COMPATIBLE, base_url, proxy } }),
  'the test of a channel': async (scene, place) => api(scene).test({ params: { id: await moved(scene, place) } }),
  'the balance of a channel': async (scene, place) =>
    api(scene).updateBalance({ params: { id: await moved(scene, place) } }),
  'what a feature fetches': (scene, { base_url, proxy }) =>
    // It has no proxy.
    scene.ctx.outbound.fetch(proxy === '' ? base_url : proxy),
  'a webhook of a user': (scene, { base_url, proxy }) =>
    scene.ctx.outbound.public.fetch(proxy === '' ? base_url : proxy),
  'a relayed call': async (scene, place) => {
    await moved(scene, place);
    const answer = await scene.chat(MODEL);
    const text = await answer.text();
    if (!answer.ok && !text.includes('upstream')) throw new NotTried(text);
  },
};

/** The gateway did not call at all, so that nothing is proved. */
class NotTried extends Error {}

async function run(feature: string, scene: RelayScene, address: Place): Promise<void> {
  await features[feature]?.(scene, address).catch((error: unknown) => {
    if (error instanceof NotTried) throw error;
  });
}

describe.each(Object.keys(features))('%s', (feature) => {
  test.each(Object.entries(places))('calls no internal address as %s', async (_where, placeOf) => {
    for (const host of sampleOf([...internalHosts, ...Object.keys(internalNames)], FORMS)) {
      await run(feature, strict, placeOf(host));
      expect(strayAttempts(), host).toEqual([]);
    }
    expect(caught).toBe(0);
  });
});

test('saves no internal address in any form', async () => {
  for (const host of [...internalHosts, ...Object.keys(internalNames)]) {
    for (const where of ['the address', 'the proxy']) {
      const address = places[where]?.(host);
      await expect(strict.newChannel({ ...address, models: ['refused'] }), `${where}: ${host}`).rejects.toThrow();
    }
  }
});

test('there are at least 120 address forms, and allowed calls are detected', async () => {
  const forms = internalHosts.length + Object.keys(internalNames).length;
  reportMeasurement(
    'P15',
    `${forms} forms at ${Object.keys(places).length} places of ${Object.keys(features).length} features`,
  );
  expect(forms).toBeGreaterThanOrEqual(120);
  for (const feature of ['the model list of a form', 'the test of a channel', 'a relayed call']) {
    for (const [where, placeOf] of Object.entries(places)) {
      // This server does not speak SOCKS; see socks5.ts for one that does.
      if (where === 'the SOCKS proxy') continue;
      caught = 0;
      await run(feature, open, placeOf('127.0.0.1'));
      expect(caught, `${feature}: ${where}`).toBeGreaterThan(0);
    }
  }
});

/** Features that call the address of an active channel. */
const callers = ['the model list of a form', 'the test of a channel', 'a relayed call'];

describe.each(callers)('%s', (feature) => {
  test('does not follow a name that resolves to an internal address after the check', async () => {
    for (const target of ['127.0.0.1', '10.0.0.1', '::1', '169.254.169.254']) {
      // A separate name, because a late look-up of the last one would take the first address of this one.
      const name = `rebinding-${callers.indexOf(feature)}-${target.replaceAll(/[.:]/g, '-')}.test`;
      setDnsName(name, ['8.8.8.8'], [target]);
      const channelFields = { base_url: `http://${name}:${port}`, proxy: '' };
      await run('saving a channel', strict, channelFields);
      await run(feature, strict, channelFields);
      await run(feature, strict, { base_url: OUTSIDE, proxy: channelFields.base_url });
    }
    expect(strayAttempts()).toEqual([]);
  });

  test('uses only the allowed addresses of a name', async () => {
    setDnsName('mixed.test', ['127.0.0.2', '10.0.0.1', '127.0.0.1', '::1']);
    await run(feature, open, { base_url: `http://mixed.test:${port}`, proxy: '' });
    expect(caught).toBeGreaterThan(0);
    expect(strayAttempts().filter((attempt) => attempt !== `127.0.0.1 ${port}`)).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
    let requestCount = 0;
    const redirecting = createServer((_request, response) => {
      requestCount += 1;
      response.writeHead(status, { location: `http://127.0.0.1:${port}/v1/models` }).end();
    });
    await run(feature, open, { base_url: `http://127.0.0.1:${await listen(redirecting)}`, proxy: '' });
    redirecting.closeAllConnections();
    redirecting.close();
    expect(requestCount).toBe(1);
    expect(caught).toBe(0);
  });

  test('never uses a proxy, however allowed, for an internal address', async () => {
    for (const host of sampleOf(
      internalHosts.filter((host) => URL.canParse(`http://${host}`)),
      FORMS,
    )) {
      const { hostname } = new URL(`http://${host}`);
      const isAllowed = hostname === '127.0.0.1' || hostname === '[::ffff:7f00:1]';
      if (isAllowed || !/^[\d.]+$|^\[/.test(hostname)) continue;
      for (const proxy of [`http://127.0.0.1:${port}`, `socks5://127.0.0.1:${port}`])
        await run(feature, open, { base_url: `http://${host}`, proxy });
    }
    expect(caught).toBe(0);
  });
});

test('a fetch is aborted after ten seconds, even if the response trickles', async () => {
  const trickling = createServer((_request, response) => {
    response.writeHead(200);
    const timer = systemTimers.every(50, () => response.write(' '));
    response.on('close', () => timer.close());
  });
  const fetching = open.ctx.outbound.fetch(`http://127.0.0.1:${await listen(trickling)}`);
  // Both timers run in this process, so that its speed does not matter.
  const late = sleep(systemTimers, 11_000).then(() => 'late');
  await expect(Promise.race([fetching, late])).rejects.toThrow();
  trickling.closeAllConnections();
  trickling.close();
});
