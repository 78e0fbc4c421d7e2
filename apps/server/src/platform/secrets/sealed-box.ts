/** Authenticated encryption of one text: AES-256-GCM with a random nonce, as base64url. */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const KEY_BYTES = 32;

/** @param name authenticated with the content, so that a text sealed for one place does not open at another */
export function sealBox(key: KeyObject, name: string, content: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  const text = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** @throws when it was sealed with another key or for another name, or was changed */
export function openBox(key: KeyObject, name: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url');
  // Without an explicit length, a truncated tag would be accepted.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(name))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

/**
 * Derives a key for one use, so that no two uses share one. Returns an object, because creating one from bytes each
 * time costs more than decrypting a short text.
 */
export function deriveKey(secret: Buffer, use: string): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `switchyard:${use}`, KEY_BYTES)));
}
