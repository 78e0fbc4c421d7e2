/** Notifications of operators: a webhook is added, tested and used, and its deliveries are followed. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notifySite } from '../../apps/server/src/operations/notifications/notifications.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import {
  startTestVendor,
  type TestVendor,
  type VendorRequest,
} from '../../apps/server/src/testing/simulated-vendor.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { clearNetworkErrors, findHorizontalOverflow, type Panel, startPanel } from './open-panel.ts';

let panel: Panel;
let receiver: TestVendor;
const taken: VendorRequest[] = [];
beforeAll(async () => {
  receiver = await startTestVendor({}, (request) => {
    taken.push(request);
    return request.target === '/hook' ? { text: 'taken' } : { status: 404, text: 'nobody here' };
  });
  panel = await startPanel();
  await setOptions(panel.ctx, { Language: 'en_US' });
});
afterAll(async () => {
  await panel?.close();
  await receiver?.close();
});

test('a webhook is added, tested, and notified of a channel, and a failed delivery is sent again', async () => {
  const page = await panel.open('/panel/setting#alerts');
  await panel.root.api(profile).stepUp({ body: { password: panel.root.password } });
  const section = page.locator('#alerts');
  await section.getByRole('button', { name: 'Add notification channel' }).click();
  const drawer = page.getByRole('dialog', { name: 'New notification channel' });
  await drawer.getByLabel('Name').fill('On call');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('Required', { exact: true }).first().waitFor();
  await drawer.getByLabel('Address').fill(`${receiver.url}/wrong`);
  await drawer.getByRole('button', { name: 'Generate a secret' }).click();
  const secret = (await drawer.getByText(/^whsec_/).textContent()) ?? '';
  await drawer.getByRole('checkbox', { name: 'Channel disabled' }).click();
  expect(await findHorizontalOverflow(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'detached' });

  await section.getByRole('button', { name: 'Test On call' }).click();
  await page.getByText('404 nobody here').waitFor();
  await notifySite(panel.ctx, 'channel-disabled', { channel: 'main', reason: 'Invalid key' });
  const row = section.getByRole('listitem').filter({ hasText: 'Channel disabled: main' });
  await row.getByText('Failed', { exact: true }).waitFor();

  await section.getByRole('button', { name: 'Edit On call' }).click();
  const editor = page.getByRole('dialog', { name: 'Edit notification channel' });
  await editor.getByLabel('Address').fill(`${receiver.url}/hook`);
  await editor.getByLabel('Signing secret').fill(secret);
  await editor.getByRole('button', { name: 'Save' }).click();
  await editor.waitFor({ state: 'detached' });
  await row.getByRole('button', { name: /^Send again/ }).click();
  await row.getByText('Delivered', { exact: true }).waitFor();

  const { headers, body } = taken.at(-1) ?? expect.fail('nothing was taken');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  expect(JSON.parse(body)).toMatchObject({ type: 'channel-disabled' });
  clearNetworkErrors(page);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
