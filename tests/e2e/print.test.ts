/** Printed pages contain only the intended content: black on white, not cut off, also in the dark scheme. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, signIn } from './browser.ts';
import { type DemoScene, startDemoScene } from './demonstration.ts';

/** A4 between margins of 12 mm, at 96 pixels an inch. */
const A4_WIDTH = 703;

let demonstration: DemoScene;
let page: Page;

beforeAll(async () => {
  demonstration = await startDemoScene();
  page = await openPage(demonstration.browser, demonstration.url, { dark: true });
  await signIn(page, demonstration.url, demonstration.account);
});
afterAll(() => demonstration?.close());

interface Paper {
  /** Buttons, bars and menus that would be printed. */
  controls: string[];
  /** Content that is not black, grey or coloured on white. */
  dark: string[];
  /** Content that is wider than its container, and therefore cut off. */
  cut: string[];
  text: string;
}

/** Returns the visible content of the page as the printer gets it. */
async function onPaper(): Promise<Paper> {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: A4_WIDTH, height: 1000 });
  return await page.evaluate(() => {
    const luminance = (colour: string): number => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = colour.match(/[\d.]+/g)?.map(Number) ?? [];
      return alpha === 0 ? Number.NaN : (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
    };
    const seen = [...document.body.querySelectorAll<HTMLElement>('*')].filter((element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
    const name = (element: HTMLElement): string => element.outerHTML.slice(0, 120);
    const hasText = (element: HTMLElement): boolean =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
    const controls = seen.filter((element) =>
      element.matches('nav, header, button, input, [role="button"], [role="progressbar"]'),
    );
    const dark = [document.documentElement, document.body, ...seen].filter((element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      const printed = seen.includes(element);
      return luminance(backgroundColor) < 0.5 || (printed && hasText(element) && luminance(color) > 0.6);
    });
    const cut = seen.filter((element) => {
      const { right, width } = element.getBoundingClientRect();
      const hides = getComputedStyle(element).overflowX !== 'visible';
      return (width > 0 && right > innerWidth + 1) || (hides && element.scrollWidth > element.clientWidth + 1);
    });
    return { controls: controls.map(name), dark: dark.map(name), cut: cut.map(name), text: document.body.innerText };
  });
}

/** Returns the number of printed pages. */
async function pages(): Promise<number> {
  const pdf = await page.pdf({ format: 'A4' });
  return Number(/\/Count (\d+)/.exec(pdf.toString('latin1'))?.[1]);
}

async function open(path: string): Promise<void> {
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(demonstration.url + path);
}

const clean = { controls: [], dark: [], cut: [] };

test('a statement prints its sheet only', async () => {
  await open('/panel/invoice/2026-05-01');
  await page.getByRole('table').first().waitFor();
  const { text, ...paper } = await onPaper();
  expect(paper).toEqual(clean);
  for (const word of ['Calls by model', 'Closing balance', 'claude-sonnet-4-5']) expect(text).toContain(word);
  expect(await pages()).toBe(1);
});

test('a receipt prints the content of its drawer only', async () => {
  await open('/panel/log?open=29000');
  await page.getByRole('dialog').getByText('Cost breakdown').waitFor();
  const { text, ...paper } = await onPaper();
  expect(paper).toEqual(clean);
  expect(text).toContain('Cost breakdown');
  expect(await pages()).toBe(1);
});

test('a sheet of redemption codes prints its cards only', async () => {
  await open('/panel/redemption');
  await page.getByRole('button', { name: 'Create codes' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Spring sale');
  await page.getByLabel('Number of codes').fill('30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog', { name: '30 codes created' }).getByRole('button', { name: 'Print sheet' }).click();
  await page
    .getByRole('dialog', { name: /^Sheet of/ })
    .getByRole('listitem')
    .nth(29)
    .waitFor();
  const { text, ...paper } = await onPaper();
  expect(paper).toEqual(clean);
  expect(text.match(/Redeem|\$10\.00/g)?.length ?? 0).toBeGreaterThanOrEqual(30);
  expect(await pages()).toBe(3);
});
