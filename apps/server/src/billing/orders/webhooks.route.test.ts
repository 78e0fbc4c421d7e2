import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { ADDRESS_HEADER, startMoneyScene } from '../../testing/payment-server-scene.ts';

const logged: string[] = [];
const log = createLog('debug', { write: (line) => void logged.push(line) });
const scene = await startMoneyScene('epay', { log });
afterAll(() => scene.close());

test('forged webhooks do not fill the log', async () => {
  const forged = () => fetch(`${scene.gateway.notify_url}?sign_type=MD5&sign=forged`);
  const answers = await Promise.all(Array.from({ length: 200 }, forged));
  for (const answer of answers) expect(await answer.text()).toBe('fail');
  const lines = () => logged.filter((line) => line.includes('a webhook event was rejected'));
  expect(lines()).toHaveLength(30);
  scene.clock.advance(61);
  await forged();
  expect(lines()).toHaveLength(31);
});

const json = 'application/json; charset=utf-8';
const post = (bytes: number, type = json, from = '127.0.0.1', url = scene.gateway.notify_url): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, [ADDRESS_HEADER]: from },
    body: Buffer.alloc(bytes, 32),
  });

/** Begins to send a long event, of which the body never comes. */
function startLongEvent(from: string, url: string): ClientRequest {
  const headers = { 'content-type': json, 'content-length': 100_000, expect: '100-continue', [ADDRESS_HEADER]: from };
  const begun = request(url, { method: 'POST', headers });
  begun.on('error', () => undefined);
  begun.flushHeaders();
  return begun;
}

/** Resolves when the server waits for the body. */
async function beginLongEvent(from: string): Promise<ClientRequest> {
  const begun = startLongEvent(from, scene.gateway.notify_url);
  await once(begun, 'continue');
  return begun;
}

const beginLongEvents = (addresses: readonly string[]): Promise<ClientRequest[]> =>
  Promise.all(addresses.map(beginLongEvent));
const sixteen = Array.from({ length: 16 }, (_, nth) => `192.0.2.${Math.floor(nth / 4)}`);

test('reads JSON up to 1 MiB, and other events up to 64 KiB', async () => {
  for (const [bytes, type, status] of [
    [1_048_576, json, 200],
    [1_048_577, json, 413],
    [65_536, 'application/x-www-form-urlencoded', 200],
    [65_537, 'application/x-www-form-urlencoded', 413],
    [65_537, 'text/plain', 413],
  ] as const)
    expect((await post(bytes, type)).status, `${bytes} ${type}`).toBe(status);
});

test('slow events of one address keep out no event of another, and no short one', async () => {
  // Four are read, and a hundred wait.
  const begun = await beginLongEvents(Array.from({ length: 104 }, () => '127.0.0.1'));
  expect(await (await post(65_536)).text()).toBe('fail');
  expect(await (await post(65_537, json, '192.0.2.1')).text()).toBe('fail');
  expect((await post(65_537)).status).toBe(429);
  // Their senders go away, too.
  for (const event of begun) event.destroy();
  await expect.poll(async () => (await post(65_537)).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(65_537)));
  for (const answer of answers) expect(await answer.text()).toBe('fail');
});

test('slow events for one payment provider keep out no event for another', async () => {
  const other = await scene.root
    .api(paymentProviders)
    .create({ body: { type: 'epay', name: 'Other', currency: 'CNY', config: scene.vendor.config } });
  const begun = await beginLongEvents(sixteen);
  expect(await (await post(65_537, json, '198.51.100.1', other.notify_url)).text()).toBe('fail');
  for (const event of begun) event.destroy();
});

test('an event that is not complete within 5 seconds is refused, and a waiting one takes its place', async () => {
  const begun = await beginLongEvents(sixteen);
  const refusals = begun.map(async (event) => (await once(event, 'response')) as [IncomingMessage]);
  const waiting = post(65_537, json, '198.51.100.1');
  expect(await (await advanceWhile(scene.clock, 0.02, waiting)).text()).toBe('fail');
  for (const [refusal] of await Promise.all(refusals)) {
    expect(refusal).toMatchObject({ statusCode: 400, headers: { connection: 'close' } });
    expect(JSON.parse(await text(refusal))).toMatchObject({ message: expect.stringContaining('more than 5 seconds') });
  }
});

test('an event for an unknown payment provider is refused before its body arrives', async () => {
  const begun = startLongEvent('127.0.0.1', `${scene.url}/api/payment/notify/0123456789abcdef`);
  const [refusal] = (await once(begun, 'response')) as [IncomingMessage];
  expect(refusal.statusCode).toBe(404);
  begun.destroy();
});
