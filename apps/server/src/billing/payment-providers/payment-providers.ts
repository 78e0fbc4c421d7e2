/** Payment providers through which this site is paid. The console calls them payment gateways. */
import { randomUUID } from 'node:crypto';
import {
  isSecretField,
  type PaymentProviderType,
  paymentProviderTypeInfo,
} from '@switchyard/contract/billing/payment-provider-types';
import type {
  PaymentProvider,
  PaymentProviderForm,
  paymentProviders,
} from '@switchyard/contract/billing/payment-providers';
import { hasDefaultRate } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { PaymentProviderId } from '@switchyard/contract/ids';
import type { Page, RouteInput } from '@switchyard/contract/route';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { readPage, startsWith } from '../../db/paging.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, changedSince, fieldError, notFound } from '../../platform/http/app-error.ts';
import { omitUndefinedFields, pickFields } from '../../platform/object-fields.ts';
import { hasPublicAddress, requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import type { Schema } from '../../schema.ts';
import {
  createProviderClient,
  InvalidConfigError,
  type PaymentProviderClient,
  PaymentProviderError,
  type ProviderConfig,
  type ProviderEnvironment,
  prepareProvider,
} from '../payment-integrations/payment-integrations.ts';
import { mergeConfig, openConfig, type ProviderRow, presentConfig, sealConfig } from './provider-config.ts';

export { computeTerms, findPaymentOption, listPaymentOptions, TEST_MODE_RIGHT } from './payment-options.ts';
export type { ProviderRow } from './provider-config.ts';

type ListFilter = RouteInput<(typeof paymentProviders)['list']>['query'];
type Update = RouteInput<(typeof paymentProviders)['update']>['body'];

const columns = {
  id: 'id',
  uuid: 'uuid',
  name: 'name',
  type: 'type',
  sort: 'sort',
  enable: 'enable',
  created_at: 'created_time',
};

export async function listPaymentProviders(ctx: Context, filter: ListFilter): Promise<Page<PaymentProvider>> {
  let query = ctx.db.reader.selectFrom('processor').selectAll().where('deleted_time', 'is', null);
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  if (filter.uuid !== undefined) query = query.where('uuid', '=', filter.uuid);
  if (filter.currency !== undefined) query = query.where('currency', '=', filter.currency);
  if (filter.name !== undefined) query = query.where(startsWith('name', filter.name));
  return readPage(query, filter, {
    columns,
    fallback: '-sort,id',
    tieBreak: 'id',
    present: (row) => present(ctx, row),
  });
}

export async function getPaymentProvider(ctx: Context, id: PaymentProviderId): Promise<PaymentProvider> {
  return present(ctx, await findPaymentProvider(ctx, id));
}

/** @throws AppError that names a missing or unusable field */
export async function createPaymentProvider(ctx: Context, form: PaymentProviderForm): Promise<PaymentProvider> {
  const { config, type, ...rest } = form;
  const uuid = randomUUID().replaceAll('-', '');
  checkCurrency(form);
  const merged = mergeConfig(type, {}, config);
  const prepared = await testConfig(ctx, { ...form, uuid }, merged);
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('processor')
      .values({
        ...columnsOf(rest),
        uuid,
        type,
        config: '{}',
        secrets_sealed: '',
        created_time: nowSeconds(ctx.clock),
        deleted_time: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return trx
      .updateTable('processor')
      .set(sealConfig(ctx.vault, { id, type }, prepared))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return present(ctx, row);
}

/**
 * Updates the sent fields.
 * @throws AppError that names a missing or unusable field, `conflict` when another user changed the payment provider at
 * the same time
 */
export async function updatePaymentProvider(
  ctx: Context,
  { id, config, ...changes }: Update,
): Promise<PaymentProvider> {
  const before = await findPaymentProvider(ctx, id);
  const stored = openConfig(ctx.vault, before);
  const form = { ...present(ctx, before), ...omitUndefinedFields(changes) };
  const merged = mergeConfig(before.type, stored, config ?? {});
  checkCurrency(form);
  checkSecretsStay(before.type, stored, config ?? {});
  const checkAccount = (db: Kysely<Schema>): Promise<void> =>
    checkAccountStays(
      db,
      before,
      { ...stored, sandbox: String(before.sandbox === 1) },
      { ...merged, sandbox: String(form.sandbox) },
    );
  await checkAccount(ctx.db.writer);
  // A provider that is only disabled, renamed or sorted need not be reachable.
  const isReconnected = config !== undefined || changes.sandbox !== undefined || changes.notify_domain !== undefined;
  const prepared = isReconnected ? await testConfig(ctx, { ...form, uuid: before.uuid }, merged) : merged;
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    // All columns are written: a concurrent change would be undone, and an order may have been created meanwhile.
    if (!(await isProviderUnchanged(trx, before))) throw changedSince('payment provider');
    await checkAccount(trx);
    return trx
      .updateTable('processor')
      .set({ ...columnsOf(form), ...sealConfig(ctx.vault, before, prepared) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return present(ctx, row);
}

/** Removes a payment provider. Its webhook events are still read, since earlier payments are credited. */
export async function removePaymentProvider(ctx: Context, id: PaymentProviderId): Promise<void> {
  await findPaymentProvider(ctx, id);
  await ctx.db.writer
    .updateTable('processor')
    .set({ deleted_time: nowSeconds(ctx.clock), enable: 0 })
    .where('id', '=', id)
    .execute();
}

/** @throws AppError `not-found`, also for a removed one */
async function findPaymentProvider(ctx: Context, id: number): Promise<ProviderRow> {
  const row = await ctx.db.writer
    .selectFrom('processor')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notFound('payment provider', id);
  return row;
}

export async function testPaymentProvider(
  ctx: Context,
  id: PaymentProviderId,
): Promise<{ ok: boolean; reason: string }> {
  const row = await findPaymentProvider(ctx, id);
  try {
    await connectProvider(ctx, row).test();
    return { ok: true, reason: '' };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isSafeToShow = error instanceof PaymentProviderError || error instanceof InvalidConfigError;
    ctx.log.warn({ err: error, processor: id }, 'a payment provider failed its test');
    return { ok: false, reason: isSafeToShow ? error.message : 'The payment provider could not be reached' };
  }
}

/**
 * Connects with this configuration, and sets up webhooks at the vendor.
 * @returns the configuration with the fields that the setup returned
 */
async function testConfig(
  ctx: Context,
  form: Pick<PaymentProviderForm, 'type' | 'notify_domain' | 'sandbox'> & { uuid: string },
  config: ProviderConfig,
): Promise<ProviderConfig> {
  const environment = createProviderEnvironment(ctx, { ...form, sandbox: Number(form.sandbox) });
  try {
    const created = await prepareProvider(form.type, config, environment);
    const prepared = { ...config, ...created };
    createProviderClient(form.type, prepared, environment);
    return prepared;
  } catch (error) {
    if (error instanceof InvalidConfigError) throw fieldError(`config.${error.field}`, 'cannot-work', error.message);
    if (error instanceof PaymentProviderError) throw new AppError('upstream-failed', error.message);
    throw error;
  }
}

function checkCurrency({
  type,
  currency,
  exchange_rate,
  sandbox,
}: Pick<PaymentProviderForm, 'type' | 'currency' | 'exchange_rate' | 'sandbox'>): void {
  const facts = paymentProviderTypeInfo[type];
  if (facts.currencies !== 'any' && !facts.currencies.includes(currency))
    throw fieldError('currency', 'invalid_value', `This payment provider supports ${facts.currencies.join(', ')}`);
  if (exchange_rate === 0 && !hasDefaultRate(currency))
    throw fieldError('exchange_rate', 'required', `Enter the exchange rate from USD to ${currency}`);
  if (sandbox && !facts.sandbox) throw fieldError('sandbox', 'invalid_value', 'This payment provider has no test mode');
}

function columnsOf(form: Omit<PaymentProviderForm, 'type' | 'config'>) {
  return {
    ...pickFields(form, ['name', 'icon', 'notify_domain', 'currency', 'sort']),
    fixed_fee_micros: form.fixed_fee,
    percent_fee_micros: form.percent_fee,
    exchange_rate_micros: form.exchange_rate,
    enable: Number(form.enable),
    sandbox: Number(form.sandbox),
  };
}

function present(ctx: Context, row: ProviderRow): PaymentProvider {
  return {
    id: row.id as PaymentProviderId,
    ...pickFields(row, ['uuid', 'type', 'name', 'icon', 'notify_domain', 'currency', 'sort']),
    fixed_fee: row.fixed_fee_micros,
    percent_fee: row.percent_fee_micros,
    exchange_rate: row.exchange_rate_micros,
    enable: row.enable === 1,
    sandbox: row.sandbox === 1,
    created_at: row.created_time,
    notify_url: row.notify_domain !== '' || hasPublicAddress(ctx) ? buildNotifyUrl(ctx, row) : '',
    ...presentConfig(row.type, openConfig(ctx.vault, row)),
  };
}

/** Returns whether a payment provider is still as it was when the row was read. */
export async function isProviderUnchanged(db: Kysely<Schema>, row: ProviderRow): Promise<boolean> {
  const now = await db.selectFrom('processor').selectAll().where('id', '=', row.id).executeTakeFirst();
  return JSON.stringify(now) === JSON.stringify(row);
}

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

function createProviderEnvironment(
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
function buildNotifyUrl(ctx: Context, row: Pick<ProviderRow, 'uuid' | 'notify_domain'>): string {
  const origin = row.notify_domain === '' ? requirePublicAddress(ctx) : row.notify_domain.replace(/\/+$/, '');
  return `${origin}/api/payment/notify/${row.uuid}`;
}

/** A payment provider keeps the account to which its secrets and its open orders belong. */

/**
 * Requires the secrets again when a payment provider's address changes: users who may edit it may not read its
 * secrets, with which they could sign payments.
 * @throws AppError that names the secret to enter again
 */
function checkSecretsStay(type: PaymentProviderType, stored: ProviderConfig, sent: ProviderConfig): void {
  const { fields } = paymentProviderTypeInfo[type];
  const moves = fields.some(
    ({ kind, name }) => kind === 'address' && parseOrigin(sent[name] ?? stored[name]) !== parseOrigin(stored[name]),
  );
  const immutableField = fields.find(
    (field) => isSecretField(field) && (sent[field.name] ?? '') === '' && stored[field.name] !== undefined,
  );
  if (moves && immutableField !== undefined)
    throw fieldError(
      `config.${immutableField.name}`,
      'needed-again',
      'Enter it again. The stored value is not sent to another address.',
    );
}

/**
 * Checks that the account stays the same while orders are open: another account doesn't know them, so their payments
 * would be refused, and their buyers would get nothing.
 * @throws AppError `conflict`
 */
async function checkAccountStays(
  db: Kysely<Schema>,
  { id, type }: { id: number; type: PaymentProviderType },
  before: ProviderConfig & { sandbox: string },
  after: ProviderConfig & { sandbox: string },
): Promise<void> {
  const { fields } = paymentProviderTypeInfo[type];
  const names = ['sandbox', ...fields.filter(({ account }) => account === true).map(({ name }) => name)];
  if (names.every((name) => (before[name] ?? '') === (after[name] ?? ''))) return;
  const open = await db
    .selectFrom('payment_order')
    .select('id')
    .where('processor_id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  if (open !== undefined)
    throw new AppError(
      'conflict',
      'This account has open orders. Disable the payment provider and wait until they end, or create another one.',
    );
}

function parseOrigin(address = ''): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
