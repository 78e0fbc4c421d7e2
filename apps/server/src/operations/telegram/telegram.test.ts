import { identities } from '@switchyard/contract/accounts/identities';
import { profile } from '@switchyard/contract/accounts/profile';
import { telegram } from '@switchyard/contract/operations/telegram';
import { afterAll, expect, test, vi } from 'vitest';
import { identityRoutes } from '../../accounts/identities/routes.ts';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { botToken, startTelegramServer } from '../../testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../testing/set-options.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { telegramRoutes } from './routes.ts';
import { startTelegram } from './telegram.ts';

const SOON = { timeout: 60_000, interval: 5 };
const server = await startTelegramServer();
afterAll(() => server.close());
const app = await useFeatureApp(
  [
    runInBackground(startTelegram),
    serveRoutes(identities, identityRoutes),
    serveRoutes(profile, profileRoutes),
    serveRoutes(telegram, telegramRoutes),
  ],
  { originOverrides: { 'https://api.telegram.org': server.url } },
);
const user = await app.createUser('user');
const api = user.api(telegram);

const replyTo = (id: number) =>
  vi.waitFor(() => {
    const reply = server.sent.findLast(({ chat_id }) => chat_id === id);
    if (reply === undefined) throw new Error('the bot has not answered');
    return reply.text;
  }, SOON);

test('without a bot there is nothing to bind', async () => {
  expect(await api.get()).toEqual({ bot: '', bound: null });
  await expect(api.begin()).rejects.toMatchObject({ code: 'switched-off' });
});

test('connects the user who sends the code and confirms, and accepts the code once', async () => {
  await setOptions(app.ctx, { TelegramBotToken: botToken, Language: 'en_US' });
  app.clock.advance(5);
  await vi.waitFor(async () => expect((await api.get()).bot).toBe('gate_bot'), SOON);
  const { code, link } = await api.begin();
  expect(link).toBe(`https://t.me/gate_bot?start=${code}`);
  server.sendMessage({ id: 42, username: 'ada' }, `/start ${code}`);
  expect(await replyTo(42)).toContain(`the account “${user.username}” of Switchyard`);
  expect((await api.get()).bound).toBeNull();
  server.sendMessage({ id: 42, username: 'ada' }, '/bind confirm');
  await vi.waitFor(async () => expect(await replyTo(42)).toContain('now connected'), SOON);
  expect((await api.get()).bound).toMatchObject({ label: '@ada' });
  server.sendMessage({ id: 43 }, `/bind ${code}`);
  expect(await replyTo(43)).toContain('no longer valid');
});

test('only the same user can confirm, within ten minutes, and only the latest question', async () => {
  const [first, second] = [await app.createUser('user'), await app.createUser('user')];
  const codeOf = async (asking: typeof first) => (await asking.api(telegram).begin()).code;
  const says = (id: number, text: string) => vi.waitFor(async () => expect(await replyTo(id)).toContain(text), SOON);
  server.sendMessage({ id: 70 }, `/start ${await codeOf(first)}`);
  await says(70, `“${first.username}”`);
  server.sendMessage({ id: 71 }, '/bind confirm');
  await says(71, 'no longer valid');
  app.clock.advance(601);
  server.sendMessage({ id: 70 }, '/bind confirm');
  await says(70, 'no longer valid');
  await first.api(profile).stepUp({ body: { password: first.password } });
  server.sendMessage({ id: 70 }, `/start ${await codeOf(first)}`);
  await says(70, `“${first.username}”`);
  await second.api(profile).stepUp({ body: { password: second.password } });
  server.sendMessage({ id: 70 }, `/start ${await codeOf(second)}`);
  await says(70, `“${second.username}”`);
  server.sendMessage({ id: 70 }, '/bind confirm');
  await says(70, 'now connected');
  expect((await first.api(telegram).get()).bound).toBeNull();
  expect((await second.api(telegram).get()).bound).not.toBeNull();
});

test('one Telegram account belongs to one account, and a group hears nothing', async () => {
  const other = await app.createUser('user');
  const { code } = await other.api(telegram).begin();
  server.sendMessage({ id: 44 }, `/start ${code}`, 'group');
  server.sendMessage({ id: 42, username: 'ada' }, `/start ${code}`);
  await vi.waitFor(
    () => expect(server.sent.findLast(({ chat_id }) => chat_id === 42)?.text).toContain('already'),
    SOON,
  );
  expect((await other.api(telegram).get()).bound).toBeNull();
  expect(server.sent.some(({ chat_id }) => chat_id === 44)).toBe(false);
});

test('a user who cannot be answered does not delay others', async () => {
  const sendMessage = `POST /bot${botToken}/sendMessage`;
  const refused = { ok: false, error_code: 403, description: 'Forbidden: bot was blocked by the user' };
  server.overrideReply(sendMessage, () => ({ status: 403, json: refused }));
  const blocking = await app.createUser('user');
  const answers = () => server.asked.filter((asked) => asked === sendMessage).length;
  const before = answers();
  server.sendMessage({ id: 60 }, `/start ${(await blocking.api(telegram).begin()).code}`);
  server.sendMessage({ id: 60 }, '/bind confirm');
  await vi.waitFor(() => expect(answers()).toBe(before + 2), SOON);
  expect((await blocking.api(telegram).get()).bound).not.toBeNull();
  server.resetReplies();
  server.sendMessage({ id: 61 }, `/start ${'A'.repeat(43)}`);
  expect(await replyTo(61)).toContain('no longer valid');
  expect(server.sent.some(({ chat_id }) => chat_id === 60)).toBe(false);
});

test('a Telegram that does not answer for one chat keeps the others waiting for two seconds at most', async () => {
  const sendMessage = `POST /bot${botToken}/sendMessage`;
  const usual = server.handlers[sendMessage];
  server.overrideReply(sendMessage, (request) =>
    request.body.includes('"chat_id":62') ? 'silence' : (usual?.(request) ?? 'silence'),
  );
  const before = server.asked.length;
  server.sendMessage({ id: 62 }, '/help');
  await vi.waitFor(() => expect(server.asked.slice(before)).toContain(sendMessage), SOON);
  server.sendMessage({ id: 63 }, '/help');
  app.clock.advance(2);
  expect(await replyTo(63)).toContain('/balance');
  server.resetReplies();
});

test('a code is valid for ten minutes, and a new one ends the one before', async () => {
  const third = await app.createUser('user');
  const first = await third.api(telegram).begin();
  const second = await third.api(telegram).begin();
  server.sendMessage({ id: 50 }, `/start ${first.code}`);
  expect(await replyTo(50)).toContain('no longer valid');
  app.clock.advance(601);
  server.sendMessage({ id: 51 }, `/start ${second.code}`);
  expect(await replyTo(51)).toContain('no longer valid');
  await expect(third.api(telegram).begin()).rejects.toMatchObject({ code: 'step-up-required' });
});

test('a linked account is no sign-in method, and is unlinked by its owner', async () => {
  const fresh = await app.createUser('user');
  expect(await user.api(identities).list()).toEqual([]);
  await expect(fresh.api(telegram).unbind()).rejects.toMatchObject({ code: 'not-found' });
});

test('the token is in no log, whatever Telegram responds', async () => {
  server.overrideReply(`POST /bot${botToken}/getUpdates`, () => ({
    status: 401,
    json: { ok: false, error_code: 401, description: 'Unauthorized' },
  }));
  const reported: string[] = [];
  vi.spyOn(app.ctx.log, 'warn').mockImplementation((...parts: unknown[]) => void reported.push(JSON.stringify(parts)));
  await vi.waitFor(() => expect(reported.length).toBeGreaterThan(0), SOON);
  expect(reported.join()).toContain('getUpdates');
  expect(reported.join()).not.toContain(botToken);
});
