/**
 * Text of a key: `sk-`, which some clients require, the gateway's own mark, 160 random bits and a checksum, so that
 * secret scanners find leaked keys and typing errors are refused without a lookup.
 */
import { createHash, randomBytes } from 'node:crypto';

const KEY_PREFIX = 'sk-';
const OWN_KEY_PREFIX = `${KEY_PREFIX}sy`;
const RANDOM_BYTES = 33;
const CHECK_LENGTH = 4;

export function generateKeyText(): string {
  const body = randomBytes(RANDOM_BYTES).toString('base64url').replace(/[-_]/g, 'x');
  return `${OWN_KEY_PREFIX}${body}${checksum(body)}`;
}

export function isKeyText(text: string): boolean {
  if (!text.startsWith(OWN_KEY_PREFIX)) return false;
  const body = text.slice(OWN_KEY_PREFIX.length, -CHECK_LENGTH);
  return text.endsWith(checksum(body)) && body.length === 44;
}

/** Returns a hint that suffices to recognize a key, but not to use it. */
export function keyHint(text: string): string {
  return `${text.slice(0, OWN_KEY_PREFIX.length + 3)}…${text.slice(-4)}`;
}

/** Returns the key with its prefix, which clients may omit. */
export function withKeyPrefix(presented: string): string {
  return presented.startsWith(KEY_PREFIX) ? presented : `${KEY_PREFIX}${presented}`;
}

/**
 * Returns the placeholder for a key of which only the SHA-256 is known. No client can present it, because presented
 * keys begin differently.
 */
export function formatKeyPlaceholder(sha256: string): string {
  return `sha256:${sha256}`;
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('base64url').replace(/[-_]/g, 'x').slice(0, CHECK_LENGTH);
}
