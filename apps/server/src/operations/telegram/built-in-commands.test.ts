import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { users } from '@switchyard/contract/accounts/users';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { pointsAmount } from '@switchyard/contract/money';
import { telegram } from '@switchyard/contract/operations/telegram';
import { afterAll, expect, test, vi } from 'vitest';
import { apiKeyRoutes } from '../../accounts/api-keys/routes.ts';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { userRoutes } from '../../accounts/users/routes.ts';
import { redemptionCodeRoutes } from '../../billing/redemption-codes/routes.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { botToken, startTelegramServer } from '../../testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../testing/set-options.ts';
import { runInBackground, serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { sendReply } from './bot-api.ts';
import { telegramRoutes } from './routes.ts';
import { startTelegram } from './telegram.ts';

const SOON = { timeout: 60_000, interval: 5 };
const server = await startTelegramServer();
afterAll(() => server.close());
const app = await useFeatureApp(
  [
    runInBackground(startTelegram),
    serveRoutes(apiKeys, apiKeyRoutes),
    serveRoutes(profile, profileRoutes),
    serveRoutes(redemptionCodes, redemptionCodeRoutes),
    serveRoutes(telegram, telegramRoutes),
    serveRoutes(users, userRoutes),
  ],
  { originOverrides: { 'https://api.telegram.org': server.url } },
);
const root = await app.createUser('root');
await setOptions(app.ctx, { TelegramBotToken: botToken, Language: 'en_US', ServerAddress: 'https://gate.example' });
app.clock.advance(5);
await vi.waitFor(async () => expect((await root.api(telegram).status()).bot).toBe('gate_bot'), SOON);

/** Sends a message to the bot, and returns its replies. */
async function ask(id: number, text: string, language_code = 'en'): Promise<string> {
  const before = server.sent.length;
  server.sendMessage({ id, username: `person_${id}`, language_code }, text);
  return vi.waitFor(() => {
    const reply = server.sent.slice(before).find(({ chat_id }) => chat_id === id);
    if (reply === undefined) throw new Error('the bot has not answered');
    return reply.text;
  }, SOON);
}

let people = 100;
async function bound(quota = 0): Promise<{ user: SignedInUser; id: number }> {
  people += 1;
  const user = await app.createUser('user', { quota });
  const { code } = await user.api(telegram).begin();
  expect(await ask(people, `/start ${code}`)).toContain(user.username);
  expect(await ask(people, '/bind confirm')).toContain('now connected');
  return { user, id: people };
}
const newCode = async (quota: number): Promise<string> => {
  const body = { name: 'Batch', quota: pointsAmount.parse(quota) };
  return (await root.api(redemptionCodes).create({ body }))[0] ?? '';
};
const balanceOf = async (user: SignedInUser) => (await user.api(profile).get()).quota;

test.each(['/start', '/bind', '/balance', '/keys', '/redeem X', '/invite', '/unbind'])(
  'who is not bound is told how on %s',
  async (command) => {
    expect(await ask(1, command)).toContain('https://gate.example/panel/profile');
    app.clock.advance(60);
  },
);

test.each([
  ['zh-hans', '绑定账号'],
  ['zh-TW', '綁定帳戶'],
  ['ja', 'アカウント'],
  ['fr', 'not connected'],
])('answers an unknown user in the language of their Telegram client: %s', async (code, words) => {
  expect(await ask(2, '/balance', code)).toContain(words);
});

test('replies with the balance in the site’s currency and the account’s language', async () => {
  const { user, id } = await bound(617_250);
  const balance = await ask(id, '/balance');
  expect(balance).toContain('Balance: $1.2345 (617,250 points)');
  expect(balance).toContain('Held for running requests: $0.00 (0 points)');
  expect(balance).toContain('Used today (UTC): $0.00');
  await setOptions(app.ctx, { DisplayInCurrencyEnabled: 'false' });
  await user.api(profile).update({ body: { language: 'zh_CN' } });
  expect(await ask(id, '/balance@gate_bot')).toContain('余额：617,250 点');
  await setOptions(app.ctx, { DisplayInCurrencyEnabled: 'true' });
});

test('a code raises the balance once, also when its message comes twice', async () => {
  const { user, id } = await bound();
  const code = await newCode(500_000);
  const before = server.sent.length;
  server.resendUpdate(server.sendMessage({ id }, `/redeem ${code}`));
  await vi.waitFor(() => expect(server.sent.length).toBeGreaterThan(before), SOON);
  expect(await ask(id, `/redeem ${code}`)).toBe('This code has already been used.');
  expect(server.sent.slice(before).map(({ text }) => text)).toEqual([
    '$1.00 (500,000 points) added. Balance: $1.00 (500,000 points)',
    'This code has already been used.',
  ]);
  expect(await balanceOf(user)).toBe(500_000);
  const audited = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select('detail')
    .where('action', '=', 'redemption-code.redeem')
    .where('user_id', '=', user.id)
    .execute();
  expect(audited).toHaveLength(1);
  expect(await ask(id, `/recharge ${await newCode(5)}`)).toContain('added');
});

test('wrong codes count like those that are typed in the console', async () => {
  const { user, id } = await bound();
  for (let i = 0; i < 5; i += 1)
    await expect(user.api(redemptionCodes).redeem({ body: { key: `wrong-${i}` } })).rejects.toMatchObject({
      code: 'code-unknown',
    });
  for (let i = 0; i < 5; i += 1) expect(await ask(id, `/redeem wrong-${i}`)).toContain('no such code');
  const code = await newCode(5);
  expect(await ask(id, `/redeem ${code}`)).toMatch(/Too many wrong codes. Try again in \d+ min/);
  expect(await balanceOf(user)).toBe(0);
});

test('lists keys by their masks, and never a key', async () => {
  const { user, id } = await bound();
  expect(await ask(id, '/keys')).toBe('You have no tokens yet.');
  const { key } = await user.api(apiKeys).create({ body: { name: 'laptop', unlimited_quota: true } });
  await user.api(apiKeys).create({ body: { name: 'phone', remain_quota: pointsAmount.parse(250_000) } });
  const reply = await ask(id, '/keys');
  expect(reply).toMatch(/phone · sk-\S+ · enabled · \$0.50 \(250,000 points\) left/);
  expect(reply).toMatch(/laptop · sk-\S+ · enabled · no limit/);
  expect(reply).not.toContain(key);
});

test('gives the links to invite and to top up', async () => {
  const { id } = await bound();
  expect(await ask(id, '/invite')).toMatch(/https:\/\/gate\.example\/register\?aff=[A-Z2-9]{10}$/);
  expect(await ask(id, '/recharge')).toContain('https://gate.example/panel/topup');
  await setOptions(app.ctx, { TopUpLink: 'https://shop.example/buy' });
  expect(await ask(id, '/recharge')).toContain('https://shop.example/buy');
});

test('asks for a confirmation before it disconnects a user', async () => {
  const { user, id } = await bound();
  expect(await ask(id, '/unbind')).toContain('/unbind confirm');
  expect((await user.api(telegram).get()).bound).not.toBeNull();
  expect(await ask(id, '/unbind confirm')).toBe('Disconnected.');
  expect((await user.api(telegram).get()).bound).toBeNull();
  expect(await ask(id, '/balance')).toContain('not connected');
  const entry = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select('action')
    .where('user_id', '=', user.id)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  expect(entry?.action).toBe('identity.unbind');
});

test('refuses every command of a user whose account is disabled or deleted', async () => {
  const [first, second] = [await bound(700), await bound(700)];
  await root.api(users).manage({ body: { username: first.user.username, action: 'disable' } });
  await root.api(users).remove({ params: { id: second.user.id } });
  const code = await newCode(5);
  for (const command of ['/balance', '/keys', `/redeem ${code}`])
    expect(await ask(first.id, command)).toContain('disabled');
  expect(await ask(second.id, `/redeem ${code}`)).toContain('not connected');
  expect((await root.api(redemptionCodes).list({ query: { keyword: code } })).data).toMatchObject([
    { status: 'enabled' },
  ]);
});

test('lists its commands, also in response to an unknown one', async () => {
  const help = await ask(3, '/help');
  for (const command of ['balance', 'keys', 'redeem', 'recharge', 'invite', 'bind', 'unbind'])
    expect(help).toContain(`/${command} – `);
  for (const text of ['Hello', '/unknown', '/constructor', '/__proto__', '/'])
    expect(await ask(4, text)).toContain('/help');
});

test('truncates a text that is too long for Telegram', async () => {
  const reply_message = `Keys <b>${'x'.repeat(5_000)}`;
  await sendReply(app.ctx, 9, { parse_mode: 'text', reply_message });
  const last = server.sent.at(-1);
  expect(last).toMatchObject({ chat_id: 9, text: expect.stringMatching(/^Keys <b>x+…$/) });
  expect(last?.text).toHaveLength(4096);
  expect(last).not.toHaveProperty('parse_mode');
});

test('many long messages of a stranger keep the bot from nobody', async () => {
  // Together more than a response may have, whatever their number per poll.
  for (let nth = 0; nth < 20; nth += 1) server.sendMessage({ id: 50 }, '字'.repeat(100_000));
  for (let nth = 0; nth < 100; nth += 1) server.sendMessage({ id: 51 }, '字'.repeat(4_096));
  const before = server.sent.length;
  server.sendMessage({ id: 52, language_code: 'en' }, '/help');
  await vi.waitFor(() => {
    app.clock.advance(1);
    expect(server.sent.slice(before).some(({ chat_id }) => chat_id === 52)).toBe(true);
  }, SOON);
});
