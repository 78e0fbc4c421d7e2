import { type Kysely, sql } from 'kysely';

/**
 * Stores the payment that a refund or dispute belongs to, and the payment that an order was marked for review for, so that
 * only refunds of the credited payment deduct points. An order that staff completed had the number of the next payment;
 * while that one waits for review, it was not credited. An order with refunds keeps the number, which they may need.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table order_event add column payment_no text not null default ''`.execute(db);
  await sql`alter table order_refund add column payment_no text not null default ''`.execute(db);
  await sql`alter table order_refund add column is_uncredited integer not null default 0`.execute(db);
  await sql`create index order_event_payment on order_event (payment_no) where payment_no <> ''`.execute(db);
  await sql`update order_event
    set payment_no = (select processor_no from payment_order where id = order_event.order_id)
    where event = 'parked'
      and exists (select 1 from payment_order where id = order_event.order_id and review = 'paid-twice'
        and processor_no is not null
        and order_event.detail like 'paid-twice: % as ' || processor_no || ', expected %')
      and exists (select 1 from order_event completion
        where completion.order_id = order_event.order_id and completion.event = 'completed')
      and not exists (select 1 from order_refund where order_id = order_event.order_id)`.execute(db);
  await sql`update payment_order set processor_no = null
    where exists (select 1 from order_event where order_id = payment_order.id
      and payment_no <> '' and payment_no = payment_order.processor_no)`.execute(db);
}
