import { createHmac } from 'node:crypto';
import type { NotificationTargetType } from '@switchyard/contract/operations/notification-target-types';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { createOutbound, type Outbound } from '../../platform/outbound/outbound.ts';
import { type Reply, startTestVendor, type VendorRequest } from '../../testing/simulated-vendor.ts';
import { type NotificationMessage, sendNotification } from './send-notification.ts';
import { parseWebhookKey } from './senders/webhook.ts';

const NOW = Date.UTC(2026, 0, 10, 12);
const message: NotificationMessage = {
  id: 'delivery-1',
  event: 'channel-disabled',
  at: NOW / 1000 - 5,
  site: 'Gate',
  title: 'Channel disabled: <!here> & co',
  text: 'The key is not valid.',
  link: 'https://gate.example/panel/channel',
};
const WHOLE = `Gate: ${message.title}\n${message.text}\n${message.link}`;

let reply: Reply = {};
const requests: VendorRequest[] = [];
const receiver = await startTestVendor({}, (request) => {
  requests.push(request);
  return reply;
});
afterAll(() => receiver.close());
const outbound: Outbound = createOutbound(['127.0.0.1'], { 'https://api.telegram.org': receiver.url });
afterAll(() => outbound.close());
afterEach(() => {
  requests.length = 0;
});

type Type = Exclude<NotificationTargetType, 'mail'>;
const HOOK = `${receiver.url}/hook/very-secret-path-1?access_token=abcdef`;

function send(type: Type, config: Record<string, string>, answer: Reply): Promise<string> {
  reply = answer;
  const stop = new AbortController().signal;
  return sendNotification(type, config, message, { fetch: outbound.fetch, isOwn: false, now: NOW, stop });
}
const bodyOf = (request: VendorRequest | undefined): unknown => JSON.parse(request?.body ?? '');

test('Lark: the text, with a signature whose key is timestamp and secret', async () => {
  await send('lark', { address: HOOK, secret: 'lark-secret' }, { json: { code: 0, msg: 'success' } });
  const timestamp = String(NOW / 1000);
  expect(bodyOf(requests[0])).toEqual({
    timestamp,
    sign: createHmac('sha256', `${timestamp}\nlark-secret`).update('').digest('base64'),
    msg_type: 'text',
    content: { text: WHOLE },
  });
  await send('lark', { address: HOOK }, { json: { StatusCode: 0, StatusMessage: 'success' } });
  expect(bodyOf(requests[1])).toEqual({ msg_type: 'text', content: { text: WHOLE } });
});

test('DingTalk: the signature of timestamp and secret is in the URL, beside its other parameters', async () => {
  await send('dingtalk', { address: HOOK, secret: 'SECabc123' }, { json: { errcode: 0, errmsg: 'ok' } });
  expect(requests[0]?.query.get('access_token')).toBe('abcdef');
  expect(requests[0]?.query.get('timestamp')).toBe(String(NOW));
  expect(requests[0]?.query.get('sign')).toBe(
    createHmac('sha256', 'SECabc123').update(`${NOW}\nSECabc123`).digest('base64'),
  );
  expect(bodyOf(requests[0])).toEqual({ msgtype: 'text', text: { content: WHOLE } });
});

test('WeCom: a text', async () => {
  await send('wecom', { address: HOOK }, { json: { errcode: 0, errmsg: 'ok' } });
  expect(bodyOf(requests[0])).toEqual({ msgtype: 'text', text: { content: WHOLE } });
});

test('Slack: no name in a text mentions a whole channel', async () => {
  await send('slack', { address: HOOK }, { text: 'ok' });
  expect(bodyOf(requests[0])).toEqual({ text: WHOLE.replace('<!here> & co', '&lt;!here&gt; &amp; co') });
});

test('Discord: a text that mentions no user', async () => {
  await send('discord', { address: HOOK }, { status: 204 });
  expect(bodyOf(requests[0])).toEqual({ content: WHOLE, allowed_mentions: { parse: [] } });
});

test('Telegram: by the bot, into the chat', async () => {
  await send('telegram', { token: '1:abc-def', chat: '42' }, { json: { ok: true, result: {} } });
  expect(requests[0]?.target).toBe('/bot1:abc-def/sendMessage');
  expect(bodyOf(requests[0])).toMatchObject({ chat_id: '42', text: WHOLE });
});

test('Bark: title, text and link for one device, also of a server below a path', async () => {
  const config = { address: `${receiver.url}/bark`, key: 'device-key' };
  await send('bark', config, { json: { code: 200, message: 'success' } });
  expect(requests[0]?.target).toBe('/bark/push');
  expect(bodyOf(requests[0])).toEqual({
    device_key: 'device-key',
    title: `Gate: ${message.title}`,
    body: message.text,
    url: message.link,
  });
});

test('ntfy: to the topic, with the token in its header; the stored response hides the topic', async () => {
  const config = { address: receiver.url, topic: 'my-secret-topic', token: 'tk_123456' };
  const answer = await send('ntfy', config, { json: { id: 'x', topic: 'my-secret-topic' } });
  expect(requests[0]?.headers.authorization).toBe('Bearer tk_123456');
  expect(bodyOf(requests[0])).toEqual({
    topic: 'my-secret-topic',
    title: `Gate: ${message.title}`,
    message: message.text,
    click: message.link,
  });
  expect(answer).toBe('200');
});

test('a webhook is signed according to Standard Webhooks', async () => {
  const bytes = Buffer.from('0123456789abcdef0123456789abcdef');
  const secret = `whsec_${bytes.toString('base64')}`;
  expect(await send('webhook', { address: HOOK, secret }, { text: 'taken' })).toBe('200 taken');
  const { headers, body } = requests[0] as VendorRequest;
  expect(headers['webhook-id']).toBe('delivery-1');
  expect(headers['webhook-timestamp']).toBe(String(NOW / 1000));
  const signed = createHmac('sha256', bytes)
    .update(`delivery-1.${NOW / 1000}.${body}`)
    .digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signed}`);
  expect(JSON.parse(body)).toEqual({
    type: 'channel-disabled',
    timestamp: '2026-01-10T11:59:55.000Z',
    data: { title: message.title, text: message.text, link: message.link },
  });
});

test.each(['', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_c2hvcnQ=', 'whsec_not base64 at all !!!!!!!!!!!!!'])(
  'no key of a webhook: %j',
  (secret) => expect(parseWebhookKey(secret)).toBeUndefined(),
);

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const refusals: [Type, Record<string, string>, Reply, 'later' | 'refused' | 'gone', string][] = [
  ['lark', {}, { json: { code: 19021, msg: 'sign match fail' } }, 'refused', 'sign match fail'],
  ['lark', {}, { json: { code: 11232, msg: 'frequency limited' } }, 'later', 'frequency limited'],
  ['lark', {}, { json: {} }, 'refused', '200 {}'],
  ['dingtalk', {}, { json: { errcode: 310000, errmsg: 'sign not match' } }, 'refused', 'sign not match'],
  ['dingtalk', {}, { json: { errcode: 130101, errmsg: 'send too fast' } }, 'later', 'send too fast'],
  ['dingtalk', {}, { json: { errcode: 400102, errmsg: 'robot is off' } }, 'gone', 'robot is off'],
  ['wecom', {}, { json: { errcode: 45009, errmsg: 'freq out of limit' } }, 'later', 'freq out of limit'],
  ['wecom', {}, { json: { errcode: 93000, errmsg: 'invalid webhook url' } }, 'gone', 'invalid webhook url'],
  ['wecom', {}, { text: '<html>' }, 'refused', '200 <html>'],
  ['slack', {}, { status: 400, text: 'invalid_payload' }, 'refused', '400 invalid_payload'],
  ['slack', {}, { status: 404, text: 'no_service' }, 'gone', '404 no_service'],
  ['slack', {}, { status: 410, text: 'channel_is_archived' }, 'gone', '410 channel_is_archived'],
  ['discord', {}, { status: 404, json: { message: 'Unknown Webhook', code: 10015 } }, 'gone', 'Unknown'],
  ['bark', { key: 'k' }, { json: { code: 400, message: 'no such device' } }, 'refused', 'no such device'],
  ['bark', { key: 'k' }, { status: 500, json: { code: 500 } }, 'later', '500'],
  ['ntfy', { topic: 't' }, { status: 403, json: { error: 'forbidden' } }, 'refused', 'forbidden'],
  ['ntfy', { topic: 't' }, { status: 429, json: { error: 'limit reached' } }, 'later', 'limit reached'],
  ['webhook', { secret }, { status: 410 }, 'gone', '410'],
  ['webhook', { secret }, { status: 503, text: 'down' }, 'later', '503 down'],
  ['webhook', { secret }, { status: 401 }, 'refused', '401'],
  ['webhook', { secret }, { status: 302, headers: { location: '/elsewhere' } }, 'refused', '302'],
  ['webhook', { secret }, 'hang-up', 'later', 'No '],
];
test.each(refusals)('%s %j responds %j: %s', async (type, config, answer, kind, said) => {
  await expect(send(type, { address: HOOK, ...config }, answer)).rejects.toMatchObject({
    kind,
    message: expect.stringContaining(said),
  });
});

test.each([
  [403, 'Forbidden: bot was blocked by the user', 'gone'],
  [400, 'Bad Request: chat not found', 'refused'],
  [500, 'Internal Server Error', 'later'],
] as const)('Telegram answers %i: %s', async (error_code, description, kind) => {
  const answer = { status: error_code, json: { ok: false, error_code, description } };
  await expect(send('telegram', { token: '1:a', chat: '42' }, answer)).rejects.toMatchObject({
    kind,
    message: expect.stringContaining(description),
  });
});

test('the retry delay is read from each service’s own field', async () => {
  const limited = { ok: false, error_code: 429, description: 'Too Many', parameters: { retry_after: 33 } };
  await expect(send('telegram', { token: '1:a', chat: '42' }, { status: 429, json: limited })).rejects.toMatchObject({
    kind: 'later',
    retryAfterSeconds: 33,
  });
  await expect(
    send('discord', { address: HOOK }, { status: 429, json: { message: 'limited', retry_after: 64.57 } }),
  ).rejects.toMatchObject({ kind: 'later', retryAfterSeconds: 65 });
  for (const header of ['120', new Date(NOW + 120_000).toUTCString()])
    await expect(
      send('webhook', { address: HOOK, secret }, { status: 429, headers: { 'retry-after': header } }),
    ).rejects.toMatchObject({ kind: 'later', retryAfterSeconds: 120 });
});

test('redacts a secret that the response repeats before it is stored', async () => {
  const answer = await send('slack', { address: HOOK }, { text: `you called ${HOOK}` });
  expect(answer).toBe('200 you called …');
  const part = await send('slack', { address: HOOK }, { text: 'no hook very-secret-path-1' });
  expect(part).toBe('200 no hook …');
  await expect(send('webhook', { address: HOOK, secret }, { status: 400, text: `bad ${secret}` })).rejects.toThrow(
    '400 bad …',
  );
});

test('stores no part of a secret that the truncation cuts', async () => {
  const before = 'x'.repeat(185);
  const answer = await send('slack', { address: HOOK }, { text: `${before} very-secret-path-1` });
  expect(answer).toBe(`200 ${before} …`);
  await expect(
    send('webhook', { address: HOOK, secret }, { status: 400, text: `${before} ${secret}` }),
  ).rejects.toThrow(`400 ${before} …`);
  expect(await send('slack', { address: HOOK }, { text: 'x'.repeat(500) })).toHaveLength(200);
});

test.each<[Type, Record<string, string>]>([
  ['slack', { address: `${receiver.url}/ab${'a'.repeat(1_960)}` }],
  [
    'ntfy',
    {
      address: `${receiver.url}/ab${'a'.repeat(1_960)}`,
      topic: `ab${'a'.repeat(2_040)}`,
      token: `aab${'a'.repeat(2_040)}`,
    },
  ],
])('redacts long repetitive secrets of %s in a response of 1 MB in linear time', async (type, config) => {
  const readCpuMs = startCpuTimer();
  await expect(send(type, config, { status: 400, text: 'a'.repeat(1_000_000) })).rejects.toThrow('400 aaa');
  expect(readCpuMs()).toBeLessThan(150);
});

test('gives up on a receiver that never responds', async () => {
  reply = 'silence';
  const disconnect = new AbortController();
  const before = receiver.asked.length;
  const delivering = expect(
    sendNotification('slack', { address: HOOK }, message, {
      fetch: outbound.fetch,
      isOwn: false,
      now: NOW,
      stop: disconnect.signal,
    }),
  ).rejects.toMatchObject({ kind: 'later' });
  await expect.poll(() => receiver.asked.length, { interval: 5 }).toBe(before + 1);
  disconnect.abort();
  await delivering;
});

test('users’ notification channels reach no private address, and reveal no private host names', async () => {
  const open = createOutbound(['127.0.0.1', 'localhost', '*']);
  onTestFinished(() => open.close());
  const { port } = new URL(receiver.url);
  const config = (host: string) => ({ address: `http://${host}:${port}/`, secret });
  const stop = new AbortController().signal;
  reply = { text: 'ok' };
  const isOwn = true;
  // The response to an unknown name must not reveal whether an internal host has that name.
  const hosts = ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '2130706433', 'nobody.invalid'];
  for (const host of hosts)
    await expect(
      sendNotification('webhook', config(host), message, { fetch: open.public.fetch, isOwn, now: NOW, stop }),
    ).rejects.toMatchObject({ kind: 'later', message: 'No public server has this host name' });
  expect(requests).toEqual([]);
  await expect(
    sendNotification('webhook', config('169.254.169.254'), message, {
      fetch: open.fetch,
      isOwn: false,
      now: NOW,
      stop,
    }),
  ).rejects.toMatchObject({ kind: 'refused', message: '169.254.169.254 is a metadata service and is never called.' });
  await sendNotification('webhook', config('127.0.0.1'), message, { fetch: open.fetch, isOwn: false, now: NOW, stop });
  expect(requests).toHaveLength(1);
});
