/** Number of jobs waiting in the database. */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { waitAtMost } from '../../platform/timeouts-and-intervals.ts';
import { createGauge, createSingleGauge, type Family } from './metric-registry.ts';

interface QueueCounts {
  tasks: number;
  batches: number;
  lines: number;
  deliveries: number;
  delivery_since: number | null;
  mails: number;
  failed_mails: number;
  orders: number;
  reviews: number;
  refunds: number;
  channels_out: number;
  unshipped_since: number | null;
  now: number;
}

/** Counts by partial indexes of open rows, which are few. */
const selectQueueCounts = (sink: string) => sql<Omit<QueueCounts, 'now'>>`select
  (select count(*) from task where ended_at is null) as tasks,
  (select count(*) from batch where ended_at is null) as batches,
  (select coalesce(sum(total - completed - failed), 0) from batch where ended_at is null) as lines,
  (select count(*) from delivery where state = 'waiting') as deliveries,
  (select min(created_time) from delivery where state = 'waiting') as delivery_since,
  (select count(*) from mail where state = 'waiting') as mails,
  (select count(*) from mail where state = 'failed') as failed_mails,
  (select count(*) from payment_order where next_ask_time is not null) as orders,
  (select count(*) from payment_order where review <> '') as reviews,
  (select count(*) from order_refund where next_ask_time is not null) as refunds,
  (select count(*) from channel where status = 'auto-disabled') as channels_out,
  (select created_at from usage_record
    where id > coalesce((select last_id from shipped_record where sink = ${sink}), 0)
    order by id limit 1) as unshipped_since`;

/** Milliseconds for which the result is cached. */
const CACHE_MS = 5_000;
const WAIT_MS = 500;

/**
 * Creates a reader that returns its last result while a long query occupies the reading thread; nothing before the
 * first result.
 */
export function createQueueGauges(ctx: Context): () => Promise<Family[]> {
  const { config, db, clock, log } = ctx;
  let last: QueueCounts | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      const { rows } = await selectQueueCounts(config.clickhouse?.sink ?? '').execute(db.reader);
      const [row] = rows;
      if (row !== undefined) last = { ...row, now: nowSeconds(clock) };
      readAt = clock.elapsed();
    } catch (error) {
      log.error({ err: error }, 'the queues could not be counted');
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (clock.elapsed() - readAt >= CACHE_MS) await waitAtMost(clock, WAIT_MS, (reading ??= read()));
    return last === undefined ? [] : [...toQueueFamilies(last), toShippingFamily(ctx, last)];
  };
}

const secondsSince = (time: number | null, now: number): number => (time === null ? 0 : Math.max(0, now - time));

/** Returns a family without points if ClickHouse is not configured. */
function toShippingFamily({ config }: Context, { unshipped_since, now }: QueueCounts): Family {
  return createGauge(
    'switchyard_oldest_unsent_record_age_seconds',
    'Age of the oldest record that waits to be sent to ClickHouse; 0 if there is none.',
    [],
    config.clickhouse === undefined ? [] : [{ values: [], value: secondsSince(unshipped_since, now) }],
  );
}

function toQueueFamilies(waiting: QueueCounts): Family[] {
  return [
    createSingleGauge('switchyard_tasks_waiting', 'Tasks that have not ended.', waiting.tasks),
    createSingleGauge('switchyard_batches_open', 'Batches that have not ended.', waiting.batches),
    createSingleGauge('switchyard_batch_lines_waiting', 'Lines of open batches without a response.', waiting.lines),
    createSingleGauge('switchyard_deliveries_waiting', 'Notifications that wait for delivery.', waiting.deliveries),
    createSingleGauge(
      'switchyard_oldest_delivery_age_seconds',
      'Age of the oldest waiting notification; 0 if there is none.',
      secondsSince(waiting.delivery_since, waiting.now),
    ),
    createGauge(
      'switchyard_mails',
      'Mails that wait, and mails that failed.',
      ['state'],
      [
        { values: ['waiting'], value: waiting.mails },
        { values: ['failed'], value: waiting.failed_mails },
      ],
    ),
    createSingleGauge('switchyard_orders_waiting', 'Orders that await payment.', waiting.orders),
    createSingleGauge('switchyard_orders_to_review', 'Orders that need manual review.', waiting.reviews),
    createSingleGauge(
      'switchyard_refunds_waiting',
      'Refunds that were requested and are not completed.',
      waiting.refunds,
    ),
    createSingleGauge(
      'switchyard_channels_auto_disabled',
      'Channels that were disabled automatically because of failures.',
      waiting.channels_out,
    ),
  ];
}
