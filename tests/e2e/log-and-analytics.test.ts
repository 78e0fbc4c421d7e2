/** Usage: the log, the dashboard, analytics with saved views, and the check of a request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';
import { type Panel, type PanelPage, startPanel } from './open-panel.ts';

let panel: Panel;
let ada: SignedInUser;
beforeAll(async () => {
  panel = await startPanel();
  ada = await panel.createUser('user', { username: 'ada' });
  await insertUsageRecords(panel.ctx, ada.id, [
    { model: 'gpt-4o', quota: 500_000 },
    { model: 'gpt-4o', type: 'error', quota: 0, content: 'The upstream is overloaded' },
    { model: 'claude-haiku-4-5', quota: 1_000_000, is_stream: 1 },
  ]);
});
afterAll(() => panel?.close());

const dialog = (page: PanelPage) => page.getByRole('dialog');
const rowOf = (page: PanelPage, text: string) => page.getByRole('row').filter({ hasText: text });
async function choose(page: PanelPage, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('the log shows a new call, a record opens and closes by Back, and filters combine', async () => {
  const page = await panel.open('/panel/log');
  await page.getByRole('button', { name: 'Live' }).click();
  await insertUsageRecords(panel.ctx, ada.id, [{ model: 'just-now' }]);
  await rowOf(page, 'just-now').waitFor();
  await page.getByRole('button', { name: 'Live' }).click();

  await page.getByRole('searchbox').fill('gpt-4o');
  await page.getByText('1–2 of 2').waitFor();
  await page.getByRole('search').getByRole('button', { name: 'Type', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Failed' }).click();
  await page.getByText('1–1 of 1').waitFor();
  await rowOf(page, 'gpt-4o').click();
  await dialog(page).getByText('The upstream is overloaded').waitFor();
  const opened = page.url();
  await page.goBack();
  await dialog(page).waitFor({ state: 'detached' });
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('model_name'), searchParams.get('log_type')]).toEqual(['gpt-4o', 'error']);
  await page.goto(opened);
  await dialog(page).getByText('The upstream is overloaded').waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('menuitem', { name: 'User', exact: true }).click();
  await page.getByRole('dialog', { name: 'User' }).getByRole('textbox').fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('No record matches these filters.').waitFor();
  await page.getByRole('button', { name: 'Remove filter: Username' }).click();
  await rowOf(page, 'claude-haiku-4-5').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a user sees only the own log, without user and channel', async () => {
  const page = await panel.open('/panel/log', { as: ada, width: 390 });
  await page.getByText('claude-haiku-4-5').waitFor();
  expect(await page.getByText('Opening balance').count()).toBeLessThanOrEqual(1);
  expect(await page.getByRole('button', { name: 'Group', exact: true }).count()).toBe(0);
  await page.getByText('claude-haiku-4-5').click();
  await dialog(page).getByText('$2.00').first().waitFor();
  expect(await dialog(page).getByText('Channel', { exact: true }).count()).toBe(0);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('analytics changes its breakdown, saves it as a view, and opens, renames and deletes the view', async () => {
  const page = await panel.open('/panel/analytics');
  await rowOf(page, 'claude-haiku-4-5').waitFor();
  await choose(page, 'Metric', 'Requests');
  await choose(page, 'Split by', 'User');
  await rowOf(page, 'ada').waitFor();
  const asked = page.url();
  expect(asked).toContain('measure=requests');
  expect(asked).toContain('split=user');

  await page.getByRole('button', { name: 'Saved views' }).click();
  await dialog(page).getByText('No saved views yet.').waitFor();
  await dialog(page).getByRole('textbox').fill('Who calls');
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Who calls', exact: true }).waitFor();
  await dialog(page).getByRole('button', { name: 'Rename Who calls' }).click();
  await dialog(page).getByRole('textbox').fill('Who calls most');
  await page.keyboard.press('Enter');
  await page.goto(`${panel.url}/panel/analytics`);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await dialog(page).getByRole('button', { name: 'Who calls most', exact: true }).click();
  await rowOf(page, 'ada').waitFor();
  expect(new URL(page.url()).searchParams.get('split')).toBe('user');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await dialog(page).getByRole('button', { name: 'Delete Who calls most' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await dialog(page).getByRole('button', { name: 'Who calls most', exact: true }).waitFor({ state: 'detached' });
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a model in analytics leads to its records, and a period without calls says that there are none', async () => {
  const page = await panel.open('/panel/analytics?time=7d');
  await rowOf(page, 'gpt-4o').click();
  await page.waitForURL('**/panel/log?**model_name=gpt-4o**');
  await page.goBack();
  await rowOf(page, 'claude-haiku-4-5').waitFor();
  await page.goto(`${panel.url}/panel/analytics?start_timestamp=1600000000&end_timestamp=1600086400`);
  await page.getByRole('table', { name: 'Analytics' }).waitFor();
  expect(await page.getByRole('table', { name: 'Analytics' }).getByRole('row').count()).toBe(1);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('the dashboard changes user, days and table, and keeps them in the URL', async () => {
  const page = await panel.open('/panel/dashboard');
  await page.getByRole('button', { name: 'Everyone' }).click();
  await page.getByRole('button', { name: '30 days' }).click();
  await page.getByRole('button', { name: 'By day' }).click();
  await page.getByRole('table', { name: 'By day' }).waitFor();
  await page.reload();
  for (const name of ['Everyone', '30 days', 'By day'])
    expect(await page.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true');
  const newcomer = await panel.createUser('user');
  const empty = await panel.open('/panel/dashboard', { as: newcomer, width: 390 });
  await empty.getByText('$0', { exact: false }).first().waitFor();
  await insertUsageRecords(panel.ctx, newcomer.id, [{ model: 'gpt-4o' }]);
  await page.goto(`${panel.url}/panel/user/${newcomer.id}`);
  await page.getByText('1 request', { exact: true }).first().waitFor();
  expect([...page.complaints.list, ...empty.complaints.list]).toEqual([]);
  await Promise.all([page.context().close(), empty.context().close()]);
});

test('a request is checked without being sent, and an invalid request is refused', async () => {
  const page = await panel.open('/panel/quote');
  const body = page.getByLabel('Request body');
  await body.fill('{ "model": ');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Not a JSON object.', { exact: false }).waitFor();
  await body.fill('{"model":"no-such-model","messages":[{"role":"user","content":"Hi"}]}');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Would be rejected').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
