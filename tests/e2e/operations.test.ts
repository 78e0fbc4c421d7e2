/** An operator handles problems: reads notifications, runs a job, reverts a setting. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { systemInfo } from '../../packages/contract/src/operations/system-info.ts';
import { openPage, signIn } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

let stage: E2eStage;
let page: Page & { complaints: { list: string[] } };

beforeAll(async () => {
  stage = await startStage();
  // A running job cannot be started, and this one runs automatically after the start.
  await vi.waitFor(async () => expect(await readLastRun()).not.toBeNull(), { timeout: 30_000 });
  // Nothing listens there, so that the job that calls it fails.
  await stage.root.api(settings).update({ body: { key: 'VersionCheckURL', value: 'http://127.0.0.1:9/v' } });
  page = await openPage(stage.browser, stage.url);
  await signIn(page, stage.url, stage.account);
});
afterAll(() => stage?.close());

test('a failed job is shown by the bell, opened, fixed, and dismissed until it changes', async () => {
  await page.goto(`${stage.url}/panel/system_info?tab=jobs`);
  const row = page.getByRole('listitem').filter({ hasText: 'Check for a new version' });
  await row.getByRole('button', { name: /Run now/ }).click();
  await row.getByText('Failed').waitFor();
  await page.goto(`${stage.url}/panel/dashboard`);
  await bell().click();
  const webhook = panel().getByRole('listitem').filter({ hasText: 'A job failed' });
  await webhook.getByRole('link', { name: 'Jobs' }).click();
  await page.waitForURL('**/panel/system_info?tab=jobs');
  await panel().waitFor({ state: 'detached' });
  await bell().click();
  await webhook.getByRole('button', { name: /Dismiss/ }).click();
  await webhook.waitFor({ state: 'detached' });
  await page.reload();
  await bell().click();
  await panel().waitFor();
  expect(await webhook.count()).toBe(0);
  await page.keyboard.press('Escape');
  const failure = page.getByRole('log').getByText('a job failed').first();
  // The log belongs to the node that responds, and another one may have run the job.
  await expect
    .poll(
      async () => {
        await page.goto(`${stage.url}/panel/system_info?tab=log`);
        return failure.waitFor({ timeout: 2_000 }).then(
          () => true,
          () => false,
        );
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  expect(page.complaints.list).toEqual([]);
});

test('a setting is changed, found in its history, and reverted', async () => {
  await page.goto(`${stage.url}/panel/setting`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Misspelt');
  await save();
  await page.getByRole('button', { name: 'History', exact: true }).click();
  const history = page.getByRole('dialog', { name: 'Settings history' });
  await history.getByText('Misspelt').waitFor();
  await history.getByRole('button', { name: 'Restore the previous value: Name' }).first().click();
  await history.waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('Switchyard');
  await save();
  await page.reload();
  await name.waitFor();
  expect(await name.inputValue()).toBe('Switchyard');
  expect(page.complaints.list).toEqual([]);
});

async function readLastRun() {
  const jobs = await stage.root.api(systemInfo).jobs();
  return jobs.find(({ name }) => name === 'check-version')?.last ?? null;
}

const bell = () => page.getByRole('banner').getByRole('button', { name: /[Nn]otification/ });
const panel = () => page.getByRole('dialog', { name: 'Notifications' });

async function save(): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 setting saved').first().waitFor();
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
}
