/** An administrator edits model details and owners in a real browser, and users see them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowserVisitor } from '../../apps/server/src/testing/visitor.ts';
import { signIn as signInContract } from '../../packages/contract/src/accounts/sign-in.ts';
import { openPage, signIn } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

const MODEL = 'scripted-model';
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let stage: E2eStage;
let root: ReturnType<typeof createBrowserVisitor>;
beforeAll(async () => {
  stage = await startStage();
  root = createBrowserVisitor(stage.url);
  await root.api(signInContract).signIn({ body: stage.account });
});
afterAll(() => stage?.close());

test('a model’s details are written, edited, found, overwritten by an import and reset to the lists', async () => {
  const page = await openPage(stage.browser, stage.url);
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/model_info`);
  await page.getByRole('button', { name: 'Add details' }).click();
  const drawer = page.getByRole('dialog', { name: 'Add details' });
  await drawer.getByLabel('Model', { exact: true }).fill(MODEL);
  await drawer.getByLabel('Name', { exact: true }).fill('House model');
  await drawer.getByLabel('Description').fill('For <b>short</b> answers');
  await drawer.getByLabel('Context').fill('0');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('At least 1').waitFor();
  await drawer.getByLabel('Context').fill('32000');
  await drawer.getByLabel('Tags').fill('house,');
  await drawer.getByLabel('Tags').press('Enter');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').first().waitFor();

  await page.getByRole('searchbox').fill('short');
  const row = page.getByRole('row').filter({ hasText: MODEL });
  await row.getByText('House model').waitFor();
  await page.locator('[aria-haspopup=listbox]', { hasText: 'Source' }).click();
  await page.getByRole('menuitem', { name: 'Manual', exact: true }).click();
  await page.waitForURL(/source=own/);
  await page.getByRole('button', { name: 'Clear' }).first().click();
  await page.getByRole('columnheader', { name: 'Context' }).getByRole('button').first().click();
  await page.waitForURL(/order=/);

  await page.goto(`${stage.url}/panel/model_info?keyword=${MODEL}`);
  await row.getByText('House model').click();
  const editor = page.getByRole('dialog', { name: 'Model details' });
  await editor.getByLabel('Name', { exact: true }).fill('House model 2');
  await editor.getByRole('button', { name: 'Save' }).click();
  await row.getByText('House model 2').waitFor();

  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import model details' });
  await dialog.getByLabel('JSON').fill('[{"model":');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('This is not valid JSON').waitFor();
  // The browser itself reports a refusal.
  expect(page.complaints.list.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  const list = [
    { model: MODEL, name: 'From a list' },
    { model: 'other-model', name: 'Other' },
    { model: 'bad', context_length: -1 },
  ];
  await dialog.getByLabel('JSON').fill(JSON.stringify(list));
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('Entry 3').waitFor();
  await dialog.getByRole('button', { name: 'Overwrite' }).click();
  await dialog.getByRole('button', { name: 'Import 2 models' }).click();
  await row.getByText('From a list').waitFor();

  await page.goto(`${stage.url}/panel/model_price`);
  await page.getByText('From a list').waitFor();

  await page.goto(`${stage.url}/panel/model_info?keyword=${MODEL}`);
  await row.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await row.getByText('No information').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('an owner with its own logo is used by a price, shown beside the model, and deleted', async () => {
  const page = await openPage(stage.browser, stage.url);
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/model_ownedby?edit=new`);
  const drawer = page.getByRole('dialog', { name: 'New owner' });
  await drawer.getByLabel('Name', { exact: true }).fill('Our lab');
  await drawer.locator('input[type=file]').setInputFiles({ name: 'lab.png', mimeType: 'image/png', buffer: picture });
  await drawer.getByRole('img', { name: 'Preview' }).locator('img[src^="data:image/png"]').waitFor();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Our lab').first().waitFor();

  await page.goto(`${stage.url}/panel/pricing?show=edit&model=${MODEL}`);
  const price = page.getByRole('dialog', { name: 'Edit price' });
  await price.getByLabel('Owner').fill('Our lab');
  await page.getByRole('option', { name: 'Our lab' }).click();
  await price.getByRole('button', { name: 'Save' }).click();
  await price.waitFor({ state: 'hidden' });

  await page.goto(`${stage.url}/panel/model_price`);
  const row = page.getByRole('row').filter({ hasText: MODEL });
  await row.getByText('Our lab').waitFor();
  const image = row.locator('img[src^="data:image/png"]');
  expect(await image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(1);

  await page.goto(`${stage.url}/panel/model_ownedby?keyword=Our%20lab`);
  await page.getByRole('row').filter({ hasText: 'Our lab' }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('1 price uses it.', { exact: false }).waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No owner matches.').waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
