import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import disk from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { advanceUntil } from '../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { startScriptedBucket } from '../testing/scripted-bucket.ts';
import { setOptions } from '../testing/set-options.ts';
import { startTestVendor, type TestVendor } from '../testing/simulated-vendor.ts';
import { removeExpiredArtifacts } from './artifacts.ts';

const GEMINI = 25;
const OPENAI = 1;
const PUBLIC = 'https://gateway.example';
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(3_000, 'picture')]);
const DATA_URL = `data:image/png;base64,${PNG.toString('base64')}`;
const address = new RegExp(`^${PUBLIC}/v1/stored/[0-9a-f]{40}$`);
const usage = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 };

interface Picture {
  image_url: { url: string };
}

let scene: RelayScene;
let vendor: TestVendor;
let folder: string;
let leaver: { id: number; key: string };

beforeAll(async () => {
  [vendor, scene] = await Promise.all([
    startTestVendor({
      'POST /v1/chat/completions': () => chatAnswer(DATA_URL),
      'POST /v1/images/generations': () => ({ json: { created: 1, data: [{ b64_json: PNG.toString('base64') }] } }),
      'POST /v1beta/models/gemini-draws:streamGenerateContent': () => geminiStream(),
    }),
    startRelayScene(),
  ]);
  await scene.newChannel({ type: OPENAI, models: ['gpt-draws'], base_url: vendor.url });
  await scene.newChannel({ type: GEMINI, models: ['gemini-draws'], base_url: vendor.url });
  for (const model of ['gpt-draws', 'gemini-draws'])
    await scene.admin
      .api(prices)
      .create({ body: { model, type: 'times', rates: rates.parse({ input: 1, output: 0 }) } });
  const { id, ...signedIn } = await scene.createUser('user', { quota: 1_000_000 });
  leaver = { id, key: await scene.newKey({ unlimited_quota: true }, { id, ...signedIn }) };
  folder = join(scene.ctx.config.dataDir, 'works');
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});
beforeEach(() =>
  setOptions(scene.ctx, {
    ResultStorage: 'folder',
    ResultDays: '0',
    ResultMaxMegabytes: '1',
    ServerAddress: PUBLIC,
    ChatImagesStored: 'true',
  }),
);
afterEach(async () => {
  vendor.resetReplies();
  await scene.ctx.db.writer.deleteFrom('stored_work').execute();
  rmSync(folder, { recursive: true, force: true });
});

function chatAnswer(url: string) {
  const images = [{ type: 'image_url', image_url: { url } }];
  const message = { role: 'assistant', content: 'Here it is.', images };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  return { json: { id: 'c1', object: 'chat.completion', created: 1, model: 'gpt-draws', choices, usage } };
}

function geminiStream() {
  const parts = (part: object, more: object = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...more }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
  });
  const events = [
    parts({ text: 'Here ' }),
    parts({ inlineData: { mimeType: 'image/png', data: PNG.toString('base64') } }),
    parts({ text: 'it is.' }, { finishReason: 'STOP' }),
  ];
  return {
    headers: { 'content-type': 'text/event-stream' },
    text: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  };
}

async function draw(): Promise<string> {
  const answer = await scene.chat('gpt-draws');
  expect(answer.status).toBe(200);
  const { choices } = (await answer.json()) as { choices: { message: { images: Picture[] } }[] };
  return choices[0]?.message.images[0]?.image_url.url ?? '';
}
const get = (url: string) => fetch(scene.url + url.replace(PUBLIC, ''));
const files = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const rows = () => scene.ctx.db.writer.selectFrom('stored_work').selectAll().execute();

describe('an image in a response', () => {
  test('returns the address of an image in a response, which serves it at once without authentication', async () => {
    const url = await draw();
    expect(url).toMatch(address);
    const answer = await get(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(PNG);
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)).toMatchObject({ prompt_tokens: 5, completion_tokens: 9 });
  });

  test('returns the image of another dialect by its address within a stream', async () => {
    const answer = await scene.chat('gemini-draws', { stream: true });
    const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
    const deltas = events.map(
      (event) =>
        (JSON.parse(event.slice(6)) as { choices: { delta: { content?: string; images?: Picture[] } }[] }).choices[0]
          ?.delta,
    );
    const [picture, ...more] = deltas.flatMap((delta) => delta?.images ?? []);
    expect(more).toEqual([]);
    expect(picture?.image_url.url).toMatch(address);
    expect(Buffer.from(await (await get(picture?.image_url.url ?? '')).arrayBuffer())).toEqual(PNG);
    expect(deltas.map((delta) => delta?.content ?? '').join('')).toBe('Here it is.');
  });

  /** Makes the disk slow for images that are stored while the work runs. @returns what makes it take them */
  async function withSlowDisk(work: () => Promise<void>): Promise<() => void> {
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const { open } = disk;
    const slow = vi.spyOn(disk, 'open').mockImplementation(async (...how) => {
      await taken;
      return open(...how);
    });
    syncBuiltinESMExports();
    await work()
      // The response does not wait for the disk.
      .then(() => expect.poll(() => slow.mock.calls.length).toBeGreaterThan(0))
      .finally(() => {
        slow.mockRestore();
        syncBuiltinESMExports();
      });
    return take;
  }

  test('serves an image from memory until a slow disk has it', async () => {
    let url = '';
    const take = await withSlowDisk(async () => {
      url = await draw();
    });
    const comes = async () => Buffer.from(await (await get(url)).arrayBuffer()).equals(PNG);
    expect(await comes()).toBe(true);
    expect([files(), await rows()]).toEqual([[], []]);
    take();
    await expect.poll(() => rows()).toHaveLength(1);
    expect(files()).toHaveLength(1);
    expect(await comes()).toBe(true);
  });

  test('leaves images in their responses while 64 MB of them wait for a slow disk', async () => {
    await setOptions(scene.ctx, { ResultMaxMegabytes: '40' });
    const large = Buffer.concat([PNG, Buffer.alloc(33 * 1_048_576)]);
    vendor.overrideReply('POST /v1/chat/completions', () =>
      chatAnswer(`data:image/png;base64,${large.toString('base64')}`),
    );
    const urls: string[] = [];
    const take = await withSlowDisk(async () => {
      urls.push(await draw(), await draw());
    });
    expect(urls).toEqual([expect.stringMatching(address), expect.stringMatching(/^data:image/)]);
    take();
    await expect.poll(() => rows()).toHaveLength(1);
    expect(await draw()).toMatch(address);
    await expect.poll(() => rows()).toHaveLength(2);
  });

  test('returns an address for an image requested by URL, and inline data for one requested as such', async () => {
    const picture = async (more: object) => {
      const answer = await scene.post('/v1/images/generations', { model: 'gpt-draws', prompt: 'a cat', ...more });
      return ((await answer.json()) as { data: { url?: string; b64_json?: string }[] }).data[0];
    };
    const linked = await picture({ response_format: 'url' });
    expect(linked).toEqual({ url: expect.stringMatching(address) as string });
    expect(Buffer.from(await (await get(linked?.url ?? '')).arrayBuffer())).toEqual(PNG);
    expect(await picture({})).toEqual({ b64_json: PNG.toString('base64') });
    expect(await picture({ response_format: 'b64_json' })).toEqual({ b64_json: PNG.toString('base64') });
  });
});

describe('a picture stays in the answer', () => {
  test.each([
    ['the operator does not keep them', { ChatImagesStored: 'false' }],
    ['nothing is kept', { ResultStorage: 'proxied' }],
  ])('where %s', async (_what, options) => {
    await setOptions(scene.ctx, options);
    expect(await draw()).toBe(DATA_URL);
    expect(files()).toEqual([]);
  });

  test('when the folder does not take it', async () => {
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, 'no folder');
    expect(await draw()).toBe(DATA_URL);
    expect(await rows()).toEqual([]);
  });

  test.each([
    ['is larger than what is kept', Buffer.concat([PNG, Buffer.alloc(1_100_000)])],
    ['is no picture', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
  ])('when it %s', async (_what, bytes) => {
    const url = `data:image/png;base64,${bytes.toString('base64')}`;
    vendor.overrideReply('POST /v1/chat/completions', () => chatAnswer(url));
    expect(await draw()).toBe(url);
    expect(files()).toEqual([]);
  });

  test('when it is an address already', async () => {
    const url = 'https://pictures.example/1.png';
    vendor.overrideReply('POST /v1/chat/completions', () => chatAnswer(url));
    expect(await draw()).toBe(url);
    expect(files()).toEqual([]);
  });
});

describe('a stored image', () => {
  test('goes after its retention, which its address reports', async () => {
    await setOptions(scene.ctx, { ResultDays: '1' });
    const url = await draw();
    await expect.poll(() => rows()).toHaveLength(1);
    scene.clock.advance(86_400);
    expect((await get(url)).status).toBe(410);
    await removeExpiredArtifacts(scene.ctx);
    expect(files()).toEqual([]);
  });

  test('goes to the bucket, and can be had all the time', async () => {
    const bucket = await startScriptedBucket();
    onTestFinished(() => bucket.close());
    await setOptions(scene.ctx, bucket.options);
    bucket.injectFault = () => ({ status: 503, body: '' });
    const url = await draw();
    const comes = async () => Buffer.from(await (await get(url)).arrayBuffer()).equals(PNG);
    expect(await comes()).toBe(true);
    await vi.waitFor(async () => expect((await rows())[0]?.tries).toBe(1), { timeout: 60_000 });
    expect(await comes()).toBe(true);
    bucket.injectFault = undefined;
    await advanceUntil(
      scene.clock,
      async () => {
        await scene.ctx.changes.publish({ topic: 'works' });
        expect(files()).toEqual([]);
      },
      20,
    );
    expect(bucket.objects.size).toBe(1);
    expect(await comes()).toBe(true);
  });

  test('stays in the folder when the bucket never takes it', async () => {
    const bucket = await startScriptedBucket();
    onTestFinished(() => bucket.close());
    await setOptions(scene.ctx, bucket.options);
    bucket.injectFault = () => ({ status: 503, body: '' });
    const url = await draw();
    await advanceUntil(
      scene.clock,
      async () => {
        await scene.ctx.changes.publish({ topic: 'works' });
        expect((await rows())[0]).toMatchObject({ state: 'kept', store: 'folder' });
      },
      7_200,
    );
    expect(Buffer.from(await (await get(url)).arrayBuffer())).toEqual(PNG);
  });

  test('goes with the account', async () => {
    expect((await scene.chat('gpt-draws', {}, leaver.key)).status).toBe(200);
    await expect.poll(() => rows()).toMatchObject([{ user_id: leaver.id }]);
    await removeExpiredArtifacts(scene.ctx);
    expect(files()).toHaveLength(1);
    await scene.ctx.db.writer.updateTable('user').set({ deleted_time: 1 }).where('id', '=', leaver.id).execute();
    await removeExpiredArtifacts(scene.ctx);
    expect(await rows()).toEqual([]);
    expect(files()).toEqual([]);
  });
});
