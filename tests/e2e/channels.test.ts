/** Operators manage many channels in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { openPage, signIn, waitUntilLoaded } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

const OPENAI = 1;
const SOON = { timeout: 60_000, interval: 50 };
let stage: E2eStage;

beforeAll(async () => {
  stage = await startStage();
  const api = stage.root.api(channels);
  for (const [name, priority] of [
    ['alpha', 9],
    ['beta', 4],
    ['gamma', 4],
    ['delta', 3],
  ] as const)
    await api.create({ body: createChannel.parse({ name, priority, type: OPENAI, models: ['gpt-5'], key: 'sk-e2e' }) });
});
afterAll(() => stage?.close());

async function openScreen(path: string, options: Parameters<typeof openPage>[2] = {}) {
  const page = await openPage(stage.browser, stage.url, options);
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}${path}`);
  return page;
}

const handleOf = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`Move .*${name}.* to another priority`) });

async function priorities(): Promise<Record<string, number>> {
  const { data } = await stage.root.api(channels).list({ query: { order: 'id' } });
  return Object.fromEntries(data.map(({ name, priority }) => [name, priority]));
}

/** Returns the middle of a handle and the top of its row, measured at the same moment, because the list re-renders. */
function at(page: Page, name: string): Promise<{ x: number; middle: number; top: number }> {
  return vi.waitFor(async () => {
    const [handle, row] = await handleOf(page, name).evaluate((element) =>
      [element, element.closest('tr, [role="row"]')].map((measured) => {
        const { x = 0, y = 0, width = 0, height = 0 } = measured?.getBoundingClientRect() ?? {};
        return { x: x + width / 2, middle: y + height / 2, top: y, height };
      }),
    );
    if (!handle?.height || !row?.height) throw new Error(`${name} is not on the screen`);
    return { x: handle.x, middle: handle.middle, top: row.top };
  }, SOON);
}

test('a row is dragged to another priority and between two, and the change is undone', async () => {
  const page = await openScreen('/panel/channel');
  await waitUntilLoaded(page);
  const from = await at(page, 'delta');
  const among = await at(page, 'alpha');
  await page.mouse.move(from.x, from.middle);
  await page.mouse.down();
  await page.mouse.move(from.x, among.middle, { steps: 8 });
  await page.getByText('Priority 9', { exact: true }).first().waitFor();
  await page.mouse.up();
  await page.getByText(/delta.* has priority 9\./).waitFor();
  expect(await priorities()).toMatchObject({ alpha: 9, delta: 9 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(priorities).toMatchObject({ alpha: 9, delta: 3 });
  // The rows update after the server has the change.
  const isLast = async () => (await at(page, 'delta')).top > (await at(page, 'gamma')).top;
  await expect.poll(isLast).toBe(true);
  await waitUntilLoaded(page);

  const [again, gap] = [await at(page, 'delta'), await at(page, 'gamma')];
  await page.mouse.move(again.x, again.middle);
  await page.mouse.down();
  await page.mouse.move(again.x, gap.top + 3, { steps: 8 });
  await page.getByText('Between 9 and 4').first().waitFor();
  await page.mouse.up();
  await page.getByText(/delta.* has priority 6\./).waitFor();
  expect(await priorities()).toMatchObject({ alpha: 9, delta: 6, beta: 4, gamma: 4 });
  expect(page.complaints.list).toEqual([]);
});

test('a finger drags a row, and Escape cancels the drag', async () => {
  const page = await openScreen('/panel/channel');
  await waitUntilLoaded(page);
  const [from, to] = [await at(page, 'beta'), await at(page, 'alpha')];
  const before = await priorities();
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: from.x, y }] });
  await touch('touchStart', from.middle);
  await touch('touchMove', to.middle);
  await page.getByText('Priority 9', { exact: true }).first().waitFor();
  await page.keyboard.press('Escape');
  await touch('touchEnd');
  expect(await priorities()).toEqual(before);
  await touch('touchStart', from.middle);
  await touch('touchMove', to.middle);
  await touch('touchEnd');
  await page.getByText(/beta.* has priority 9\./).waitFor();
  expect(await priorities()).toEqual({ ...before, beta: 9 });
});

test('a channel is edited as JSON: mistakes are named, changes are shown, and the form has them too', async () => {
  const { data } = await stage.root.api(channels).list({ query: { name: 'gamma' } });
  const page = await openScreen(`/panel/channel/${data[0]?.id}`);
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Channel as JSON' });
  expect(await editor.innerText()).toContain('"key": ""');
  const form = createChannel.parse(data[0]);
  const type = async (typed: string) => {
    await editor.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(typed);
  };
  const save = page.getByRole('button', { name: 'Save' });

  await type('{\n  "name": "gamma"\n  "type": 1\n}');
  await page.getByText('Line 3: not valid JSON').waitFor();
  expect(await save.isDisabled()).toBe(true);
  await type(JSON.stringify({ ...form, wieght: 7 }));
  await page.getByText('Unknown field').waitFor();
  await page.getByText('wieght', { exact: true }).waitFor();

  await type(JSON.stringify({ ...form, weight: 7, models: ['gpt-5', 'o4-mini'] }));
  const changes = page.getByRole('region', { name: 'Changes' });
  await changes.getByText('+ 7').waitFor();
  expect(await changes.innerText()).toContain('+   "o4-mini"');
  await page.getByRole('button', { name: 'Edit as a form' }).click();
  await page.getByText('o4-mini').first().waitFor();
  await save.click();
  await page.getByText('Saved').first().waitFor();
  const saved = await stage.root.api(channels).list({ query: { name: 'gamma' } });
  expect(saved.data[0]).toMatchObject({ weight: 7, models: ['gpt-5', 'o4-mini'], key_count: 1 });
  expect(page.complaints.list).toEqual([]);
});
