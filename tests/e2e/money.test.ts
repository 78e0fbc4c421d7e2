/** Operators' screens for money: payment providers, orders, statements and sales. Buying is in top-up.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../apps/server/src/operations/jobs/jobs.ts';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../apps/server/src/testing/payment-order.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { paymentProviders } from '../../packages/contract/src/billing/payment-providers.ts';
import { findHorizontalOverflow, type Panel, type PanelPage, startPanel } from './open-panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
  const { ctx, root } = panel;
  const processor_id = await insertPaymentProvider(ctx, 'Sparkasse');
  await insertPaymentOrder(ctx, { user_id: root.id, processor_id, trade_no: 'T-paid' });
  await insertPaymentOrder(ctx, {
    user_id: root.id,
    processor_id,
    trade_no: 'T-waits',
    status: 'pending',
    paid_time: null,
  });
  await insertUsageRecords(ctx, root.id, [{ model: 'gpt-4o', quota: 500_000 }]);
});
afterAll(() => panel?.close());

const dialog = (page: PanelPage) => page.getByRole('dialog');
const rowOf = (page: PanelPage, text: string) => page.getByRole('row').filter({ hasText: text });

test('a payment provider is created after the password, validated, disabled, moved and deleted', async () => {
  // Providers send payment notices to the server's address.
  await setOptions(panel.ctx, { ServerAddress: 'https://ai.example.org' });
  await panel.ctx.db.writer.updateTable('session').set({ stepped_up_until: 0 }).execute();
  const page = await panel.open('/panel/payment_gateway');
  await page.getByRole('button', { name: 'New payment provider' }).click();
  await dialog(page).getByRole('button', { name: 'Bank transfer' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('Volksbank');
  await dialog(page).getByLabel('Percentage fee').fill('-3');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('At least 0', { exact: true }).waitFor();
  await dialog(page).getByLabel('Percentage fee').fill('1.5');
  await dialog(page).getByLabel('Payment instructions').fill('Send {amount}, reference {trade_no}');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByLabel('Password').fill(panel.root.password);
  await question.getByRole('button', { name: 'Confirm' }).click();
  await page.waitForURL(/edit=\d/);
  await page.keyboard.press('Escape');
  await rowOf(page, 'Volksbank').getByText('1.5%').waitFor();

  await rowOf(page, 'Volksbank').getByRole('switch').click();
  await page.getByText('Volksbank disabled').waitFor();
  await page.getByLabel('Order of Volksbank').fill('7');
  await page.keyboard.press('Enter');
  await page.getByText('Volksbank moved').waitFor();
  await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('Volksbank');
  const { data } = await panel.root.api(paymentProviders).list({ query: {} });
  expect(data).toContainEqual(expect.objectContaining({ name: 'Volksbank', enable: false, sort: 7 }));

  await rowOf(page, 'Volksbank').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await rowOf(page, 'Volksbank').waitFor({ state: 'detached' });
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test.each([
  ['a desk', 1440],
  ['a phone', 390],
])('on %s, an order is found by its number, opened, and closed by Back', async (_where, width) => {
  const page = await panel.open('/panel/payment', { width });
  await page.getByRole('search').getByRole('button', { name: 'Status', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pending' }).click();
  await page.getByText('1–1 of 1', { exact: true }).waitFor();
  await page.getByRole('main').getByText('root', { exact: true }).last().click();
  await dialog(page).getByText('T-waits').first().waitFor();
  await page.goBack();
  await dialog(page).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('status')).toBe('pending');
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('staff complete an unpaid order with a reason, once', async () => {
  await panel.root.api(profile).stepUp({ body: { password: panel.root.password } });
  const page = await panel.open('/panel/payment?status=pending');
  await rowOf(page, 'T-waits').click();
  await dialog(page).getByRole('button', { name: 'Complete', exact: true }).click();
  const reason = page.getByRole('dialog').last();
  await reason.getByLabel('Reason').fill('On the bank statement');
  await reason.getByRole('button', { name: 'Complete', exact: true }).click();
  await dialog(page).getByText('On the bank statement').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('No order matches these filters.').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('sales are shown for another period and breakdown, which are kept in the URL', async () => {
  const page = await panel.open('/panel/money');
  await page.getByRole('button', { name: 'Model', exact: true }).click();
  await rowOf(page, 'gpt-4o').getByText('$1.00').first().waitFor();
  await page.getByRole('button', { name: 'This month' }).click();
  await page.getByRole('button', { name: 'Payment provider', exact: true }).click();
  await rowOf(page, 'Sparkasse').waitFor();
  await page.reload();
  await rowOf(page, 'Sparkasse').waitFor();
  expect(await page.getByRole('button', { name: 'This month' }).getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('link', { name: 'Paid in CNY' }).click();
  await page.waitForURL('**/panel/payment?**');
  await rowOf(page, 'T-paid').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a month is opened as a statement, downloaded, and closed by Back', async () => {
  const page = await panel.open('/panel/invoice');
  await page.getByRole('table', { name: 'Statements' }).getByRole('row').nth(1).click();
  await page.waitForURL(/\/panel\/invoice\/\d{4}-\d\d-01$/);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()]);
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
  await page.goBack();
  await page.getByRole('heading', { name: 'Statements', exact: true }).waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test.each([
  [1440, false, 'en_US', 'Unlock user'],
  [390, true, 'zh_CN', '解锁用户'],
  [390, false, 'en_US', 'Unlock user'],
])('a user with a ledger discrepancy is locked and unlocked, at %i px', async (width, dark, language, letGo) => {
  const { id } = await panel.createUser('user', { quota: 1_000 });
  const { ctx } = panel;
  await ctx.db.writer.updateTable('user_account').set({ used: 5 }).where('user_id', '=', id).execute();
  await checkLedger(ctx);
  const page = await panel.open(`/panel/user?open=${id}`, { width, dark, language });
  const button = page.getByRole('button', { name: letGo });
  await button.waitFor();
  expect(await findHorizontalOverflow(page)).toEqual([]);
  await button.click();
  await button.waitFor({ state: 'detached' });
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
