import { createAddressMatcher } from '../../../../platform/outbound/addresses.ts';
import { InvalidConfigError, type ProviderConfig } from '../../payment-provider.ts';

export interface EpayConfig {
  /** Ends with a slash. */
  base: string;
  partnerId: string;
  key: string;
  /** Empty if the buyer chooses on the gateway's page. */
  payType: string;
  confirmByQuery: boolean;
  mayNotify(address: string): boolean;
}

/**
 * An MD5 signature is only as strong as the key: a shorter one can be found by brute force from one signed address.
 */
const KEY_MIN_LENGTH = 16;

/** @throws InvalidConfigError */
export function readEpayConfig(config: ProviderConfig): EpayConfig {
  const of = (name: string): string => config[name] ?? '';
  const key = of('key');
  if (key.length < KEY_MIN_LENGTH)
    throw new InvalidConfigError('key', `The key must have at least ${KEY_MIN_LENGTH} characters`);
  return {
    base: of('pay_domain')
      .replace(/[?#].*$/, '')
      .replace(/\/*$/, '/'),
    partnerId: of('partner_id'),
    key,
    payType: of('pay_type'),
    confirmByQuery: of('confirm_by_query') === 'true',
    mayNotify: parseAllowedSources(of('source_addresses')),
  };
}

function parseAllowedSources(text: string): (address: string) => boolean {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length === 0) return () => true;
  try {
    return createAddressMatcher(entries);
  } catch {
    throw new InvalidConfigError('source_addresses', 'One of the source addresses is invalid');
  }
}
