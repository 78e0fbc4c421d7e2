/** RSA signatures with SHA-256 (PKCS #1 v1.5), as Alipay and WeChat Pay use them. */
import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';

/** Neither company issues shorter keys. */
const KEY_MIN_BITS = 2048;

/**
 * Reads PEM, or the bare base64 of PKCS #1 or PKCS #8 that Alipay's tools export; returns undefined for anything
 * else.
 */
export function readPrivateKey(text: string): KeyObject | undefined {
  const der = decodeBase64(text);
  if (der === undefined) return rsaKey(() => createPrivateKey(text.trim()));
  return (
    rsaKey(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })) ??
    rsaKey(() => createPrivateKey({ key: der, format: 'der', type: 'pkcs1' }))
  );
}

/** Reads PEM of a key or a certificate, or bare base64; returns undefined for anything else. */
export function readPublicKey(text: string): KeyObject | undefined {
  // A private key would be read as its public key.
  if (/PRIVATE KEY/.test(text)) return undefined;
  const der = decodeBase64(text);
  if (der === undefined) return rsaKey(() => createPublicKey(text.trim()));
  return (
    rsaKey(() => createPublicKey({ key: der, format: 'der', type: 'spki' })) ??
    rsaKey(() => createPublicKey({ key: der, format: 'der', type: 'pkcs1' }))
  );
}

/** @returns base64 */
export function signSha256(text: string, key: KeyObject): string {
  return signBytes('sha256', Buffer.from(text), key).toString('base64');
}

/** Verifies a signature. Only its canonical base64 form is accepted. */
export function verifySha256(bytes: string | Buffer, signature: string, key: KeyObject): boolean {
  const decoded = Buffer.from(signature, 'base64');
  if (signature === '' || decoded.toString('base64') !== signature) return false;
  return verifyBytes('sha256', Buffer.from(bytes), key, decoded);
}

function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  return compact !== '' && /^[\w+/]+=*$/.test(compact) && !compact.includes('_')
    ? Buffer.from(compact, 'base64')
    : undefined;
}

function rsaKey(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read();
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= KEY_MIN_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}
