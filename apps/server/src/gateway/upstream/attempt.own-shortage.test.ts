/** Requests for which the gateway has no descriptor left, or no thread that resolves a name. */
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { DnsQueueTimeoutError } from '../../platform/outbound/system-resolver.ts';
import { connectRealtime } from '../../testing/realtime-test-client.ts';
import { useRelayScene } from '../../testing/relay-scene.ts';

const scene = await useRelayScene();

/** Nothing listens there, and nothing that is not scripted connects. */
const VENDOR_PORT = 9;
/** In the options of a connection, as text or a number. */
const toVendor = new RegExp(`"port":"?${VENDOR_PORT}[",}]`);
const OPENAI = 1;

const noDescriptor = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });
const shortages: readonly [string, () => Error][] = [
  ['EMFILE', () => noDescriptor('EMFILE')],
  ['ENFILE', () => noDescriptor('ENFILE')],
  ['a full queue of lookups', () => new DnsQueueTimeoutError('vendor.test')],
];

let shortage = (): Error => new Error('none');
let attempts = 0;

beforeEach(() => {
  attempts = 0;
  const connect = Reflect.get(Socket.prototype, 'connect');
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function scripted(this: Socket, ...args: unknown[]) {
    if (!toVendor.test(JSON.stringify(args))) {
      Reflect.apply(connect, this, args);
      return this;
    }
    attempts += 1;
    return this.destroy(shortage());
  });
});
afterEach(() => vi.restoreAllMocks());

interface Answer {
  status: number;
  code: unknown;
}

async function answerOf(response: Promise<Response>): Promise<Answer> {
  const { status, body } = await response.then(async (got) => ({ status: got.status, body: await got.text() }));
  return { status, code: JSON.parse(body).error.code };
}

const requests: Readonly<Record<string, (channel: number) => Promise<Answer>>> = {
  'a whole response': () => answerOf(scene.chat('m')),
  'a stream': () => answerOf(scene.chat('m', { stream: true })),
  'a task submission': () => answerOf(scene.post('/v1/videos', { model: 'm', prompt: 'a cat' })),
  'a passthrough request': async (channel) => {
    const key = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const headers = { authorization: `Bearer ${key}#${channel}` };
    return answerOf(fetch(`${scene.url}/v1/files`, { headers }));
  },
  'a realtime session': async () => {
    const { status, body } = await connectRealtime(scene, 'm').rejection;
    return { status, code: JSON.parse(body).error.code };
  },
};

const proxies = ['', `http://127.0.0.1:${VENDOR_PORT}`, `socks5://127.0.0.1:${VENDOR_PORT}`];

describe.each(shortages)('%s', (_name, error) => {
  test.each(Object.keys(requests))('refuses %s with 503 and blames no channel', async (what) => {
    shortage = error;
    for (const proxy of what === 'a whole response' ? proxies : ['']) {
      await scene.reset();
      const settings = { type: OPENAI, base_url: `http://127.0.0.1:${VENDOR_PORT}/v1`, models: ['m'], proxy };
      const channels = [await scene.newChannel(settings), await scene.newChannel(settings)];
      attempts = 0;
      const before = await scene.balance();
      for (let sent = 1; sent <= 3; sent += 1) {
        expect(await requests[what]?.(channels[0] ?? 0)).toEqual({ status: 503, code: 'overloaded' });
        // The request is not sent on to the other channel, for which there is no connection either.
        expect(attempts).toBe(sent);
      }
      for (const channel of channels)
        expect(getChannelHealth(scene.ctx).get(channel, 'm')).toMatchObject({ failuresInRow: 0, cooldownUntil: 0 });
      await scene.waitUntilSettled();
      expect([await scene.balance(), scene.ctx.ledger.openHolds]).toEqual([before, 0]);
      if (what === 'a passthrough request') return;
      for (const { detail } of await scene.records())
        expect(JSON.parse(detail)).toMatchObject({ ending: 'gateway-stopped', attempts: [{ outcome: 'abandoned' }] });
    }
  });
});
