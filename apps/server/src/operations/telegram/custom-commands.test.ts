import { settings } from '@switchyard/contract/operations/settings';
import { COMMANDS_MAX, telegram } from '@switchyard/contract/operations/telegram';
import { afterAll, expect, test, vi } from 'vitest';
import {
  botToken,
  errorReply,
  startTelegramServer,
} from '../../testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../testing/set-options.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { settingRoutes } from '../settings/routes.ts';
import { telegramRoutes } from './routes.ts';
import { startTelegram } from './telegram.ts';

const SOON = { timeout: 60_000, interval: 5 };
const server = await startTelegramServer();
afterAll(() => server.close());
const app = await useFeatureApp(
  [runInBackground(startTelegram), serveRoutes(settings, settingRoutes), serveRoutes(telegram, telegramRoutes)],
  { originOverrides: { 'https://api.telegram.org': server.url } },
);
const root = await app.createUser('root');
const api = root.api(telegram);
const names = async () => (await api.list({ query: { size: 100 } })).data.map(({ command }) => command);
const fields = { description: 'What it costs', reply_message: 'Nothing.' };

const ask = async (id: number, text: string) => {
  const before = server.sent.length;
  server.sendMessage({ id }, text);
  return vi.waitFor(() => {
    const reply = server.sent.slice(before).find(({ chat_id }) => chat_id === id);
    if (reply === undefined) throw new Error('the bot has not answered');
    return reply;
  }, SOON);
};

test('only root reads or changes the bot', async () => {
  const admin = (await app.createUser('admin')).api(telegram);
  await expect(admin.status()).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(admin.save({ body: { command: 'x', ...fields } })).rejects.toMatchObject({ code: 'not-allowed' });
});

test('without a bot the state says so, and Telegram is not called', async () => {
  expect(await api.status()).toMatchObject({ status: false, set_up: false, bot: '', last_contact: 0 });
  await expect(api.reload()).rejects.toMatchObject({ code: 'switched-off' });
});

test.each([
  [{ command: 'Price' }, 'command'],
  [{ command: '' }, 'command'],
  [{ command: 'a-b' }, 'command'],
  [{ command: 'x'.repeat(33) }, 'command'],
  [{ command: 'balance' }, 'command'],
  [{ command: 'start' }, 'command'],
  [{ description: ' ' }, 'description'],
  [{ description: 'x'.repeat(257) }, 'description'],
  [{ reply_message: '' }, 'reply_message'],
  [{ reply_message: 'x'.repeat(4097) }, 'reply_message'],
  [{ parse_mode: 'LaTeX' }, 'parse_mode'],
])('refuses %j', async (change, path) => {
  const response = await root.fetch('/api/option/telegram', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ command: 'price', ...fields, ...change }),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ fields: [{ path }] });
});

test('commands are added at the end, moved, changed and deleted', async () => {
  const created = [];
  for (const command of ['price', 'rules', 'contact']) created.push(await api.save({ body: { command, ...fields } }));
  const [price, rules, contact] = created.map(({ id }) => id);
  if (price === undefined || rules === undefined || contact === undefined) throw new Error('none was made');
  await expect(api.save({ body: { command: 'price', ...fields } })).rejects.toMatchObject({
    code: 'already-exists',
    fields: [{ path: 'command' }],
  });
  await api.move({ params: { id: contact }, body: { to: 'up' } });
  await api.move({ params: { id: price }, body: { to: 'up' } });
  expect(await names()).toEqual(['price', 'contact', 'rules']);
  await api.move({ params: { id: price }, body: { to: 'down' } });
  expect(await names()).toEqual(['contact', 'price', 'rules']);
  await expect(api.save({ body: { id: rules, command: 'price', ...fields } })).rejects.toMatchObject({
    fields: [{ path: 'command' }],
  });
  await api.save({ body: { id: rules, command: 'terms', ...fields, enabled: false } });
  expect((await api.list({ query: { keyword: '/te' } })).data).toMatchObject([
    { id: rules, command: 'terms', enabled: false },
  ]);
  await api.remove({ params: { id: contact } });
  await expect(api.remove({ params: { id: contact } })).rejects.toMatchObject({ code: 'not-found' });
  await expect(api.save({ body: { id: contact, command: 'x', ...fields } })).rejects.toMatchObject({
    code: 'not-found',
  });
  await expect(api.move({ params: { id: contact }, body: { to: 'up' } })).rejects.toMatchObject({ code: 'not-found' });
  expect(await names()).toEqual(['price', 'terms']);
});

test('Telegram gets the commands when the bot is first heard, and when it is asked to, in each language', async () => {
  await setOptions(app.ctx, { TelegramBotToken: botToken, Language: 'zh_HK' });
  app.clock.advance(5);
  await vi.waitFor(() => expect([...server.commands.keys()]).toEqual(['', 'en', 'zh', 'ja']), SOON);
  const shown = (language: string) =>
    Object.fromEntries((server.commands.get(language) ?? []).map((one) => [one.command, one.description]));
  expect(shown('en')).toMatchObject({ unbind: 'Disconnect your account', price: 'What it costs' });
  expect(shown('')['unbind']).toBe(shown('zh')['unbind']);
  expect(shown('zh')['bind']).toBe('綁定帳戶');
  expect(shown('en')).not.toHaveProperty('terms');
  expect(shown('en')).not.toHaveProperty('start');
  await api.save({ body: { command: 'late', ...fields } });
  expect(shown('ja')).not.toHaveProperty('late');
  await api.reload();
  expect(shown('ja')).toHaveProperty('late');
  server.overrideReply(`POST /bot${botToken}/setMyCommands`, () =>
    errorReply(429, 'Too Many Requests: retry after 5', 5),
  );
  await expect(api.reload()).rejects.toMatchObject({ code: 'upstream-failed' });
  server.resetReplies();
});

test('the bot replies to added commands for everyone, and not to disabled ones', async () => {
  expect(await ask(5, '/price')).toMatchObject({ text: 'Nothing.' });
  expect((await ask(5, '/terms')).text).toContain('/help');
  expect((await ask(5, '/help')).text).toContain('/price – What it costs');
});

test('falls back to plain text when Telegram rejects the markup', async () => {
  await api.save({ body: { command: 'fine', ...fields, parse_mode: 'MarkdownV2', reply_message: '*Fine*' } });
  await api.save({ body: { command: 'broken', ...fields, parse_mode: 'HTML', reply_message: '<b>Broken' } });
  expect(await ask(6, '/fine')).toMatchObject({ text: '*Fine*', parse_mode: 'MarkdownV2' });
  const broken = await ask(6, '/broken');
  expect(broken.text).toBe('<b>Broken');
  expect(broken).not.toHaveProperty('parse_mode');
});

test('an answer is tried in the own chat, with the reason when it is not as it was meant', async () => {
  const tried = { parse_mode: 'MarkdownV2' as const, reply_message: 'Not escaped.' };
  await expect(api.test({ body: tried })).rejects.toMatchObject({
    code: 'not-found',
    message: 'Your account is not connected to Telegram. Connect it in your profile.',
  });
  const { code } = await api.begin();
  await ask(7, `/start ${code}`);
  await ask(7, '/bind confirm');
  expect((await api.test({ body: tried })).plain_because).toContain("can't parse entities");
  expect(server.sent.at(-1)).toMatchObject({ chat_id: 7, text: 'Not escaped.' });
  expect(await api.test({ body: { ...tried, reply_message: '_Fine_' } })).toEqual({ plain_because: '' });
});

test('there is an end to commands', async () => {
  const { total_count } = await api.list();
  const additional = Array.from({ length: COMMANDS_MAX - total_count }, (_, at) => ({
    command: `more_${at}`,
    description: 'x',
    parse_mode: 'text' as const,
    reply_message: 'x',
    enabled: 1,
    position: 1_000 + at,
  }));
  await app.ctx.db.writer.insertInto('telegram_menu').values(additional).execute();
  await expect(api.save({ body: { command: 'one_more', ...fields } })).rejects.toMatchObject({
    code: 'conflict',
    message: `You have reached the limit of ${COMMANDS_MAX} commands that Telegram allows. Delete one first.`,
  });
});

test('neither the token nor the secret of the webhook is in an answer', async () => {
  const responses = JSON.stringify([await api.status(), await api.list(), await root.api(settings).list()]);
  expect(responses).not.toContain(botToken);
});
