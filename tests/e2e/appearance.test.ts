/**
 * The main screens look like their accepted pictures in `appearance/`. After an intended change, run
 * `npm run appearance -- --accept`, and check the pictures before the commit.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ComparisonOptions,
  createScreenshots,
  type Screenshot,
  type Screenshots,
} from './appearance/screenshots.ts';
import { type View, views } from './appearance/views.ts';
import { openPage, signIn, waitUntilLoaded } from './browser.ts';
import { DEMO_TIME, type DemoScene, startDemoScene } from './demonstration.ts';

const FOLDER = join(import.meta.dirname, 'appearance');
const ACCEPT = process.env['ACCEPT_APPEARANCE'] === 'true';
const BYTES_MAX = 600_000;
/** Chinese glyphs come from the machine; all other text uses fonts of the console. */
const eyes: Record<View['language'], ComparisonOptions> = {
  en_US: { cell: 6, tolerance: 10 },
  zh_CN: { cell: 10, tolerance: 14 },
};
/** Number of cells that may differ: another machine may render text with an offset of a pixel. */
const CELLS_MAX = 2;
const scales = { 1440: 1 / 3, 390: 1 / 2 } as const;

let demonstration: DemoScene;
let pictures: Screenshots;
let folder: string;
let cookies: Parameters<ReturnType<Page['context']>['addCookies']>[0];
const pages = new Map<string, Page>();

beforeAll(async () => {
  demonstration = await startDemoScene();
  pictures = await createScreenshots(demonstration.browser);
  folder = mkdtempSync(join(tmpdir(), 'switchyard-appearance-'));
  const page = await openPage(demonstration.browser, demonstration.url);
  await signIn(page, demonstration.url, demonstration.account);
  cookies = await page.context().cookies();
  await page.context().close();
});
afterAll(() => demonstration?.close());

/** Page of the view's user. */
async function pageFor({ width, dark, language, signedIn }: View): Promise<Page> {
  const kind = [width, dark, language, signedIn].join();
  const known = pages.get(kind);
  if (known !== undefined) return known;
  const page = await openPage(demonstration.browser, demonstration.url, { width, dark, language });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: dark ? 'dark' : 'light' });
  await page.clock.setFixedTime(DEMO_TIME);
  if (signedIn) await page.context().addCookies(cookies);
  pages.set(kind, page);
  return page;
}

async function show(view: View): Promise<Page> {
  const page = await pageFor(view);
  await page.goto(demonstration.url + view.path);
  await page.getByRole('heading').first().waitFor();
  await waitUntilLoaded(page);
  await page.evaluate(() => document.fonts.ready);
  return page;
}

const fileOf = ({ name }: View): string => join(FOLDER, `${name}.webp`);
const read = (path: string): Screenshot => `data:image/webp;base64,${readFileSync(path).toString('base64')}`;
function write(path: string, picture: Screenshot): void {
  writeFileSync(path, Buffer.from(picture.slice(picture.indexOf(',') + 1), 'base64'));
}

/** Returns the difference from an accepted picture in a sentence; empty if there is none. */
async function complaint(view: View, fresh: Screenshot): Promise<string> {
  const { differences, cells } = await pictures.compare(
    read(fileOf(view)),
    fresh,
    eyes[view.language],
    scales[view.width],
  );
  if (differences.length <= CELLS_MAX) return '';
  const path = join(folder, `${view.name}.webp`);
  write(path, fresh);
  const where = differences.slice(0, 5).map(({ x, y }) => `(${x}, ${y})`);
  return `${view.path} differs in ${differences.length} of ${cells} cells, at x, y: ${where.join(' ')}; it looks like ${path} now`;
}

describe('accepted pictures', () => {
  test.each(views.map((view) => [view.name, view] as const))('%s', async (_name, view) => {
    const page = await show(view);
    const fresh = await pictures.take(page, scales[view.width]);
    if (ACCEPT) write(fileOf(view), fresh);
    expect(existsSync(fileOf(view)), `${view.name} has a picture`).toBe(true);
    expect(await complaint(view, fresh)).toBe('');
  });

  test('every picture belongs to a view, and their total size is small', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.webp'));
    expect(files.toSorted()).toEqual(views.map(({ name }) => `${name}.webp`).toSorted());
    const bytes = files.reduce((sum, name) => sum + statSync(join(FOLDER, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
  });
});

describe('the comparison detects', () => {
  const faults: [what: string, of: string, style: string][] = [
    ['a button that is gone', 'tokens', 'main .MuiButton-contained { visibility: hidden }'],
    ['a drawer that is gone', 'log', 'nav { visibility: hidden }'],
    ['a table that is 16 px further down', 'log', 'main table { transform: translateY(16px) }'],
    ['a column that is 24 px further right', 'users', 'td:nth-of-type(3) { padding-left: 36px !important }'],
    ['another colour of the main button', 'login', 'form .MuiButton-contained { background: #1a7f37 }'],
    ['a page that stayed light at night', 'log-dark', 'body { background: #f6f7f9 !important }'],
    ['a page in Chinese without its drawer', 'settings-zh', 'nav { visibility: hidden }'],
    ['a card that is gone on a phone', 'log-phone', 'main li:nth-of-type(2) { visibility: hidden }'],
  ];
  test.each(faults)('%s (%s)', async (_what, name, style) => {
    const view = views.find((one) => one.name === name);
    if (view === undefined) throw new Error(`There is no view ${name}`);
    const page = await show(view);
    // The page's policy forbids a style element.
    await page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, style);
    const said = await complaint(view, await pictures.take(page, scales[view.width]));
    expect(said).toMatch(/differs in \d+ of \d+ cells/);
  });
});
