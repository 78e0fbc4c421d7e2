/** Imports the payment history: redemption codes and orders, which no longer change balances. */
import { randomUUID } from 'node:crypto';
import { currency as currencySchema } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { buildCodeColumns } from '../../billing/redemption-codes/redemption-codes.ts';
import type { ImportRun } from './import-run-and-map.ts';
import type { SourceCode, SourceOrder } from './source-installation.ts';

const QUOTA_MAX = 1_000_000_000_000_000n;

export async function writeCodes(run: ImportRun, codes: readonly SourceCode[]): Promise<void> {
  const { map, report } = run;
  const fresh: SourceCode[] = [];
  for (const code of codes) {
    report.count('code', 'read');
    const isWorth = code.quota > 0n && code.quota <= QUOTA_MAX;
    const known = map.find('code', code.id);
    if (known !== undefined) {
      report.count('code', 'known');
      if (code.status === 'used') await useUpKnown(run, code, known);
    } else if (!isWorth) report.skip('code', 'its value is not a supported amount', code.id);
    else if (code.text.length < 8 || code.text.length > 128)
      report.skip('code', 'its text has an unsupported length', code.id);
    else fresh.push(code);
  }
  const alike = Map.groupBy(fresh, ({ name, quota, expiresTime, createdBy }) =>
    JSON.stringify([name, String(quota), expiresTime, createdBy]),
  );
  for (const batch of alike.values()) await writeBatch(run, batch);
}

/**
 * Marks an imported code as used if it was redeemed in the source since. The balances in the source include its
 * points, so it must not be redeemed here as well. Reports a code that was redeemed on both sides.
 */
async function useUpKnown(
  { trx, map, report }: ImportRun,
  { id: sourceId, redeemedTime, redeemedBy }: SourceCode,
  id: number,
): Promise<void> {
  const used = {
    status: 'used',
    redeemed_time: redeemedTime,
    redeemed_by: map.find('user', redeemedBy) ?? null,
  } as const;
  const here = await trx.selectFrom('redemption_code').selectAll().where('id', '=', id).executeTakeFirst();
  if (here === undefined) return;
  if (here.status !== 'used') {
    await trx.updateTable('redemption_code').set(used).where('id', '=', id).execute();
    report.remark('code', 'redeemed in the source since the last import; is used here, too', sourceId);
  } else if (here.redeemed_time !== redeemedTime)
    report.remark('code', 'redeemed both in the source and here; its points were credited twice', sourceId);
}

async function writeBatch({ trx, target, map, report, now }: ImportRun, codes: readonly SourceCode[]): Promise<void> {
  const [first] = codes;
  if (first === undefined) return;
  const batch = await trx
    .insertInto('code_batch')
    .values({
      name: first.name.slice(0, 64) || map.source.slice(0, 64),
      quota: Number(first.quota),
      count: codes.length,
      prefix: '',
      expires_time: first.expiresTime,
      per_user: 0,
      for_group: '',
      grant_group: '',
      enabled: 1,
      created_by: map.find('user', first.createdBy) ?? 0,
      created_time: first.createdTime || now,
      deleted_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  let written = 0;
  for (const code of codes) {
    const row = await trx
      .insertInto('redemption_code')
      .values({
        ...buildCodeColumns(target, code.text),
        batch_id: batch.id,
        status: code.status,
        redeemed_time: code.status === 'used' ? code.redeemedTime : 0,
        redeemed_by: code.status === 'used' ? (map.find('user', code.redeemedBy) ?? null) : null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) {
      report.skip('code', 'another code has the same text', code.id);
      continue;
    }
    written += 1;
    await map.record('code', code.id, row.id);
    report.count('code', 'new');
  }
  if (written === 0) await trx.deleteFrom('code_batch').where('id', '=', batch.id).execute();
  else await trx.updateTable('code_batch').set({ count: written }).where('id', '=', batch.id).execute();
}

export async function writeOrders(run: ImportRun, orders: readonly SourceOrder[]): Promise<void> {
  const { map, report, trx } = run;
  let providerId: number | undefined;
  for (const order of orders) {
    report.count('order', 'read');
    const userId = map.find('user', order.userId);
    const currency = currencySchema.safeParse(order.currency).data;
    const figures = [order.amountUsd, order.quota, order.orderAmount];
    if (map.find('order', order.id) !== undefined) report.count('order', 'known');
    else if (userId === undefined) report.skip('order', 'its user was not imported', order.id);
    else if (currency === undefined || figures.some((figure) => figure <= 0n || figure > QUOTA_MAX))
      report.skip('order', 'its amounts or its currency are invalid', order.id);
    else if (order.tradeNo === '' || (await isTradeNoTaken(run, order.tradeNo)))
      report.skip('order', 'another order has the same number', order.id);
    else {
      providerId ??= await ensureImportProvider(run);
      const { id } = await trx
        .insertInto('payment_order')
        .values({
          trade_no: order.tradeNo.slice(0, 64),
          user_id: userId,
          processor_id: providerId,
          processor_ref: '',
          // The unique column does not allow several orders of one payment.
          processor_no: null,
          status: order.status,
          review: '',
          amount_usd: Number(order.amountUsd),
          quota: Number(order.quota),
          fee_micros: 0,
          saved_micros: 0,
          currency,
          order_amount: Number(order.orderAmount),
          payment: null,
          address: '',
          created_time: order.createdTime,
          expires_time: order.createdTime,
          paid_time: order.status === 'success' ? order.createdTime : null,
          next_ask_time: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await map.record('order', order.id, id);
      report.count('order', 'new');
    }
  }
}

async function isTradeNoTaken({ trx }: ImportRun, tradeNo: string): Promise<boolean> {
  const holder = await trx
    .selectFrom('payment_order')
    .select('id')
    .where('trade_no', '=', tradeNo.slice(0, 64))
    .executeTakeFirst();
  return holder !== undefined;
}

/** Creates a disabled payment gateway, which takes no payments and is never asked about orders. */
async function ensureImportProvider({ trx, map, now }: ImportRun): Promise<number> {
  const name = `Orders of ${map.source}`.slice(0, 64);
  const known = await trx.selectFrom('processor').select('id').where('name', '=', name).executeTakeFirst();
  if (known !== undefined) return known.id;
  const { id } = await trx
    .insertInto('processor')
    .values({
      uuid: randomUUID(),
      type: 'manual',
      name,
      icon: '',
      notify_domain: '',
      fixed_fee_micros: 0,
      percent_fee_micros: 0,
      currency: 'USD',
      exchange_rate_micros: 0,
      sort: 0,
      enable: 0,
      sandbox: 0,
      config: JSON.stringify({ instructions: '' }),
      secrets_sealed: '',
      created_time: now,
      deleted_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
