/** Every screen passes axe-core, and the console can be used by keyboard alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { momentOf, sampleOf } from '../tier.ts';
import { findTextViolations, findViolations, installAxe } from './axe.ts';
import { openPage, signIn, waitUntilLoaded } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

const SCREENS = join(import.meta.dirname, '../../apps/console/src/app/screens.ts');
const registered = [...readFileSync(SCREENS, 'utf8').matchAll(/^ {4}path: '(.+)',$/gm)].map(
  ([, path = '']) => `/panel/${path.replaceAll(/\$\w+/g, '1')}`,
);

const visitorsScreens = [
  '/',
  '/login',
  '/register',
  '/reset',
  '/user/reset?email=a@example.org#token=x',
  '/about',
  '/price',
  '/jump',
  '/no-such-page',
];

/** Every short run tries others; the full run tries all of them. */
const SCREENS_OF_A_DAY = 5;
const SCREENS_IN_A_LANGUAGE = 2;

let stage: E2eStage;
let visitor: Page;
let panel: Page;

beforeAll(async () => {
  stage = await startStage();
  [visitor, panel] = await Promise.all([openPage(stage.browser, stage.url), openPage(stage.browser, stage.url)]);
  await Promise.all([installAxe(visitor), installAxe(panel)]);
  await signIn(panel, stage.url, stage.account);
});
afterAll(() => stage?.close());

async function arrive(page: Page, path: string): Promise<void> {
  await page.goto(stage.url + path);
  await waitUntilLoaded(page);
  // By its tag: content under an open dialog has no role.
  await page.locator('h1').first().waitFor();
}

describe('axe finds no violations', () => {
  test.each(sampleOf(visitorsScreens, SCREENS_OF_A_DAY))('signed out at %s', async (path) => {
    await arrive(visitor, path);
    expect(await findViolations(visitor, path)).toEqual([]);
  });

  test('on the public status page', async () => {
    await stage.root.api(settings).update({ body: { key: 'StatusPageEnabled', value: 'true' } });
    await arrive(visitor, '/status');
    await visitor.getByText('scripted-model').waitFor();
    expect(await findViolations(visitor, '/status')).toEqual([]);
  });

  test.each(sampleOf(registered, SCREENS_OF_A_DAY))('at %s', async (path) => {
    await arrive(panel, path);
    expect(await findViolations(panel, path)).toEqual([]);
  });

  test.each(['log', 'jobs'])('at the tab %s of the system', async (tab) => {
    const path = `/panel/system_info?tab=${tab}`;
    await panel.goto(stage.url + path);
    await panel.locator('h1').first().waitFor();
    await panel
      .getByRole(tab === 'log' ? 'log' : 'listitem')
      .first()
      .waitFor();
    expect(await findViolations(panel, path)).toEqual([]);
  });

  test('in an open drawer, an open form, a menu and the palette', async () => {
    await arrive(panel, '/panel/token?open=1');
    await panel.getByRole('dialog').waitFor();
    expect(await findViolations(panel, 'drawer')).toEqual([]);
    await arrive(panel, '/panel/token');
    await panel.getByRole('button', { name: 'New token' }).click();
    await panel.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await findViolations(panel, 'form')).toEqual([]);
    await arrive(panel, '/panel/token');
    await panel.getByRole('button', { name: 'Language' }).click();
    await panel.getByRole('menu').waitFor();
    // A menu floats above the page, outside its landmarks.
    expect(await findViolations(panel, 'menu', ['region'])).toEqual([]);
    await panel.keyboard.press('Escape');
    await panel.keyboard.press('Control+K');
    await palette(panel).waitFor();
    expect(await findViolations(panel, 'palette')).toEqual([]);
    await panel.keyboard.press('Escape');
    await panel.getByRole('button', { name: /[Nn]otification/ }).click();
    await panel.getByRole('dialog', { name: 'Notifications' }).waitFor();
    expect(await findViolations(panel, 'notices')).toEqual([]);
    await stage.root.api(settings).update({ body: { key: 'RetryTimes', value: '3' } });
    await arrive(panel, '/panel/setting');
    await panel.getByRole('button', { name: 'History', exact: true }).click();
    await panel.getByRole('dialog', { name: 'Settings history' }).getByText('Retries').waitFor();
    expect(await findViolations(panel, 'history of settings')).toEqual([]);
  });
});

/**
 * Other languages can only break names of controls, mostly on all screens alike: each screen is checked in one of them.
 */
const languages = ['zh_CN', 'zh_HK', 'ja_JP'];
const screensIn = (language: string): readonly string[] => {
  const turn = Math.floor(momentOf(0) * languages.length) + languages.indexOf(language);
  return registered.filter((_, index) => (index + turn) % languages.length === 0);
};

test.each(languages)(
  'axe finds nothing on a screen in %s',
  async (language) => {
    const page = await openPage(stage.browser, stage.url, { language });
    await installAxe(page);
    await page.context().addCookies(await panel.context().cookies());
    const found: string[] = [];
    for (const path of sampleOf(screensIn(language), SCREENS_IN_A_LANGUAGE)) {
      await arrive(page, path);
      expect(page.url()).toContain(path);
      found.push(...(await findTextViolations(page, path)));
    }
    expect(found).toEqual([]);
    await page.context().close();
  },
  240_000,
);

describe('by keyboard alone', () => {
  test('the first Tab offers to skip to the content', async () => {
    await arrive(panel, '/panel/token');
    await panel.keyboard.press('Tab');
    expect(await focused(panel)).toContain('Skip to content');
    await panel.keyboard.press('Enter');
    expect(await panel.evaluate(() => document.activeElement?.id)).toBe('content');
  });

  test('a closed dialog returns the focus to the control that opened it', async () => {
    await arrive(panel, '/panel/token');
    const opener = panel.getByRole('button', { name: 'New token' });
    await opener.focus();
    await panel.keyboard.press('Enter');
    await panel.getByRole('dialog').waitFor();
    await panel.keyboard.press('Escape');
    await panel.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('Ctrl K, arrows and Enter lead to another screen; Escape closes', async () => {
    await arrive(panel, '/panel/token');
    await panel.keyboard.press('Control+K');
    await palette(panel).fill('user groups');
    await panel.getByRole('option', { name: 'User groups' }).waitFor();
    await panel.keyboard.press('ArrowDown');
    await panel.keyboard.press('ArrowUp');
    await panel.keyboard.press('Enter');
    await panel.waitForURL('**/panel/user_group');
    await panel.keyboard.press('Control+K');
    await palette(panel).waitFor();
    await panel.keyboard.press('Escape');
    await palette(panel).waitFor({ state: 'detached' });
  });
});

function palette(page: Page) {
  return page.getByRole('dialog', { name: 'Search or go to' }).getByRole('combobox');
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? '');
}
