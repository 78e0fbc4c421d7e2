/** Public pages, without a sign-in. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { openPage } from './browser.ts';
import { clearNetworkErrors, findHorizontalOverflow, type Panel, refuseCall, startPanel } from './open-panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
  await panel.root
    .api(channels)
    .create({
      body: createChannel.parse({ name: 'alpha', type: 1, models: ['gpt-4o', 'gpt-4o-mini'], key: 'sk-e2e' }),
    });
});
afterAll(() => panel?.close());

test.each([
  ['a desk', 1440],
  ['a phone', 390],
])('on %s, models are searched, priced in yuan and sorted, and a failure can be retried', async (_where, width) => {
  const page = await openPage(panel.browser, panel.url, { width });
  await page.route('**/api/available_model*', refuseCall(500, 'internal'));
  await page.goto(`${panel.url}/price`);
  await page.getByText('An internal server error occurred.', { exact: false }).first().waitFor();
  await page.unroute('**/api/available_model*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('gpt-4o-mini', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'CNY' }).click();
  await page.getByText(/¥/).first().waitFor();
  await page.getByRole('searchbox').fill('mini');
  await page.getByText('1–1 of 1').waitFor();
  const address = page.url();
  await page.goto(address);
  await page.getByText('1–1 of 1').waitFor();
  await page.getByText(/¥/).first().waitFor();
  await page.getByText('gpt-4o-mini', { exact: true }).click();
  await page.getByRole('dialog').waitFor();
  expect(await findHorizontalOverflow(page)).toEqual([]);
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  clearNetworkErrors(page);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('the operator’s content is on the home page and under About, without its scripts', async () => {
  await panel.root.api(profile).stepUp({ body: { password: panel.root.password } });
  const page = await openPage(panel.browser, panel.url, { width: 390 });
  for (const [key, path] of [
    ['HomePageContent', '/'],
    ['About', '/about'],
  ] as const) {
    const value = `# Hello from ${key}\n\n<script>document.title = 'run'</script>\n\n${'W'.repeat(400)}`;
    await panel.root.api(settings).update({ body: { key, value } });
    await page.goto(panel.url + path);
    await page.getByRole('heading', { name: `Hello from ${key}` }).waitFor();
    expect(await page.title()).not.toBe('run');
    expect(await findHorizontalOverflow(page)).toEqual([]);
  }
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a link to a chat app opens known apps only, and its key leaves the address bar', async () => {
  const page = await openPage(panel.browser, panel.url);
  await page.goto(`${panel.url}/jump#javascript:alert(1)`);
  await page.getByRole('heading', { name: 'Unknown app' }).waitFor();
  await page.goto(`${panel.url}/about`);
  await page.goto(`${panel.url}/jump#opencat://team/join?token=sk-secret`);
  await page.getByRole('heading', { name: /opencat/ }).waitFor();
  expect(page.url()).toBe(`${panel.url}/jump`);
  await page.context().close();
});

test('an unknown address shows an error, and one of the panel leads through the sign-in to it', async () => {
  const page = await openPage(panel.browser, panel.url, { width: 390 });
  await page.goto(`${panel.url}/nowhere/at/all`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByRole('link', { name: 'Go to the home page' }).click();
  await page.waitForURL(`${panel.url}/`);
  await page.goto(`${panel.url}/panel/user?role=admin`);
  await page.waitForURL('**/login?**');
  await page.getByLabel('Username').fill(panel.root.username);
  await page.getByLabel('Password', { exact: true }).fill(panel.root.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/panel/user?role=admin');
  await page.getByText('No user matches these filters.').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
