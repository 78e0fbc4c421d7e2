/**
 * Binds a stored secret to the address that it was entered for: users who may edit a channel may not read its key.
 */
import { SECRET_MASK } from '@switchyard/contract/channels/channels';
import { findProvider } from '@switchyard/relay';
import { fieldError } from '../../platform/http/app-error.ts';
import { type ChannelSecrets, maskSecrets } from './channel-secrets.ts';

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

/** @throws AppError that names the secret to enter again for the new address */
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
