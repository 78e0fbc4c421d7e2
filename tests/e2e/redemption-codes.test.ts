/** Redemption codes in a browser: created and printed by the operator, redeemed from the printed link by the buyer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedInUser, startTestApp, type TestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { redemptionCodes } from '../../packages/contract/src/billing/redemption-codes.ts';
import { openPage, signIn, startBrowser } from './browser.ts';

const CODES = 30;
let app: TestApp;
let seller: SignedInUser;
let browser: Awaited<ReturnType<typeof startBrowser>>;
beforeAll(async () => {
  app = await startTestApp();
  seller = await app.createUser('root');
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

/** Returns the number of printed pages. */
const pagesOf = (pdf: Buffer): number => Number(/\/Count (\d+)/.exec(pdf.toString('latin1'))?.[1]);

test('codes are created, printed on as many pages as they need, and redeemed from the printed link', async () => {
  const page = await openPage(browser, app.url);
  await signIn(page, app.url, seller);
  await page.goto(`${app.url}/panel/redemption`);
  await page.getByRole('button', { name: 'Create codes' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Spring sale');
  await page.getByLabel('Number of codes').fill(String(CODES));
  await page.getByRole('button', { name: 'Save' }).click();
  const made = page.getByRole('dialog', { name: `${CODES} codes created` });
  const codes = (await made.getByLabel('Codes').innerText()).trim().split('\n');
  expect(new Set(codes).size).toBe(CODES);

  await made.getByRole('button', { name: 'Print sheet' }).click();
  const cards = page.getByRole('dialog', { name: /^Sheet of/ }).getByRole('listitem');
  await expect.poll(() => cards.count()).toBe(CODES);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button').count()).toBe(0);
  expect(await page.getByText('Spring sale').filter({ visible: true }).count()).toBe(0);
  expect(pagesOf(await page.pdf({ format: 'A4' }))).toBe(3);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();

  const buyer = await app.createUser('user', { username: 'buyer' });
  const phone = await openPage(browser, app.url, { width: 390 });
  // The buyer who scans the code is not signed in yet.
  await phone.goto(`${app.url}/panel/topup#code=${codes[0]}`);
  await phone.getByLabel('Username').first().fill(buyer.username);
  await phone.getByLabel('Password', { exact: true }).fill(buyer.password);
  await phone.keyboard.press('Enter');
  await expect.poll(() => phone.getByLabel('Code', { exact: true }).inputValue()).toBe(codes[0]);
  expect(phone.url()).toBe(`${app.url}/panel/topup`);
  await phone.getByRole('button', { name: 'Redeem' }).click();
  await phone.getByText('$10.00 was added').waitFor();
  await phone.getByText('$10.00', { exact: true }).first().waitFor();
  expect(phone.complaints.list).toEqual([]);
  const { data } = await seller.api(redemptionCodes).list({ query: { username: 'buyer' } });
  expect(data).toMatchObject([{ name: 'Spring sale', status: 'used' }]);
});
