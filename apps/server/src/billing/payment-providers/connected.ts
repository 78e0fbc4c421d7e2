import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import { publicAddress } from '../../platform/outbound/public-address.ts';
import { connectProcessor, type Processor, type ProcessorWorld } from '../payments/payments.ts';
import { openConfig } from './provider-config.ts';
import type { ProcessorTable } from './table.ts';

export type ProcessorRow = Selectable<ProcessorTable>;

/** Connections of each server of this process, by the payment provider's id. */
const connections = new WeakMap<Context, Map<number, { state: string; processor: Processor }>>();

/**
 * Connected once for each state of its row, because processors keep what they learn, such as certificates.
 * @throws ConfigRefused when its configuration can never work, AppError `not-set-up` without the site's own address
 */
export function connected(ctx: Context, row: ProcessorRow): Processor {
  const known = connections.get(ctx) ?? new Map<number, { state: string; processor: Processor }>();
  connections.set(ctx, known);
  const world = worldOf(ctx, row);
  const state = JSON.stringify([row.config, row.secrets_sealed, world.sandbox, world.notifyUrl]);
  const kept = known.get(row.id);
  if (kept?.state === state) return kept.processor;
  const processor = connectProcessor(row.type, openConfig(ctx.vault, row), world);
  known.set(row.id, { state, processor });
  return processor;
}

export function worldOf(
  ctx: Context,
  row: Pick<ProcessorRow, 'uuid' | 'notify_domain' | 'sandbox'>,
): ProcessorWorld {
  return {
    fetch: ctx.outbound.fetch,
    clock: ctx.clock,
    sandbox: row.sandbox === 1,
    notifyUrl: notifyUrlOf(ctx, row),
  };
}

/** @throws AppError `not-set-up` */
export function notifyUrlOf(ctx: Context, row: Pick<ProcessorRow, 'uuid' | 'notify_domain'>): string {
  const origin = row.notify_domain === '' ? publicAddress(ctx) : row.notify_domain.replace(/\/+$/, '');
  return `${origin}/api/payment/notify/${row.uuid}`;
}
