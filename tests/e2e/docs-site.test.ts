/** The documentation site: from a disk, wide and narrow, light and dark, in English and Chinese. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildSite } from '../../scripts/docs-site/build-site.ts';
import { startBrowser } from './browser.ts';

const place = mkdtempSync(join(tmpdir(), 'switchyard-docs-'));
let browser: Browser;

beforeAll(async () => {
  for (const [address, content] of buildSite().files) {
    mkdirSync(dirname(join(place, address)), { recursive: true });
    writeFileSync(join(place, address), content);
  }
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(place, { recursive: true, force: true });
});

async function open(address: string, width: number, colorScheme: 'dark' | 'light' = 'light'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(join(place, address)).href);
  onTestFinished(() => expect(complaints).toEqual([]));
  return page;
}

test.each([
  ['index.html', 1440],
  ['manual/operator.html', 390],
  ['api/channels.html', 390],
  ['translation-matrix.html', 390],
  ['zh_CN/manual/operator.html', 390],
] as const)('%s is never wider than a screen of %i pixels', async (address, width) => {
  const page = await open(address, width);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
});

test('a search leads to the heading, in both languages', async () => {
  for (const [address, words, heading] of [
    ['manual/user.html', 'master key', 'keys'],
    ['zh_CN/manual/user.html', '主密钥', '密钥'],
  ] as const) {
    const page = await open(address, 1440);
    await page.fill('.search input', words);
    await page.click(`.results a[href$="#${heading}"]`);
    await expect.poll(() => decodeURIComponent(new URL(page.url()).hash)).toBe(`#${heading}`);
    await page.locator(`[id="${heading}"]`).waitFor();
  }
});

test('the theme follows the system until the user chooses one', async () => {
  const page = await open('index.html', 1440, 'dark');
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  expect(await ground()).toBe('rgb(18, 21, 27)');
  await page.click('.theme');
  expect(await ground()).toBe('rgb(255, 255, 255)');
  await page.reload();
  expect(await ground()).toBe('rgb(255, 255, 255)');
});

test('on a phone the contents open over the page, and the other language is one tap away', async () => {
  const page = await open('manual/user.html', 390);
  expect(await page.locator('nav').isVisible()).toBe(false);
  await page.click('.menu');
  const top = await page.locator('nav').evaluate((list) => list.getBoundingClientRect().top);
  expect(top).toBe(await page.locator('header').evaluate((bar) => bar.getBoundingClientRect().bottom));
  expect(await page.locator('nav [aria-current]').isVisible()).toBe(true);
  await page.click('.language');
  expect(await page.locator('h1').textContent()).toBe('用户手册');
});
