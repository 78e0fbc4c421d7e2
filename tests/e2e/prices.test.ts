/** Prices: creation, history, deletion, bulk changes, and the calculator. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prices } from '../../packages/contract/src/catalog/prices.ts';
import { type Panel, type PanelPage, startPanel } from './open-panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel?.close());

const dialog = (page: PanelPage) => page.getByRole('dialog');
const rowOf = (page: PanelPage, text: string) => page.getByRole('row').filter({ hasText: text });
const versions = (model: string) => panel.root.api(prices).versions({ params: { model } });
async function choose(page: PanelPage, row: string, action: string): Promise<void> {
  await rowOf(page, row).getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

test.each([
  ['a desk', 1440],
  ['a phone', 390],
])('on %s, a price is created, validated, and found by its model', async (_where, width) => {
  const model = `story-${width}`;
  const page = await panel.open('/panel/pricing', { width });
  await page.getByRole('button', { name: 'New price' }).click();
  await page.waitForURL('**show=new**');
  await dialog(page).getByLabel('Model', { exact: true }).fill('a*b');
  await dialog(page).getByLabel('Input', { exact: true }).fill('-1');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => dialog(page).locator('[aria-invalid=true]').count()).toBeGreaterThan(1);
  await dialog(page).getByLabel('Model', { exact: true }).fill(model);
  await dialog(page).getByLabel('Input', { exact: true }).fill('2');
  await dialog(page).getByLabel('Output', { exact: true }).fill('8');
  await dialog(page).getByText('cost $0.006 at group ratio 1').waitFor();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Price added: ${model}`).waitFor();
  await page.getByRole('searchbox').fill(model);
  await page.getByText('1–1 of 1').waitFor();
  await page.getByText('$8.00').waitFor();
  expect(await versions(model)).toHaveLength(1);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('a price is changed, restored from its history, unlocked and locked, and deleted', async () => {
  const page = await panel.open('/panel/pricing?keyword=story-1440');
  await choose(page, 'story-1440', 'Edit');
  await dialog(page).getByLabel('Input', { exact: true }).fill('3');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await rowOf(page, 'story-1440').getByText('$3.00').waitFor();
  await choose(page, 'story-1440', 'Edit');
  await dialog(page).getByRole('button', { name: 'History' }).click();
  await dialog(page).getByRole('button', { name: 'Restore' }).first().click();
  await rowOf(page, 'story-1440').getByText('$2.00').waitFor();
  expect(await versions('story-1440')).toHaveLength(3);
  await choose(page, 'story-1440', 'Unlock');
  await rowOf(page, 'story-1440').getByText('Locked').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await rowOf(page, 'story-1440').getByText('Locked').waitFor();
  await choose(page, 'story-1440', 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No price matches these filters.').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('several models get one price at once, and are shown as one', async () => {
  const page = await panel.open('/panel/pricing?keyword=gpt-4o-mini');
  const before = await panel.root.api(prices).list({ query: {} });
  await page.getByRole('row').nth(1).getByRole('checkbox').click();
  await page.getByRole('row').nth(2).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Edit together' }).click();
  await page.getByRole('dialog', { name: 'Price of 2 models' }).getByLabel('Input', { exact: true }).fill('7.77');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Price of 2 models saved').waitFor();
  await expect.poll(() => page.getByText('$7.77', { exact: true }).count()).toBe(2);
  expect((await panel.root.api(prices).list({ query: {} })).total_count).toBe(before.total_count);
  await page.getByRole('button', { name: 'By price' }).click();
  await page.waitForURL('**view=groups**');
  await page.getByText('$7.77', { exact: true }).first().waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('the calculator shows the cost of calls of a model', async () => {
  const page = await panel.open('/panel/pricing?show=calculator&model=gpt-4o-mini');
  await dialog(page).getByLabel('Input tokens', { exact: true }).fill('1000000');
  await dialog(page).getByLabel('Output tokens', { exact: true }).fill('0');
  await dialog(page).getByLabel('Calls', { exact: true }).fill('2');
  await dialog(page).getByText('Cost of 2 calls').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
