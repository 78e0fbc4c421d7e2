import type { Selectable } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';

type Order = Selectable<Schema['payment_order']>;

let orders = 0;

/** Inserts a manual payment gateway in CNY. @returns its id */
export async function insertPaymentProvider({ db }: Pick<Context, 'db'>, name = 'Bank'): Promise<number> {
  const { id } = await db.writer
    .insertInto('processor')
    .values({
      uuid: `processor-${name}-${Math.random()}`,
      type: 'manual',
      name,
      icon: '',
      notify_domain: '',
      fixed_fee_micros: 0,
      percent_fee_micros: 0,
      currency: 'CNY',
      exchange_rate_micros: 0,
      sort: 0,
      enable: 1,
      sandbox: 0,
      config: '{}',
      secrets_sealed: '',
      created_time: 0,
      deleted_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts an order of 10 USD that was just paid, unless `fields` differ. */
export async function insertPaymentOrder(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  fields: Partial<Omit<Order, 'id'>> & { user_id: number; processor_id: number },
): Promise<Order> {
  orders += 1;
  const now = nowSeconds(clock);
  return db.writer
    .insertInto('payment_order')
    .values({
      trade_no: `T${orders}`,
      processor_ref: '',
      processor_no: null,
      status: 'success',
      review: '',
      amount_usd: 10,
      quota: 5_000_000,
      fee_micros: 0,
      saved_micros: 0,
      currency: 'CNY',
      order_amount: 7_300,
      payment: null,
      address: '',
      created_time: now,
      expires_time: now,
      paid_time: now,
      next_ask_time: null,
      ...fields,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
