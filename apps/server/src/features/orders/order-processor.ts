import type { Context } from '../../context.ts';
import type { ProcessorRow } from '../processors/processors.ts';
import type { OrderRow } from './order-rows.ts';

/** Also one that was disabled or taken away: what was paid before counts. */
export async function processorOf(
  ctx: Context,
  order: Pick<OrderRow, 'processor_id'>,
): Promise<ProcessorRow> {
  return ctx.db.writer
    .selectFrom('processor')
    .selectAll()
    .where('id', '=', order.processor_id)
    .executeTakeFirstOrThrow();
}
