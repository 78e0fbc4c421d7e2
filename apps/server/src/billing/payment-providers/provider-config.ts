/**
 * Configuration of a payment provider: plain fields are stored as they are; secret fields are sealed, and only their
 * hints are returned.
 */
import {
  isSecretField,
  type PaymentProviderType,
  paymentProviderTypeInfo,
} from '@switchyard/contract/billing/payment-provider-types';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { fieldError } from '../../platform/http/app-error.ts';
import { hintOrBullets } from '../../platform/secrets/redact-secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { ProviderConfig } from '../payment-integrations/payment-integrations.ts';
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
