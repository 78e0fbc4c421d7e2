/** Secrets of a channel: sealed in the row, masked in responses, and decrypted only for the call to the vendor. */
import { SECRET_MASK } from '@switchyard/contract/channels/channels';
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
