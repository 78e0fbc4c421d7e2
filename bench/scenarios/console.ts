/** The console in a browser, on a database of a million records: page loads, and interactions with a hundred rows. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { signIn as cookieOf, createVisitor } from '../../apps/server/src/testing/visitor.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { openPage, signIn, startBrowser } from '../../tests/e2e/browser.ts';
import { observeEventTiming, openTable, tableScreens, timeInteraction } from '../../tests/e2e/measure-interactions.ts';
import { observePageLoad, type PageMetrics } from '../../tests/e2e/page-metrics.ts';
import { createProductFolder, type ProductFolder, startProduct } from '../../tests/faults/start-product.ts';
import type { Row } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { fillLog } from './log-rows-fill.ts';

const RECORDS = 1_000_000;
const CHANNELS = 120;
const ROUNDS = 3;
/** The first presses of a kind run code that is not compiled yet. */
const PRESS_ROUNDS = 7;
/** The last request has a response, and its content is rendered. */
const DRAWN_AFTER_MS = 500;
const SHIFT_MAX = 0.1;
const FIRST_ROW_MAX_MS = 1_000;
const PRESS_MAX_MS = 100;

/** "Fast 4G" of Chrome's developer tools. */
const FAST_4G = { latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 };
interface Condition {
  name: string;
  slowdown: number;
  network: typeof FAST_4G | undefined;
}
const conditions: readonly Condition[] = [
  { name: 'this machine', slowdown: 1, network: undefined },
  { name: '4 × slower, Fast 4G', slowdown: 4, network: FAST_4G },
];

const screens = {
  home: '/',
  'sign-in': '/login',
  dashboard: '/panel/dashboard',
  log: '/panel/log',
  channels: '/panel/channel',
};

interface Scene {
  browser: Browser;
  url: string;
  cookies: Parameters<ReturnType<Page['context']>['addCookies']>[0];
}

export async function measureConsole(folder: string): Promise<Row[]> {
  const productFolder = createProductFolder(join(folder, 'console'));
  await (await startProduct(productFolder)).stop('SIGTERM');
  await fillLog(productFolder, RECORDS);
  const product = await startProduct(productFolder);
  await addChannels(product.url, productFolder);
  const browser = await startBrowser();
  const first = await openPage(browser, product.url);
  await signIn(first, product.url, productFolder.root);
  const scene = { browser, url: product.url, cookies: await first.context().cookies() };
  const rows: Row[] = [];
  for (const condition of conditions) {
    for (const [name, path] of Object.entries(screens)) rows.push(await arrival(scene, condition, name, path));
    rows.push(await withinConsole(scene, condition), await answers(scene, condition));
  }
  await browser.close();
  await product.stop('SIGTERM');
  return rows;
}

async function addChannels(url: string, { root }: ProductFolder): Promise<void> {
  const caller = createVisitor(url, await cookieOf(url, root.username, root.password));
  const key = Array.from({ length: CHANNELS }, (_, index) => `sk-${index}`).join('\n');
  const models = Array.from({ length: 12 }, (_, index) => `model-${index}`);
  await caller.api(channels).create({ body: createChannel.parse({ name: 'one of many', type: 1, models, key }) });
}

/** Opens a page with an empty cache. */
async function newPage({ browser, url, cookies }: Scene, { slowdown, network }: Condition): Promise<Page> {
  const page = await openPage(browser, url);
  await page.context().addCookies(cookies);
  page.setDefaultTimeout(60_000);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  if (network !== undefined) {
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', { offline: false, ...network });
  }
  return page;
}

async function arrival(scene: Scene, condition: Condition, name: string, path: string): Promise<Row> {
  const seen: PageMetrics[] = [];
  const signedOut = !path.startsWith('/panel');
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await newPage(signedOut ? { ...scene, cookies: [] } : scene, condition);
    const read = await observePageLoad(page);
    await page.goto(scene.url + path);
    await page.getByRole('heading').first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(DRAWN_AFTER_MS);
    seen.push(await read());
    await page.context().close();
  }
  const of = (figure: keyof PageMetrics): number => median(seen.map((figures) => figures[figure]));
  const ms = (figure: keyof PageMetrics): string => `${of(figure).toFixed(0)} ms`;
  const shift = of('shift');
  // The figure of a slowed-down browser is information only; the first row has a target on a usual one.
  const rowsInTime = name !== 'log' || condition.slowdown > 1 || of('firstRow') <= FIRST_ROW_MAX_MS;
  return {
    what: `console, ${name}, ${condition.name}`,
    wanted: `${name === 'log' && condition.slowdown === 1 ? 'first row ≤ 1 s, ' : ''}shift ≤ ${SHIFT_MAX}`,
    measured: [
      `first content ${ms('firstContent')}`,
      `largest ${ms('largestContent')}`,
      ...(Number.isNaN(of('firstRow')) ? [] : [`first row ${ms('firstRow')}`]),
      `blocked ${ms('blocked')}`,
      `shift ${shift.toFixed(3)}`,
      `${(of('script') / 1000).toFixed(0)} kB of script`,
    ].join(', '),
    verdict: shift <= SHIFT_MAX && rowsInTime ? 'met' : 'missed',
  };
}

/** From a press on the log's name in the drawer, on a screen without a table, to the log's first row. */
async function withinConsole(scene: Scene, condition: Condition): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await newPage(scene, condition);
    await page.goto(`${scene.url}/panel/profile`);
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(DRAWN_AFTER_MS);
    times.push(
      await page.evaluate(
        (path) =>
          new Promise<number>((resolve) => {
            const begun = performance.now();
            const look = (): void => {
              const there = document.querySelector('tbody tr[tabindex] td') !== null;
              requestAnimationFrame(there ? () => setTimeout(() => resolve(performance.now() - begun)) : look);
            };
            document.querySelector<HTMLElement>(`nav a[href="${path}"]`)?.click();
            look();
          }),
        screens.log,
      ),
    );
    await page.context().close();
  }
  const ms = median(times);
  return {
    what: `console, from the profile to the log, ${condition.name}`,
    wanted: condition.slowdown > 1 ? '' : `first row ≤ ${FIRST_ROW_MAX_MS / 1000} s`,
    measured: `first row ${ms.toFixed(0)} ms`,
    verdict: condition.slowdown > 1 ? 'for information' : ms <= FIRST_ROW_MAX_MS ? 'met' : 'missed',
  };
}

async function answers(scene: Scene, condition: Condition): Promise<Row> {
  const page = await newPage(scene, { ...condition, network: undefined });
  await observeEventTiming(page);
  const times: { what: string; ms: number }[] = [];
  for (const [name, screen] of Object.entries(tableScreens)) {
    await openTable(page, scene.url, screen);
    for (const interaction of screen.interactions) {
      const rounds: number[] = [];
      for (let round = 0; round < PRESS_ROUNDS; round += 1) rounds.push(await timeInteraction(page, interaction));
      const ms = median(rounds);
      console.log(`  ${condition.name}, ${name}, ${interaction.name}: ${ms} ms`);
      times.push({ what: `${name}: ${interaction.name}`, ms });
    }
  }
  await page.context().close();
  const worst = times.toSorted((a, b) => b.ms - a.ms)[0];
  const p75 = quantile(
    times.map(({ ms }) => ms),
    0.75,
  );
  return {
    what: `console, a press on a table of 100 rows, ${condition.name}`,
    wanted: condition.slowdown > 1 ? '' : `≤ ${PRESS_MAX_MS} ms to the next picture`,
    measured: `p75 ${p75} ms, worst ${worst?.ms} ms (${worst?.what})`,
    verdict: condition.slowdown > 1 ? 'for information' : (worst?.ms ?? 0) <= PRESS_MAX_MS ? 'met' : 'missed',
  };
}
