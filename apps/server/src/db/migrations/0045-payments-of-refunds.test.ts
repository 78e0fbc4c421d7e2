import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

const order = (id: number, review: string, paymentNo: string): string => `insert into payment_order
  (id, trade_no, user_id, processor_id, processor_ref, processor_no, status, review, amount_usd, quota, fee_micros,
    saved_micros, currency, order_amount, address, created_time, expires_time, paid_time)
  values (${id}, 'T${id}', 1, 1, '', '${paymentNo}', 'success', '${review}', 10, 5000000, 0, 0, 'USD', 1000, '', 0, 0, 1)`;
const event = (orderId: number, name: string, detail: string): string =>
  `insert into order_event (order_id, created_time, event, detail) values (${orderId}, 0, '${name}', '${detail}')`;
const secondPayment = (paymentNo: string): string => `paid-twice: 10.00 USD as ${paymentNo}, expected 10.00 USD`;

test('a payment under review of an order that staff completed is no longer its credited one', async () => {
  const file = await writeOldDatabase(
    '0045-payments-of-refunds',
    [
      `insert into processor (id, uuid, type, name, icon, notify_domain, fixed_fee_micros, percent_fee_micros, currency,
        exchange_rate_micros, sort, enable, sandbox, config, secrets_sealed, created_time)
        values (1, 'u', 'stripe', 'Stripe', '', '', 0, 0, 'USD', 0, 1, 1, 0, '{}', '', 0)`,
      order(1, 'paid-twice', 'pi_1'),
      event(1, 'completed', 'Bank transfer'),
      event(1, 'parked', secondPayment('pi_1')),
      // Staff has reviewed it.
      order(2, '', 'pi_2'),
      event(2, 'completed', 'Seen in the dashboard'),
      event(2, 'parked', secondPayment('pi_2')),
      // The first payment was credited.
      order(3, 'paid-twice', 'pi_3'),
      event(3, 'paid', 'pi_3'),
      event(3, 'parked', secondPayment('pi_4')),
      // Its refund is on its way.
      order(4, 'paid-twice', 'pi_5'),
      event(4, 'completed', 'Bank transfer'),
      event(4, 'parked', secondPayment('pi_5')),
      `insert into order_refund (id, order_id, amount, quota, state, reason, processor_no, created_time)
        values ('r', 4, 1000, 5000000, 'pending', '', '', 0)`,
    ].join(';\n'),
  );
  const db = await openDatabase(file);
  const orders = await db.writer.selectFrom('payment_order').select(['id', 'processor_no']).orderBy('id').execute();
  expect(orders).toEqual([
    { id: 1, processor_no: null },
    { id: 2, processor_no: 'pi_2' },
    { id: 3, processor_no: 'pi_3' },
    { id: 4, processor_no: 'pi_5' },
  ]);
  const events = db.writer.selectFrom('order_event').select(['order_id', 'event', 'payment_no']);
  expect(await events.where('payment_no', '<>', '').execute()).toEqual([
    { order_id: 1, event: 'parked', payment_no: 'pi_1' },
  ]);
  const refunds = await db.writer.selectFrom('order_refund').select(['payment_no', 'is_uncredited']).execute();
  expect(refunds).toEqual([{ payment_no: '', is_uncredited: 0 }]);
  await db.close();
});
