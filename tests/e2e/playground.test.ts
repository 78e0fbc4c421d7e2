/** The playground in a real browser: models side by side, tools, saved conversations, images and speech. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKeys } from '../../packages/contract/src/accounts/api-keys.ts';
import { channels } from '../../packages/contract/src/channels/channels.ts';
import { playground, playgroundPaths } from '../../packages/contract/src/playground/playground.ts';
import { SAMPLE_IMAGE } from '../scripted-upstream/other-answers.ts';
import { openPage, signIn } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';

const CALLER = 'caller+calls-tool';
const PAINTER = 'dall-e-3';
const SPEAKER = 'tts-1';
const WRITER = 'whisper-1';

let stage: E2eStage;

beforeAll(async () => {
  stage = await startStage();
  const [channel] = (await stage.root.api(channels).list()).data;
  if (channel === undefined) throw new Error('there is no channel');
  const models = ['scripted-model', 'other-model', CALLER, PAINTER, SPEAKER, WRITER, 'cut+cut-after-3'];
  await stage.root.api(channels).update({ body: { id: channel.id, models } });
});
afterAll(() => stage?.close());

async function openPlayground(search: string, options: { width?: number } = {}) {
  const page = await openPage(stage.browser, stage.url, options);
  await signIn(page, stage.url, stage.account);
  await page.goto(`${stage.url}/panel/playground${search}`);
  return page;
}

const question = (page: Page) => page.getByRole('textbox', { name: 'Question' }).last();
async function ask(page: Page, text: string): Promise<void> {
  await question(page).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}
const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'More' }).first().click();
  await page.getByRole('menuitem', { name }).click();
}

test('two models respond to one prompt; the conversation is saved, reopened, renamed and deleted', async () => {
  const page = await openPlayground('?model=scripted-model');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: 'Model 2' }).fill('other-model');
  await page.keyboard.press('Enter');
  await ask(page, 'What is the capital of France?');
  for (const model of ['scripted-model', 'other-model'])
    await page.getByRole('article', { name: model }).getByText('token0').waitFor();
  await page.getByRole('note', { name: 'Comparison' }).getByText('Cheapest').waitFor();
  await saved(page);
  expect(page.url()).toMatch(/conversation=\d+/);

  await page.reload();
  await page.getByText('What is the capital of France?').first().waitFor();
  expect(await page.getByRole('article').count()).toBe(2);

  await page.getByRole('button', { name: 'Conversations' }).click();
  await choose(page, 'Rename');
  await page.getByLabel('Title', { exact: true }).fill('Capitals');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Capitals' }).waitFor();
  await choose(page, 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No conversations yet.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Ask something.').waitFor();
  expect(page.complaints.list).toEqual([]);
});

test('a tool is defined and called, its result is entered, and the model continues', async () => {
  const page = await openPlayground(`?model=${encodeURIComponent(CALLER)}`);
  await page.getByRole('button', { name: 'Tools' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tools' });
  await dialog.getByRole('textbox', { name: 'Tools' }).fill('[{"name": "a b"}]');
  await dialog.getByText('Not a list of tools. Check: 0.name').waitFor();
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox', { name: 'Tools' }).fill('');
  await dialog.getByRole('button', { name: 'Add get_weather' }).click();
  await dialog.getByText('1 tool', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await ask(page, 'How is the weather in Bern?');
  await page.getByText('"city": "Bern"').waitFor();
  await page.getByLabel('Result of get_weather').fill('{"celsius": 21}');
  await page.getByRole('button', { name: 'Submit result' }).click();
  await page.getByText('token0').waitFor();
  await saved(page);
  await page.reload();
  await page.getByText('"celsius": 21').waitFor();
  await page.getByText('token0').waitFor();
  expect(page.complaints.list).toEqual([]);
});

test('an image is generated and downloaded', async () => {
  const page = await openPlayground(`?model=${PAINTER}`);
  await page.getByPlaceholder('Describe an image…').waitFor();
  await ask(page, 'A lighthouse');
  const picture = page.getByRole('img', { name: 'Image 1' });
  await picture.waitFor();
  expect(await picture.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download image 1' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('dall-e-3-1.png');
  expect((await readFile(await download.path())).toString('base64')).toBe(SAMPLE_IMAGE);
  await saved(page);
  await page.reload();
  await page.getByText('The file was not saved with the conversation.').waitFor();
  expect(page.complaints.list).toEqual([]);
});

test('speech plays', async () => {
  const page = await openPlayground(`?model=${SPEAKER}`);
  await page.getByLabel('Format').fill('wav');
  await ask(page, 'Good morning');
  const player = page.getByLabel(`Speech by ${SPEAKER}`);
  await player.waitFor();
  const seconds = await player.evaluate(
    (audio: HTMLAudioElement) =>
      new Promise<number>((resolve, reject) => {
        audio.muted = true;
        audio.addEventListener('timeupdate', () => audio.currentTime > 0 && resolve(audio.duration));
        audio.addEventListener('error', () => reject(new Error(audio.error?.message)));
        audio.play().catch(reject);
      }),
  );
  expect(seconds).toBeCloseTo(2, 0);
  expect(page.complaints.list).toEqual([]);
});

test('a recording is transcribed, its transcript is kept, and the file is required again', async () => {
  const page = await openPlayground(`?model=${WRITER}`);
  await page
    .locator('input[aria-label="Choose an audio file"]')
    .setInputFiles({ name: 'call.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF') });
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('article').getByText('token0').waitFor();
  await saved(page);
  await page.reload();
  await page.getByRole('article').getByText('token0').waitFor();
  await page.getByText('call.wav').waitFor();
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('alert').getByText('The recording was not saved. Choose it again.').waitFor();
  expect(page.complaints.list).toEqual([]);
});

test('a document is sent with the question, and stays in the conversation', async () => {
  const page = await openPlayground('?model=scripted-model');
  await page.locator('input[aria-label^="Attach"]').setInputFiles([
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Plan') },
    { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') },
  ]);
  const request = page.waitForRequest((one) => one.url().endsWith(playgroundPaths.text));
  await ask(page, 'Sum up');
  expect((await request).postDataJSON().messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Sum up' },
        { type: 'text', text: 'notes.md\n\n# Plan' },
        { type: 'file', file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjc=' } },
      ],
    },
  ]);
  await page.getByText('token0').waitFor();
  await saved(page);
  await page.reload();
  await page.getByText('plan.pdf').waitFor();
  expect(page.complaints.list).toEqual([]);
});

test('the composer stays visible below an announcement', async () => {
  const page = await openPlayground('?model=scripted-model');
  const bottom = async () => {
    const box = await page.getByRole('button', { name: 'Send' }).boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await question(page).waitFor();
  const before = await bottom();
  expect(before).toBeLessThan(900);
  await page.evaluate(() => {
    const webhook = document.createElement('div');
    webhook.style.height = '90px';
    document.querySelector('main > div')?.prepend(webhook);
  });
  expect(Math.abs((await bottom()) - before)).toBeLessThan(2);
});

test('two tabs that continue one conversation both keep their content', async () => {
  const first = await openPlayground('?model=scripted-model');
  await ask(first, 'Shared');
  await saved(first);
  const second = await first.context().newPage();
  await second.goto(first.url());
  await second.getByText('Shared').first().waitFor();
  await ask(second, 'From the second tab');
  await second.getByText('Saved', { exact: true }).waitFor();
  await second.getByRole('article').nth(1).getByText('token0').waitFor();
  await expect.poll(async () => (await conversation('Shared'))?.version).toBe(2);
  await ask(first, 'From the first tab');
  await first.getByText('Another tab changed this conversation.').waitFor();
  expect(await conversation('Shared (2)')).toMatchObject({ version: 1 });
  expect(await conversation('Shared')).toMatchObject({ version: 2 });
});

async function conversation(title: string) {
  const { data } = await stage.root.api(playground).listConversations({ query: { keyword: title } });
  return data.find((one) => one.title === title);
}

test('an interrupted stream is reported in its own column only', async () => {
  const page = await openPlayground('?model=scripted-model');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: 'Model 2' }).fill('cut+cut-after-3');
  await page.keyboard.press('Enter');
  await ask(page, 'Go on');
  await page.getByRole('article', { name: 'cut+cut-after-3' }).getByRole('alert').waitFor();
  expect(await page.getByRole('article', { name: 'scripted-model' }).getByRole('alert').count()).toBe(0);
});

test('a prompt from a link is put into the composer and not sent; signed out, signing in leads there', async () => {
  const page = await openPage(stage.browser, stage.url);
  await page.goto(`${stage.url}/playground?model=other-model&prompt=Hello%20there`);
  await page.waitForURL('**/login?**');
  await page.getByLabel('Username').first().fill(stage.account.username);
  await page.getByLabel('Password', { exact: true }).fill(stage.account.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/panel/playground?**');
  await question(page).waitFor();
  await expect.poll(() => question(page).inputValue()).toBe('Hello there');
  expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('other-model');
  expect(await page.getByRole('article').count()).toBe(0);
  expect(page.complaints.list).toEqual([]);
});

test('on a phone the list and the settings are drawers, and nothing overflows', async () => {
  const page = await openPlayground('?model=scripted-model', { width: 390 });
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('dialog', { name: 'Settings' }).getByLabel('System prompt').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('dialog', { name: 'Conversations' }).waitFor();
  await page.keyboard.press('Escape');
  await ask(page, 'On a phone');
  await page.getByText('token0').waitFor();
  const tooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(tooWide).toBe(false);
  // No key is created for it, and none reaches the page.
  expect((await stage.root.api(apiKeys).list()).total_count).toBe(1);
  expect(await page.content()).not.toMatch(/sk-sy\w{8}/);
});
