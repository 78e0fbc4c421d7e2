/**
 * P4 across `kill -9`: at whichever moment the process is killed, a payment is credited once, and a refund takes the
 * points and sends the money once. The provider repeats a webhook event until it is acknowledged, as the real ones do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import type { ScriptedProvider } from '../../apps/server/src/testing/scripted-payment-providers/scripted-provider.ts';
import { startScriptedProvider } from '../../apps/server/src/testing/scripted-payment-providers/start-scripted-provider.ts';
import { createVisitor, signIn, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { orders } from '../../packages/contract/src/billing/orders.ts';
import { paymentProviders } from '../../packages/contract/src/billing/payment-providers.ts';
import type { OrderId } from '../../packages/contract/src/ids.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { systemInfo } from '../../packages/contract/src/operations/system-info.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { createProductFolder, type ProductFolder, type ProductProcess, startProduct } from './start-product.ts';

const KILLS = pick(2, 8, 300);
/** Kills are added while none hits between two webhook events. */
const KILLS_MAX = Math.max(KILLS, 12);
const ORDERS_PER_ROUND = 6;
/** From before the first refund begins until the last response. */
const KILL_WITHIN_MS = 60;
const POINTS_PER_USD = 500_000;

let vendor: ScriptedProvider;
let folder: ProductFolder;
let product: ProductProcess;
let rootIdentity: Visitor['identity'];

beforeAll(async () => {
  vendor = await startScriptedProvider('epay');
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-paid-')));
  product = await startProduct(folder);
  rootIdentity = await signIn(product.url, folder.root.username, folder.root.password);
  await confirm();
  await root()
    .api(settings)
    .update({ body: { key: 'ServerAddress', value: product.url } });
  await root()
    .api(paymentProviders)
    .create({ body: { type: 'epay', name: 'Epay', currency: 'CNY', config: vendor.config } });
});

afterAll(async () => {
  await product.stop('SIGKILL');
  await vendor.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

const root = (): Visitor => createVisitor(product.url, rootIdentity);
const confirm = () =>
  root()
    .api(profile)
    .stepUp({ body: { password: folder.root.password } });

/** Root orders from the own shop, because root may also refund. */
async function orderAndPay(): Promise<string> {
  const api = root().api(orders);
  const [offer] = await api.offers();
  const created = await api.create({ body: { uuid: offer?.uuid ?? '', amount: 2 } });
  await fetch(created.data.url, { method: 'POST', body: new URLSearchParams(created.data.params) });
  vendor.pay(created.trade_no);
  return created.trade_no;
}

/** @returns whether the event was acknowledged */
async function tell(tradeNo: string): Promise<boolean> {
  const [webhook] = vendor.buildWebhooks(tradeNo);
  const { pathname, search } = new URL(webhook?.url ?? '');
  try {
    const answer = await fetch(product.url + pathname + search);
    return (await answer.text()) === 'success';
  } catch {
    return false;
  }
}

async function orderIds(tradeNos: readonly string[]): Promise<OrderId[]> {
  const found = await Promise.all(tradeNos.map((trade_no) => root().api(orders).list({ query: { trade_no } })));
  return found.flatMap(({ data }) => data.map(({ id }) => id));
}

async function killAndStartAgain(): Promise<void> {
  await product.stop('SIGKILL');
  product = await startProduct(folder);
}

const balance = async (): Promise<number> => (await root().api(profile).get()).quota;

test(`${KILLS} kills during webhook events of payments: each payment is credited once`, async () => {
  const before = await balance();
  let [told, heard] = [0, 0];
  // The kills must have hit their target: some events were acknowledged before, others were not.
  const isHit = (): boolean => heard > 0 && heard < told * 2;
  let round = 0;
  for (; round < KILLS || (!isHit() && round < KILLS_MAX); round += 1) {
    const paid: string[] = [];
    for (let count = 0; count < ORDERS_PER_ROUND; count += 1) paid.push(await orderAndPay());
    let answers = 0;
    const telling = Promise.all(
      paid
        .flatMap((tradeNo) => [tell(tradeNo), tell(tradeNo)])
        .map(async (answer) => {
          const isHeard = await answer;
          answers += 1;
          return isHeard;
        }),
    );
    // From before the first response until before the last ones; each round kills at another moment.
    const enough = Math.floor(momentOf(round) * 2 * ORDERS_PER_ROUND);
    await expect.poll(() => answers, { interval: 1 }).toBeGreaterThanOrEqual(enough);
    await killAndStartAgain();
    heard += (await telling).filter(Boolean).length;
    told += paid.length;
    for (const tradeNo of paid) expect(await tell(tradeNo)).toBe(true);
    expect(await balance()).toBe(before + told * 2 * POINTS_PER_USD);
  }
  expect({ heard, told, isHit: isHit() }).toEqual({ heard, told, isHit: true });
  reportMeasurement('P4', `${round} × kill -9 while ${told} payments were told twice each: ${told} credited once`);
});

test(`${KILLS} kills during refunds: each refund is made once`, async () => {
  const refunded: string[] = [];
  const before = await balance();
  for (let round = 0; round < KILLS; round += 1) {
    const tradeNos = [await orderAndPay(), await orderAndPay()];
    for (const tradeNo of tradeNos) expect(await tell(tradeNo)).toBe(true);
    const ids = await orderIds(tradeNos);
    await confirm();
    const refunding = Promise.allSettled(
      ids.map((id) =>
        root()
          .api(orders)
          .refund({ params: { id }, body: { reason: 'As agreed' } }),
      ),
    );
    // Each round kills at another moment.
    await sleep(systemTimers, momentOf(round) * KILL_WITHIN_MS);
    await killAndStartAgain();
    await refunding;
    refunded.push(...tradeNos);
  }
  await confirm();
  const ids = await orderIds(refunded);
  for (const id of ids) await refundAgain(id);
  await askAboutRefunds();
  for (const id of ids) expect((await root().api(orders).get({ params: { id } })).status).toBe('refunded');
  expect(await balance()).toBe(before);
  for (const tradeNo of refunded) expect(vendor.orders.get(tradeNo)?.refunds).toHaveLength(1);
  reportMeasurement('P4', `${KILLS} × kill -9 during ${refunded.length} refunds: points taken once, money sent once`);
});

/** Repeats a refund that had not begun before the kill. */
async function refundAgain(id: OrderId): Promise<void> {
  const api = root().api(orders);
  const { refunded_quota } = await api.get({ params: { id } });
  if (refunded_quota === 0) await api.refund({ params: { id }, body: { reason: 'As agreed' } });
}

/** Runs the job that completes refunds which had begun before a kill, without its delay of 30 s. */
async function askAboutRefunds(): Promise<void> {
  const db = await openProductDatabase(folder.dataDir);
  const pending = () => db.writer.selectFrom('order_refund').select('id').where('state', '=', 'pending');
  await db.writer.updateTable('order_refund').set({ next_ask_time: 0 }).where('state', '=', 'pending').execute();
  await expect
    .poll(
      async () => {
        await root()
          .api(systemInfo)
          .runJob({ params: { name: 'ask-about-refunds' } });
        return pending().execute();
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
  await db.close();
}

test('the ledger verifies after all tests', async () => {
  await product.stop('SIGTERM');
  const db = await openProductDatabase(folder.dataDir);
  expect((await verifyLedger(db.writer)).problems).toEqual([]);
  const credits = await db.writer.selectFrom('ledger_entry').select('ref').where('kind', '=', 'top-up').execute();
  const paid = await db.writer
    .selectFrom('payment_order')
    .select('trade_no')
    .where('paid_time', 'is not', null)
    .execute();
  expect(credits.map(({ ref }) => ref).toSorted()).toEqual(paid.map(({ trade_no }) => `order:${trade_no}`).toSorted());
  await db.close();
});
