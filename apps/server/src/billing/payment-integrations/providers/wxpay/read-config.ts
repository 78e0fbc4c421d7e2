import type { KeyObject } from 'node:crypto';
import { InvalidConfigError, type ProviderConfig } from '../../payment-provider.ts';
import { readPrivateKey, readPublicKey } from '../../rsa-signatures.ts';

export interface WxpayConfig {
  appId: string;
  mchId: string;
  /** Serial number of the merchant's certificate. */
  serial: string;
  privateKey: KeyObject;
  /** 32 bytes; WeChat Pay encrypts its messages with it. */
  apiKey: Buffer;
  /** WeChat Pay's public key; undefined for merchants who verify by certificates. */
  platformKey: { id: string; key: KeyObject } | undefined;
  payType: string;
  appSecret: string;
}

const API_KEY_BYTES = 32;

/** @throws InvalidConfigError */
export function readWxpayConfig(config: ProviderConfig): WxpayConfig {
  const of = (name: string): string => config[name] ?? '';
  const privateKey = readPrivateKey(of('mch_private_key'));
  if (privateKey === undefined) throw new InvalidConfigError('mch_private_key', 'This is not an RSA private key');
  const apiKey = Buffer.from(of('mch_apiv3_key'));
  if (apiKey.length !== API_KEY_BYTES)
    throw new InvalidConfigError('mch_apiv3_key', `An APIv3 key must have ${API_KEY_BYTES} characters`);
  if (of('pay_type') === 'JSAPI' && of('app_secret') === '')
    throw new InvalidConfigError('app_secret', 'JSAPI payments require the secret of the official account');
  return {
    appId: of('app_id'),
    mchId: of('mch_id'),
    serial: of('mch_certificate_serial_number'),
    privateKey,
    apiKey,
    platformKey: readPlatformKey(of('platform_public_key_id'), of('platform_public_key')),
    payType: of('pay_type'),
    appSecret: of('app_secret'),
  };
}

function readPlatformKey(id: string, text: string): WxpayConfig['platformKey'] {
  if (id === '' && text === '') return undefined;
  if (!id.startsWith('PUB_KEY_ID_'))
    throw new InvalidConfigError('platform_public_key_id', 'The ID of a public key must begin with PUB_KEY_ID_');
  const key = readPublicKey(text);
  if (key === undefined) throw new InvalidConfigError('platform_public_key', 'This is not an RSA public key');
  return { id, key };
}
