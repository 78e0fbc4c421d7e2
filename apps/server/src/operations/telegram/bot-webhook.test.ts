import { telegram } from '@switchyard/contract/operations/telegram';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { advanceUntil } from '../../testing/advance-until.ts';
import {
  botToken,
  errorReply,
  startTelegramServer,
} from '../../testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../testing/set-options.ts';
import { type Part, runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { getInbox } from './message-handler.ts';
import { telegramRoutes } from './routes.ts';
import { serveTelegram, startTelegram } from './telegram.ts';

const server = await startTelegramServer();
afterAll(() => server.close());
const webhook: Part = ({ app }, ctx) => {
  serveTelegram(app, ctx);
  return undefined;
};
const app = await useFeatureApp([runInBackground(startTelegram), serveRoutes(telegram, telegramRoutes), webhook], {
  now: Date.UTC(2026, 0, 10),
  originOverrides: { 'https://api.telegram.org': server.url },
});
const root = await app.createUser('root');
const api = root.api(telegram);
/** Lets the time between two looks pass until it is so. */
const soon = (check: () => void | Promise<void>) => advanceUntil(app.clock, check, 5);
const textsTo = (id: number) => server.sent.filter(({ chat_id }) => chat_id === id).map(({ text }) => text);

await setOptions(app.ctx, {
  TelegramBotToken: botToken,
  Language: 'en_US',
  ServerAddress: 'https://gate.example/',
  TelegramWebhookEnabled: 'true',
});
await soon(async () => expect((await api.status()).status).toBe(true));

test('registers the webhook at Telegram, with no secret in its address', async () => {
  expect(server.hook).toMatchObject({ url: 'https://gate.example/api/telegram/webhook', allowed_updates: ['message'] });
  expect(server.hook?.secret_token).toMatch(/^[\w-]{43}$/);
  const row = await app.ctx.db.writer.selectFrom('telegram_webhook').selectAll().executeTakeFirstOrThrow();
  expect(row.bot).toBe('123456');
  expect(JSON.stringify(row)).not.toContain(server.hook?.secret_token);
  expect(await api.status()).toMatchObject({ is_webhook: true, bot: 'gate_bot', set_up: true });
});

test.each([
  ['a wrong secret', 'x'.repeat(43)],
  ['no secret', ''],
])('rejects a call with %s without an effect', async (_what, secret) => {
  expect(await server.callWebhook(app.url, server.sendMessage({ id: 70 }, '/help'), secret)).toBe(401);
  expect(textsTo(70)).toEqual([]);
});

test('rejects a call without a secret before it reads the body, whose size is limited', async () => {
  const post = (body: string, secret: string) =>
    fetch(`${app.url}/api/telegram/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
      body,
    });
  const secret = server.hook?.secret_token ?? '';
  const long = JSON.stringify({ update_id: 1, text: 'x'.repeat(300_000) });
  expect((await post(long, 'wrong')).status).toBe(401);
  expect((await post(long, secret)).status).toBe(413);
  expect((await post('{', secret)).status).toBe(400);
  expect((await post('{"update_id":"none"}', secret)).status).toBe(200);
});

test('a message that comes twice is answered once', async () => {
  const update = server.sendMessage({ id: 71 }, '/help');
  expect(await Promise.all([1, 2, 3].map(() => server.callWebhook(app.url, update)))).toEqual([200, 200, 200]);
  expect(await server.callWebhook(app.url, update)).toBe(200);
  expect(textsTo(71)).toHaveLength(1);
});

test('messages of one chat are answered in their order, while another chat does not wait', async () => {
  await app.ctx.db.writer
    .insertInto('telegram_menu')
    .values(
      ['one', 'two', 'three'].map((command, at) => ({
        command,
        description: command,
        parse_mode: 'text' as const,
        reply_message: command,
        enabled: 1,
        position: at + 1,
      })),
    )
    .execute();
  const sendMessage = `POST /bot${botToken}/sendMessage`;
  const usual = server.handlers[sendMessage];
  const held = Promise.withResolvers<void>();
  const take = vi.spyOn(getInbox(app.ctx), 'processUpdate');
  onTestFinished(() => take.mockRestore());
  const arrived = () => take.mock.calls.length;
  server.overrideReply(sendMessage, async (request) => {
    if (request.body.includes('"text":"one"')) await held.promise;
    return usual?.(request) ?? 'silence';
  });
  const calls: Promise<number>[] = [];
  for (const text of ['/one', '/two', '/three']) {
    calls.push(server.callWebhook(app.url, server.sendMessage({ id: 72 }, text)));
    await expect.poll(() => arrived(), { interval: 5 }).toBe(calls.length);
  }
  expect(await server.callWebhook(app.url, server.sendMessage({ id: 73 }, '/two'))).toBe(200);
  expect(textsTo(73)).toEqual(['two']);
  expect(textsTo(72)).toEqual([]);
  held.resolve();
  expect(await Promise.all(calls)).toEqual([200, 200, 200]);
  expect(textsTo(72)).toEqual(['one', 'two', 'three']);
  server.resetReplies();
});

test('ignores a flood from one chat, and no other chat', async () => {
  for (let i = 0; i < 25; i += 1)
    expect(await server.callWebhook(app.url, server.sendMessage({ id: 74 }, '/two'))).toBe(200);
  expect(textsTo(74)).toHaveLength(20);
  await server.callWebhook(app.url, server.sendMessage({ id: 75 }, '/two'));
  expect(textsTo(75)).toHaveLength(1);
  app.clock.advance(61);
  await server.callWebhook(app.url, server.sendMessage({ id: 74 }, '/two'));
  expect(textsTo(74)).toHaveLength(21);
});

test('a pause that Telegram asks for is made, and the answer comes after it', async () => {
  const sendMessage = `POST /bot${botToken}/sendMessage`;
  let refused = 0;
  const usual = server.handlers[sendMessage];
  server.overrideReply(sendMessage, (request) => {
    if (refused > 0) return usual?.(request) ?? 'silence';
    refused += 1;
    return errorReply(429, 'Too Many Requests: retry after 1', 1);
  });
  const after = vi.spyOn(app.clock, 'after');
  onTestFinished(() => after.mockRestore());
  const called = server.callWebhook(app.url, server.sendMessage({ id: 76 }, '/two'));
  await expect.poll(() => after.mock.calls.map(([ms]) => ms), { interval: 5 }).toContain(1_000);
  expect(textsTo(76)).toEqual([]);
  app.clock.advance(1);
  await called;
  expect(textsTo(76)).toEqual(['two']);
  server.resetReplies();
});

test('a Telegram that does not answer holds up one chat, and not for ever', async () => {
  const sendMessage = `POST /bot${botToken}/sendMessage`;
  const usual = server.handlers[sendMessage];
  server.overrideReply(sendMessage, (request) =>
    request.body.includes('"chat_id":78') ? 'silence' : (usual?.(request) ?? 'silence'),
  );
  const deadline = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(deadline.signal);
  onTestFinished(() => timeout.mockRestore());
  const hanging = server.callWebhook(app.url, server.sendMessage({ id: 78 }, '/two'));
  await server.callWebhook(app.url, server.sendMessage({ id: 79 }, '/two'));
  expect(textsTo(79)).toEqual(['two']);
  deadline.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  expect(await hanging).toBe(200);
  server.resetReplies();
  await server.callWebhook(app.url, server.sendMessage({ id: 78 }, '/two'));
  expect(textsTo(78)).toEqual(['two']);
});

test('restores a webhook that was removed', async () => {
  const before = server.hook?.secret_token;
  await fetch(`${server.url}/bot${botToken}/deleteWebhook`, { method: 'POST' });
  expect(server.hook).toBeUndefined();
  await soon(() => expect(server.hook?.secret_token).toBe(before));
});

test('shows Telegram’s delivery errors', async () => {
  server.overrideReply(`POST /bot${botToken}/getWebhookInfo`, () => ({
    json: {
      ok: true,
      result: {
        url: server.hook?.url,
        pending_update_count: 7,
        last_error_date: 1_700_000_000,
        last_error_message: 'Connection timed out',
      },
    },
  }));
  await soon(async () =>
    expect(await api.status()).toMatchObject({
      status: true,
      pending: 7,
      last_error: 'Connection timed out',
      last_error_time: 1_700_000_000,
    }),
  );
  server.resetReplies();
});

test('asking again ends the webhook, its secret opens nothing any more, and nothing is lost', async () => {
  const secret = server.hook?.secret_token ?? '';
  await setOptions(app.ctx, { TelegramWebhookEnabled: 'false' });
  await soon(() => expect(server.hook).toBeUndefined());
  const update = server.sendMessage({ id: 77 }, '/two');
  server.resendUpdate(update);
  expect(await server.callWebhook(app.url, update, secret)).toBe(401);
  await soon(() => expect(textsTo(77)).toEqual(['two']));
  expect(await app.ctx.db.writer.selectFrom('telegram_webhook').selectAll().execute()).toEqual([]);
  await soon(async () => expect(await api.status()).toMatchObject({ status: true, is_webhook: false }));
  await setOptions(app.ctx, { TelegramWebhookEnabled: 'true' });
  await soon(() => expect(server.hook?.secret_token).toMatch(/^[\w-]{43}$/));
  expect(server.hook?.secret_token).not.toBe(secret);
});

test('a bot that Telegram does not know is offline, with the reason', async () => {
  await setOptions(app.ctx, { TelegramBotToken: '99:another-bot' });
  await soon(async () => expect((await api.status()).last_error).toContain('Telegram refused getMe'));
  expect(await api.status()).toMatchObject({ status: false, bot: '', last_contact: 0 });
});

test('a webhook needs a bot and an address', async () => {
  await expect(setOptions(app.ctx, { TelegramBotToken: '' })).rejects.toMatchObject({
    fields: [{ path: 'TelegramBotToken', rule: 'needed' }],
  });
  await expect(setOptions(app.ctx, { ServerAddress: '' })).rejects.toMatchObject({
    fields: [{ path: 'ServerAddress', rule: 'needed' }],
  });
});
