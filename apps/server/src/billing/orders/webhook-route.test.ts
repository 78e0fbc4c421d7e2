import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { startMoneyScene } from '../../testing/money-scene.ts';

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
const post = (bytes: number, type = json): Promise<Response> =>
  fetch(scene.gateway.notify_url, { method: 'POST', headers: { 'content-type': type }, body: Buffer.alloc(bytes, 32) });

/** Begins to send a long event. Resolves when the server waits for its body. */
async function beginLongEvent(): Promise<ClientRequest> {
  const headers = { 'content-type': json, 'content-length': 100_000, expect: '100-continue' };
  const begun = request(scene.gateway.notify_url, { method: 'POST', headers });
  begun.on('error', () => undefined);
  begun.flushHeaders();
  await once(begun, 'continue');
  return begun;
}

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

test('sixteen long events that never end refuse further long ones, and no short ones', async () => {
  const begun = await Promise.all(Array.from({ length: 16 }, beginLongEvent));
  expect(await (await post(65_536)).text()).toBe('fail');
  expect((await advanceWhile(scene.clock, 1, post(65_537))).status).toBe(429);
  // Further ones wait, and their senders go away too.
  const waiting = await Promise.all(Array.from({ length: 16 }, beginLongEvent));
  for (const event of [...begun, ...waiting]) event.destroy();
  const answers = await Promise.all(Array.from({ length: 40 }, () => post(65_537)));
  for (const answer of answers) expect(await answer.text()).toBe('fail');
});
