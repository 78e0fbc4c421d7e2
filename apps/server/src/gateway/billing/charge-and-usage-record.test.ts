/** The cost of a call, from the price list to the receipt, the margin and its verification. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates, tokenRates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { apiKeyId, channelId, usageRecordId } from '@switchyard/contract/ids';
import { dashboard } from '@switchyard/contract/usage/dashboard';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyReceipts } from '../../ledger/ledger.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const POINT = 2 * RATE_OF_USD_PER_MILLION;
/** 1 point for a token of the prompt, 5 for one of the answer. */
const RATES = rates.parse({ input: POINT, output: 5 * POINT });

let scene: RelayScene;
let channel: number;
beforeAll(async () => {
  scene = await startRelayScene();
  channel = await scene.newChannel({});
  await scene.admin.api(prices).create({ body: { model: 'scripted', rates: RATES } });
});
afterAll(() => scene.close());

async function record(key = scene.key) {
  await (await scene.chat('scripted', {}, key)).text();
  await scene.waitUntilSettled();
  const last = (await scene.records()).at(-1);
  if (last === undefined) throw new Error('there is no record');
  const params = { id: usageRecordId.parse(last.id) };
  const plain = last.prompt_tokens + 5 * last.completion_tokens;
  const seen = await scene.user.api(usageRecords).getOwn({ params });
  return { ...last, plain, params, receipt: seen.receipt, seen };
}

async function setCost(cost: { ratio?: number | null; models?: Record<string, typeof RATES> }) {
  const id = channelId.parse(channel);
  await scene.admin
    .api(channels)
    .update({ body: { id, cost: { ratio: cost.ratio ?? null, models: cost.models ?? {} } } });
}

test('a receipt names the version, the ratios and the rounding that made the charge', async () => {
  const { version } = (await scene.admin.api(prices).versions({ params: { model: 'scripted' } }))[0] ?? {};
  const { receipt, quota, plain } = await record();
  expect(quota).toBe(plain);
  expect(receipt).toMatchObject({
    price_model: 'scripted',
    price_version: version,
    tier_above: null,
    group_ratio: 1,
    token_ratio: 1,
    rounding: 'up',
    capped: false,
    total: plain,
  });
});

test('a price change counts for the next call, and leaves the earlier receipt as it was', async () => {
  const before = await record();
  const tiers = [{ above: 1, rates: tokenRates.parse({ input: 3 * POINT, output: 15 * POINT }) }];
  const body = { model: 'scripted', rates: RATES, tiers };
  await scene.admin.api(prices).update({ params: { model: 'scripted' }, body });
  const after = await record();
  expect(after.quota).toBe(3 * after.plain);
  expect(after.receipt?.tier_above).toBe(1);
  expect(after.receipt?.price_version).toBeGreaterThan(before.receipt?.price_version ?? 0);
  expect((await scene.user.api(usageRecords).getOwn({ params: before.params })).receipt).toEqual(before.receipt);
  await scene.admin.api(prices).update({ params: { model: 'scripted' }, body: { model: 'scripted', rates: RATES } });
});

test('a token’s ratio multiplies on top of the group’s, and its owner sees it but cannot set it', async () => {
  const key = await scene.newKey({ name: 'dear', unlimited_quota: true });
  const own = scene.user.api(apiKeys);
  const id = (await own.list()).data.find(({ name }) => name === 'dear')?.id ?? apiKeyId.parse(1);
  await scene.admin.api(apiKeys).setRatio({ params: { id }, body: { ratio: 1.5 } });
  const { quota, plain, receipt } = await record(key);
  expect(quota).toBe(Math.ceil(plain * 1.5));
  expect(receipt).toMatchObject({ group_ratio: 1, token_ratio: 1.5 });

  expect((await own.get({ params: { id } })).ratio).toBe(1.5);
  const refused = own.setRatio({ params: { id }, body: { ratio: 0 } });
  await expect(refused).rejects.toMatchObject({ code: 'not-allowed' });
  const sent = await scene.user.fetch('/api/token/', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, ratio: 0, ratio_micros: 0 }),
  });
  expect((await own.get({ params: { id } })).ratio, `after ${sent.status}`).toBe(1.5);
  expect(await scene.admin.api(apiKeys).listOf({ params: { id: scene.user.id } })).toContainEqual(
    expect.objectContaining({ id, ratio: 1.5 }),
  );
});

test('an administrator cannot change what another administrator is charged', async () => {
  const [one, other] = [await scene.createUser('admin'), await scene.createUser('admin')];
  await scene.newKey({ name: 'theirs' }, other);
  const id = (await other.api(apiKeys).list()).data[0]?.id ?? apiKeyId.parse(1);
  const refused = one.api(apiKeys).setRatio({ params: { id }, body: { ratio: 2 } });
  await expect(refused).rejects.toMatchObject({ code: 'not-allowed' });
});

test('shows the cost of a channel beside the charge to administrators only', async () => {
  const margin = async () => (await scene.admin.api(dashboard).everyone({ query: { days: 1 } })).current.margin;
  expect((await record()).cost).toBeNull();
  expect(await margin()).toEqual({ charged: 0, cost: 0 });

  await setCost({ ratio: 0.25 });
  const shared = await record();
  expect(shared.cost).toBe(Math.ceil(shared.plain / 4));
  await setCost({ ratio: 0.25, models: { scripted: rates.parse({ input: 2 * POINT, output: 10 * POINT }) } });
  const bought = await record();
  expect(bought.cost).toBe(2 * bought.plain);

  const { params } = bought;
  expect((await scene.admin.api(usageRecords).get({ params })).cost).toBe(bought.cost);
  expect(bought.seen.cost).toBeNull();
  expect(await margin()).toEqual({
    charged: shared.quota + bought.quota,
    cost: (shared.cost ?? 0) + (bought.cost ?? 0),
  });
  expect((await scene.user.api(dashboard).own({ query: { days: 1 } })).current.margin).toBeNull();
});

test('recomputes each charge from its stored receipt, and names receipts that were changed manually', async () => {
  const { id, request_id, quota } = await record();
  const report = await verifyReceipts(scene.ctx.db.writer);
  expect(report).toMatchObject({ problems: [] });
  expect(report.receipts).toBeGreaterThan(5);
  const { detail } = await scene.ctx.db.writer
    .selectFrom('usage_record')
    .select('detail')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const write = (text: string) =>
    scene.ctx.db.writer.updateTable('usage_record').set({ detail: text }).where('id', '=', id).execute();
  await write(detail.replace(/"quantity":\d+/, '"quantity":0'));
  const { problems } = await verifyReceipts(scene.ctx.db.writer);
  expect(problems).toEqual([expect.stringContaining(`receipt of request ${request_id}: charged ${quota}`)]);
  await write(detail);
});
