/** The Telegram bot: an operator adds a command, and a user sees the balance and redeems a code in the chat. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  botToken,
  type ScriptedTelegram,
  startTelegramServer,
} from '../../apps/server/src/testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { type SignedInUser, startTestApp, type TestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { redemptionCodes } from '../../packages/contract/src/billing/redemption-codes.ts';
import { pointsAmount } from '../../packages/contract/src/money.ts';
import { openPage, signIn, startBrowser } from './browser.ts';

const ADA = { id: 42, username: 'ada', language_code: 'en' };
let telegram: ScriptedTelegram;
let app: TestApp;
let root: SignedInUser;
let browser: Awaited<ReturnType<typeof startBrowser>>;
beforeAll(async () => {
  telegram = await startTelegramServer();
  app = await startTestApp({ originOverrides: { 'https://api.telegram.org': telegram.url } });
  root = await app.createUser('root');
  await setOptions(app.ctx, { TelegramBotToken: botToken, Language: 'en_US' });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
  await telegram.close();
});

const lastTo = (id: number) => telegram.sent.findLast(({ chat_id }) => chat_id === id)?.text ?? '';

test('the operator adds a command, a user binds, sees the balance and redeems a code', async () => {
  const page = await openPage(browser, app.url);
  await signIn(page, app.url, root);
  await page.goto(`${app.url}/panel/telegram`);
  await page.getByText('Online', { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByText('@gate_bot').waitFor();
  await page.getByRole('button', { name: 'New command' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'New command' });
  await drawer.getByLabel('Command').fill('rules');
  await drawer.getByLabel('Description').fill('House rules');
  await drawer.getByLabel('Reply', { exact: true }).fill('Be kind.');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/rules', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sync commands to Telegram' }).click();
  await page.getByText('Commands synced to Telegram').waitFor();
  expect(telegram.commands.get('en')).toContainEqual({ command: 'rules', description: 'House rules' });
  expect(page.complaints.list).toEqual([]);
  await page.context().close();

  const user = await app.createUser('user', { username: 'ada' });
  const phone = await openPage(browser, app.url, { width: 390 });
  await signIn(phone, app.url, user);
  await phone.goto(`${app.url}/panel/profile`);
  await phone.getByRole('button', { name: 'Connect Telegram' }).click();
  const dialog = phone.getByRole('dialog', { name: 'Connect Telegram' });
  const message = /\/bind [\w-]{43}/.exec(await dialog.innerText())?.[0] ?? '';
  telegram.sendMessage(ADA, message);
  await expect.poll(() => lastTo(ADA.id)).toContain('the account “ada”');
  telegram.sendMessage(ADA, '/bind confirm');
  await expect.poll(() => lastTo(ADA.id), { timeout: 15_000 }).toContain('now connected');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await phone.getByText('@ada').waitFor();

  telegram.sendMessage(ADA, '/balance');
  await expect.poll(() => lastTo(ADA.id)).toContain('Balance: $0.00 (0 points)');
  const [code = ''] = await root
    .api(redemptionCodes)
    .create({ body: { name: 'Gift', quota: pointsAmount.parse(1_000_000) } });
  telegram.sendMessage(ADA, `/redeem ${code}`);
  await expect.poll(() => lastTo(ADA.id)).toContain('$2.00 (1,000,000 points) added');
  await phone.goto(`${app.url}/panel/dashboard`);
  await phone.getByText('$2.00', { exact: true }).first().waitFor();
  telegram.sendMessage(ADA, '/rules');
  await expect.poll(() => lastTo(ADA.id)).toBe('Be kind.');
  expect(phone.complaints.list).toEqual([]);
});
