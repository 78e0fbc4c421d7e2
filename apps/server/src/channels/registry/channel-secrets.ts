/**
 * Secrets of a channel: sealed in the row, masked in responses, decrypted only for the call to the vendor, and bound to
 * the address that they were entered for.
 */
import { SECRET_MASK } from '@switchyard/contract/channels/channels';
import { findProvider } from '@switchyard/relay';
import { z } from 'zod';
import { fieldError } from '../../platform/http/app-error.ts';
import { secretHint } from '../../platform/secrets/redact-secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { splitKeys } from './parse-key-lines.ts';

export interface ChannelSecrets {
  /** One line per key. */
  key: string;
  headers: Readonly<Record<string, string>>;
  proxy: string;
}

interface SealedColumns {
  key_sealed: string;
  headers_sealed: string;
  proxy_sealed: string;
}

const pairs = z.record(z.string(), z.string());

export function sealSecrets(vault: Vault, id: number, secrets: ChannelSecrets): SealedColumns & { key_hint: string } {
  const row = `channel:${id}`;
  const hasHeaders = Object.keys(secrets.headers).length > 0;
  return {
    key_sealed: vault.seal('channel-key', row, secrets.key),
    headers_sealed: hasHeaders ? vault.seal('channel-header', row, JSON.stringify(secrets.headers)) : '',
    proxy_sealed: secrets.proxy === '' ? '' : vault.seal('channel-proxy', row, secrets.proxy),
    key_hint: secretHint(splitKeys(secrets.key)[0]),
  };
}

/** @throws when the row was sealed with another master key */
export function openSecrets(vault: Vault, row: SealedColumns & { id: number }): ChannelSecrets {
  const name = `channel:${row.id}`;
  return {
    key: vault.open('channel-key', name, row.key_sealed),
    headers:
      row.headers_sealed === '' ? {} : pairs.parse(JSON.parse(vault.open('channel-header', name, row.headers_sealed))),
    proxy: row.proxy_sealed === '' ? '' : vault.open('channel-proxy', name, row.proxy_sealed),
  };
}

/** Masks the secrets so that a form may show them. */
export function maskSecrets({ headers, proxy }: ChannelSecrets): {
  model_headers: Record<string, string>;
  proxy: string;
} {
  const masked = Object.entries(headers).map(([name, value]) => [name, mask(value)] as const);
  return { model_headers: Object.fromEntries(masked), proxy: mask(proxy) };
}

/**
 * Merges a form into the stored secrets, replacing every unchanged mask by its secret.
 * @throws AppError that names the field with a mask of another secret
 */
export function mergeSecrets(
  stored: ChannelSecrets,
  form: { key?: string | undefined; model_headers?: Record<string, string> | undefined; proxy?: string | undefined },
): ChannelSecrets {
  const headers = Object.entries(form.model_headers ?? stored.headers).map(
    ([name, value]) => [name, unmask('model_headers', value, stored.headers[name])] as const,
  );
  return {
    key: form.key === undefined || form.key === '' ? stored.key : form.key,
    headers: Object.fromEntries(headers),
    proxy: unmask('proxy', form.proxy ?? stored.proxy, stored.proxy),
  };
}

export const noSecrets: ChannelSecrets = { key: '', headers: {}, proxy: '' };

function unmask(field: string, sent: string, stored: string | undefined): string {
  if (!sent.startsWith(SECRET_MASK)) return sent;
  if (stored !== undefined && sent === mask(stored)) return stored;
  throw fieldError(field, 'unknown-mask', 'Enter the value again. This mask does not match a stored value.');
}

function mask(secret: string): string {
  return secret === '' ? '' : SECRET_MASK + secretHint(secret);
}

interface SecretDestination {
  /** The provider's id. */
  provider: string;
  /** Empty for the provider's own address. */
  base_url: string;
  proxy: string;
}

interface SentSecrets {
  key?: string | undefined;
  model_headers?: Record<string, string> | undefined;
}

/**
 * Binds a stored secret to the address that it was entered for: users who may edit a channel may not read its key.
 * @throws AppError that names the secret to enter again for the new address
 */
export function checkSecretDestination(
  stored: ChannelSecrets,
  sent: SentSecrets,
  before: SecretDestination,
  after: SecretDestination,
): void {
  const sameProxy = after.proxy === '' || isSameHost(before.proxy, after.proxy);
  if (sameProxy && isSameHost(resolveAddress(before), resolveAddress(after))) return;
  if (stored.key !== '' && (sent.key ?? '') === '') throw secretRequiredError('key');
  const headers = Object.values(sent.model_headers ?? maskSecrets(stored).model_headers);
  if (headers.some((value) => value.startsWith(SECRET_MASK))) throw secretRequiredError('model_headers');
}

function secretRequiredError(field: string): Error {
  return fieldError(field, 'needed-again', 'Enter it again. The stored value is not sent to another address.');
}

function resolveAddress({ provider, base_url }: SecretDestination): string {
  return base_url === '' ? (findProvider(provider)?.baseUrl ?? '') : base_url;
}

function isSameHost(one: string, other: string): boolean {
  if (one === other) return true;
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return a.protocol === b.protocol && a.host === b.host;
}
