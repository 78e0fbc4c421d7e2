/**
 * Buying in a browser: with each payment provider, scripted on this machine, the balance changes without a reload, even
 * without a webhook event; a bank transfer, a redemption code, and a refund.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MoneyScene, startMoneyScene, toOrderId } from '../../apps/server/src/testing/payment-server-scene.ts';
import { scriptedTypes } from '../../apps/server/src/testing/scripted-payment-providers/start-scripted-provider.ts';
import { type SignedInUser, startTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { orders } from '../../packages/contract/src/billing/orders.ts';
import { paymentProviders } from '../../packages/contract/src/billing/payment-providers.ts';
import { redemptionCodes } from '../../packages/contract/src/billing/redemption-codes.ts';
import { openPage, signIn, startBrowser } from './browser.ts';

let browser: Awaited<ReturnType<typeof startBrowser>>;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Sends the browser's requests to a payment provider to its script. */
async function playVendors(context: BrowserContext, { vendor }: MoneyScene): Promise<void> {
  for (const [origin, standIn] of Object.entries(vendor.originOverrides))
    await context.route(`${origin}/**`, async (route) => {
      const request = route.request();
      const { pathname, search } = new URL(request.url());
      const body = request.postDataBuffer();
      const answer = await fetch(standIn + pathname + search, {
        method: request.method(),
        headers: { 'content-type': request.headers()['content-type'] ?? '' },
        redirect: 'manual',
        ...(body === null ? {} : { body: new Uint8Array(body) }),
      });
      await route.fulfill({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      });
    });
}

async function openTopUp(scene: MoneyScene, buyer: SignedInUser, width = 1440): Promise<Page> {
  const page = await openPage(browser, scene.url, { width });
  await playVendors(page.context(), scene);
  await signIn(page, scene.url, buyer);
  await page.goto(`${scene.url}/panel/topup`);
  await page.getByLabel('Amount in US dollars').fill('12');
  return page;
}

/** Presses the button of the provider's page, or scans the code with a phone. */
async function payAsBuyer(scene: MoneyScene, page: Page): Promise<void> {
  const [order] = await scene.ctx.db.writer
    .selectFrom('payment_order')
    .select(['trade_no', 'payment'])
    .orderBy('id', 'desc')
    .limit(1)
    .execute();
  if (order?.payment?.includes('"kind":"page"') !== true) {
    scene.vendor.pay(order?.trade_no ?? '');
    await scene.vendor.sendWebhook(order?.trade_no ?? '');
    return;
  }
  const [popup] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open the payment page' }).click(),
  ]);
  await popup.getByRole('button', { name: 'Pay' }).click();
  await popup.waitForURL('**/panel/topup?order=*');
  await popup.close();
}

const balanceIn = (page: Page) => page.getByText('$12.00', { exact: true }).first();

describe.each(scriptedTypes)('by %s', (type) => {
  let scene: MoneyScene;
  beforeAll(async () => {
    scene = await startMoneyScene(type, {}, [], startTestApp);
  });
  afterAll(() => scene.close());

  test('a payment changes the balance without a reload', async () => {
    const buyer = await scene.createUser('user');
    const page = await openTopUp(scene, buyer);
    await page.getByRole('button', { name: /^Pay / }).click();
    await page.getByText('Waiting for the payment').waitFor();
    await payAsBuyer(scene, page);
    await page.getByText('$12.00 was added').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await balanceIn(page).waitFor();
    expect(await scene.balance(buyer)).toBe(6_000_000);
    await page.context().close();
  });

  test('finds a payment without a webhook event by polling, on a phone', async () => {
    const buyer = await scene.createUser('user');
    const page = await openTopUp(scene, buyer, 390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    scene.vendor.dropWebhooks(true);
    await page.getByRole('button', { name: /^Pay / }).click();
    await page.getByText('Waiting for the payment').waitFor();
    const { trade_no } = (await buyer.api(orders).listOwn()).data[0] ?? expect.fail('no order');
    // The provider knows the payment: the buyer went there, and paid.
    if (!scene.vendor.orders.has(trade_no)) {
      const [popup] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name: 'Open the payment page' }).click(),
      ]);
      await popup.getByRole('button', { name: 'Pay' }).waitFor();
      await popup.close();
    }
    scene.vendor.pay(trade_no);
    await page.getByRole('button', { name: 'I have paid' }).click();
    await page.getByText('$12.00 was added').waitFor();
    scene.vendor.dropWebhooks(false);
    expect(await scene.balance(buyer)).toBe(6_000_000);
    await page.context().close();
  });
});

describe('by bank transfer', () => {
  let scene: MoneyScene;
  beforeAll(async () => {
    scene = await startMoneyScene('epay', {}, [], startTestApp);
    await scene.root.api(paymentProviders).update({ body: { id: scene.gateway.id, enable: false } });
    await scene.root
      .api(paymentProviders)
      .create({
        body: {
          type: 'manual',
          name: 'Bank transfer',
          currency: 'USD',
          config: { instructions: 'Send {amount} to DE02 1203 0000 0000 2020 51, reference {trade_no}' },
        },
      });
  });
  afterAll(() => scene.close());

  test('an order that staff confirm is added without a reload, and its refund is deducted', async () => {
    const buyer = await scene.createUser('user');
    const page = await openTopUp(scene, buyer);
    await page.getByRole('button', { name: /^Pay / }).click();
    await page.getByText('DE02 1203 0000 0000 2020 51').waitFor();
    const { id } = (await buyer.api(orders).listOwn()).data[0] ?? expect.fail('no order');
    const { root } = scene;
    await root.api(profile).stepUp({ body: { password: root.password } });
    await root.api(orders).complete({ params: { id: toOrderId({ id }) }, body: { reason: 'On the bank statement' } });
    await page.getByText('$12.00 was added').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await balanceIn(page).waitFor();
    await root.api(orders).refund({ params: { id: toOrderId({ id }) }, body: { reason: 'Sent back', outside: true } });
    expect(await scene.balance(buyer)).toBe(0);
    await page.context().close();
  });

  test('a redemption code is added without a reload, once', async () => {
    const buyer = await scene.createUser('user');
    const { root } = scene;
    await root.api(profile).stepUp({ body: { password: root.password } });
    const [code = ''] = await root
      .api(redemptionCodes)
      .create({ body: { name: 'Spring', quota: 6_000_000 as never, count: 1 } });
    const page = await openTopUp(scene, buyer);
    await page.getByLabel('Code', { exact: true }).fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Redeem' }).click();
    await balanceIn(page).waitFor();
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Redeem' }).click();
    await page.getByText(/used/i).last().waitFor();
    expect(await scene.balance(buyer)).toBe(6_000_000);
    await page.context().close();
  });
});
