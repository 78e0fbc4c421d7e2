/** The limit of open tasks on two nodes of one database. */

import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startVideoVendor, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { setOptions } from '../testing/set-options.ts';
import type { Reply } from '../testing/simulated-vendor.ts';
import { type Nodes, startNodes } from '../testing/start-nodes.ts';

const MOST = 3;
const OPENAI = 1;
/** A node knows within a second what another one changed. */
const KNOWN_MS = 15_000;

let nodes: Nodes | undefined;
let vendor: VideoVendor;
let urls: readonly string[] = [];
let key: string;

beforeAll(async () => {
  vendor = await startVideoVendor();
  nodes = await startNodes();
  if (nodes === undefined) return;
  const { first, second } = nodes;
  urls = [first.url, second.url];
  await first.newChannel({ type: OPENAI, models: ['film'], base_url: vendor.url });
  const rate = rates.parse({ input: 0, output: 0, second: 1_000_000_000 });
  await first.admin.api(prices).create({ body: { model: 'film', rates: rate } });
  await setOptions(first.ctx, { OpenTasksPerUser: String(MOST) });
  await vi.waitFor(() => expect(second.ctx.settings.openTasksPerUser).toBe(MOST), KNOWN_MS);
  // Until the second node knows the channel and its price.
  await vi.waitFor(async () => expect((await submit(second.url, first.key)).status).toBe(200), KNOWN_MS);
});
beforeEach(async (context) => {
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const user = await nodes.first.createUser('user', { quota: 1_000_000 });
  key = await nodes.first.newKey({ unlimited_quota: true }, user);
  const headers = { authorization: `Bearer ${key}` };
  await expect.poll(async () => (await fetch(`${urls[1]}/v1/models`, { headers })).status).toBe(200);
  vendor.submissions.length = 0;
});
afterEach(() => vendor.resetReplies());
afterAll(async () => {
  await nodes?.close();
  await vendor.close();
});

const submit = (url: string | undefined, as = key) =>
  fetch(`${url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'film', prompt: 'a cat' }),
  });
/** Submits on both nodes in turn. @returns the statuses, ascending */
async function submitAtOnce(count: number): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, (_, nth) => submit(urls[nth % 2])));
  return responses.map(({ status }) => status).toSorted((a, b) => a - b);
}
const leases = () =>
  nodes?.first.ctx.db.writer.selectFrom('lease').select('name').where('name', 'like', 'task-submission:%').execute();

test('takes no more of the submissions that both nodes get at the same instant than may be open', async () => {
  expect(await submitAtOnce(20)).toEqual([...Array<number>(MOST).fill(200), ...Array<number>(20 - MOST).fill(429)]);
  expect(vendor.submissions).toHaveLength(MOST);
  expect([(await submit(urls[0])).status, (await submit(urls[1])).status]).toEqual([429, 429]);
  await expect.poll(leases).toEqual([]);
});

test('counts the submissions in progress on the other node until that node has died', async () => {
  const { promise: silence, resolve: answer } = Promise.withResolvers<Reply>();
  vendor.overrideReply('POST /v1/videos', () => silence);
  const requestCount = vendor.asked.length;
  const onTheirWay = Array.from({ length: MOST }, () => submit(urls[0]));
  await expect.poll(() => vendor.asked.length).toBe(requestCount + MOST);
  expect((await submit(urls[1])).status).toBe(429);
  // As after a node of which nothing was heard.
  await nodes?.first.ctx.db.writer
    .updateTable('lease')
    .set({ held_until: 0 })
    .where('name', 'like', 'task-submission:%')
    .execute();
  vendor.resetReplies();
  expect((await submit(urls[1])).status).toBe(200);
  answer({ status: 400, json: { error: { message: 'no' } } });
  expect((await Promise.all(onTheirWay)).map(({ status }) => status)).toEqual([400, 400, 400]);
});

test('frees the slot of a submission that came to nothing, on both nodes', async () => {
  vendor.overrideReply('POST /v1/videos', () => ({ status: 400, json: { error: { message: 'no' } } }));
  expect(await submitAtOnce(2)).toEqual([400, 400]);
  vendor.resetReplies();
  await expect.poll(leases).toEqual([]);
  expect(await submitAtOnce(MOST)).toEqual([200, 200, 200]);
});
