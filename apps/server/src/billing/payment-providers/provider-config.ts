/**
 * Configuration of a payment provider: plain fields are stored as they are; secret fields are sealed, and only their
 * hints are returned.
 */
import {
  isSecretField,
  type PaymentProviderType,
  paymentProviderTypeInfo,
} from '@switchyard/contract/billing/payment-provider-types';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { hintOrBullets } from '../../platform/secrets/redact-secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Schema } from '../../schema.ts';
import {
  createProviderClient,
  type PaymentProviderClient,
  type ProviderConfig,
  type ProviderEnvironment,
} from '../payment-integrations/payment-integrations.ts';
import type { PaymentProviderTable } from './table.ts';

interface ConfigColumns {
  config: string;
  secrets_sealed: string;
}

const pairs = z.record(z.string(), z.string());

const rowOf = (id: number): string => `processor:${id}`;

function isSecret(type: PaymentProviderType, name: string): boolean {
  return paymentProviderTypeInfo[type].fields.some((field) => field.name === name && isSecretField(field));
}

/** @throws when the row was sealed with another master key */
export function openConfig(
  vault: Vault,
  { id, config, secrets_sealed }: ConfigColumns & { id: number },
): ProviderConfig {
  const secrets = secrets_sealed === '' ? '{}' : vault.open('processor', rowOf(id), secrets_sealed);
  return { ...pairs.parse(JSON.parse(config)), ...pairs.parse(JSON.parse(secrets)) };
}

export function sealConfig(
  vault: Vault,
  { id, type }: { id: number; type: PaymentProviderType },
  config: ProviderConfig,
): ConfigColumns {
  const entries = Object.entries(config).filter(([, value]) => value !== '');
  const secrets = entries.filter(([name]) => isSecret(type, name));
  const open = entries.filter(([name]) => !isSecret(type, name));
  return {
    config: JSON.stringify(Object.fromEntries(open)),
    secrets_sealed:
      secrets.length === 0 ? '' : vault.seal('processor', rowOf(id), JSON.stringify(Object.fromEntries(secrets))),
  };
}

/** Returns the configuration as a form may show it. */
export function presentConfig(
  type: PaymentProviderType,
  config: ProviderConfig,
): { config: Record<string, string>; secrets: Record<string, string> } {
  const entries = Object.entries(config);
  return {
    config: Object.fromEntries(entries.filter(([name]) => !isSecret(type, name))),
    secrets: Object.fromEntries(
      entries.filter(([name]) => isSecret(type, name)).map(([name, value]) => [name, hintOrBullets(value)]),
    ),
  };
}

/**
 * Merges a form into the stored configuration; an empty secret keeps the stored one.
 * @throws AppError that names a field which this type does not have
 */
export function mergeConfig(type: PaymentProviderType, stored: ProviderConfig, sent: ProviderConfig): ProviderConfig {
  const { fields } = paymentProviderTypeInfo[type];
  const unknown = Object.keys(sent).find((name) => fields.every((field) => field.name !== name));
  if (unknown !== undefined) throw fieldError(`config.${unknown}`, 'unknown-field', `There is no field ${unknown}`);
  const merged: Record<string, string> = {};
  for (const { name } of fields) {
    const keep = isSecret(type, name) && (sent[name] ?? '') === '';
    const value = (keep ? stored[name] : (sent[name] ?? stored[name])) ?? '';
    if (value !== '') merged[name] = value;
  }
  return merged;
}

export type ProviderRow = Selectable<PaymentProviderTable>;

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
