import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import { requirePublicAddress } from '../../platform/outbound/addresses.ts';
import { createProviderClient, type PaymentProviderClient, type ProviderEnvironment } from '../payments/payments.ts';
import { openConfig } from './provider-config.ts';
import type { PaymentProviderTable } from './table.ts';

export type ProviderRow = Selectable<PaymentProviderTable>;

/** Connected clients of each server of this process, by the payment provider's id. */
const connections = new WeakMap<Context, Map<number, { state: string; provider: PaymentProviderClient }>>();

/**
 * Connects a provider once per state of its row, because clients cache what they learn, such as certificates.
 * @throws InvalidConfigError when its configuration can never work, AppError `not-set-up` without the site's public
 * address
 */
export function connectProvider(ctx: Context, row: ProviderRow): PaymentProviderClient {
  const known = connections.get(ctx) ?? new Map<number, { state: string; provider: PaymentProviderClient }>();
  connections.set(ctx, known);
  const environment = createProviderEnvironment(ctx, row);
  const state = JSON.stringify([row.config, row.secrets_sealed, environment.sandbox, environment.notifyUrl]);
  const cached = known.get(row.id);
  if (cached?.state === state) return cached.provider;
  const provider = createProviderClient(row.type, openConfig(ctx.vault, row), environment);
  known.set(row.id, { state, provider });
  return provider;
}

export function createProviderEnvironment(
  ctx: Context,
  row: Pick<ProviderRow, 'uuid' | 'notify_domain' | 'sandbox'>,
): ProviderEnvironment {
  return {
    fetch: ctx.outbound.fetch,
    clock: ctx.clock,
    sandbox: row.sandbox === 1,
    notifyUrl: buildNotifyUrl(ctx, row),
  };
}

/** @throws AppError `not-set-up` */
export function buildNotifyUrl(ctx: Context, row: Pick<ProviderRow, 'uuid' | 'notify_domain'>): string {
  const origin = row.notify_domain === '' ? requirePublicAddress(ctx) : row.notify_domain.replace(/\/+$/, '');
  return `${origin}/api/payment/notify/${row.uuid}`;
}
