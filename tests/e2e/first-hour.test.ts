/** A new operator's first hour with the real product, in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProductProcess, startProduct } from '../faults/start-product.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { openPage, startBrowser } from './browser.ts';

let browser: Browser;
let product: ProductProcess;
let upstream: ScriptedUpstream;
let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-e2e-'));
  [browser, upstream, product] = await Promise.all([
    startBrowser(),
    startScriptedUpstream(),
    startProduct({ dataDir }),
  ]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), upstream?.close(), product?.stop('SIGTERM')]);
  rmSync(dataDir, { recursive: true, force: true });
});

test('the printed link leads to an account, a channel, a token, a call, and its record', async () => {
  const page = await openPage(browser, product.url);
  await page.goto(product.setUpLink ?? '');

  await page.getByLabel('Username').fill('operator');
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();

  await page.getByRole('heading', { name: 'First channel' }).waitFor();
  await page.getByLabel('Provider').click();
  await page.getByRole('option', { name: 'Custom (OpenAI compatible)' }).click();
  await page.getByLabel('Base URL').fill(upstream.url);
  await page.getByLabel('API key', { exact: true }).fill('sk-upstream');
  await page.getByRole('combobox', { name: 'Models' }).fill('scripted-model');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Create and test' }).click();

  await page.getByRole('heading', { name: 'First token' }).waitFor();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('heading', { name: 'First call' }).waitFor();
  const snippet = await page.locator('pre, code').first().innerText();
  const key = /sk-sy\w+/.exec(snippet)?.[0] ?? '';
  expect(key).not.toBe('');

  const answer = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted-model', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(await answer.text()).toContain('[DONE]');

  await page.goto(`${product.url}/panel/log`);
  await page.getByRole('cell', { name: 'scripted-model' }).first().click();
  await page
    .getByText(answer.headers.get('x-request-id') ?? 'no id')
    .first()
    .waitFor();
  expect(page.complaints.list).toEqual([]);

  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(stored).not.toContain('sk-');
  expect(stored).not.toContain('correct horse');

  const stranger = await openPage(browser, product.url);
  await stranger.goto(product.setUpLink ?? '');
  await stranger.getByText('already set up').waitFor();
});
