/**
 * The text of a key: `sk-` for the clients that insist on it, our own mark, 160 random bits and a checksum, so that
 * secret scanners find leaked keys and typing errors are refused without a look-up.
 */
import { createHash, randomBytes } from 'node:crypto';

const FRONT = 'sk-';
const MARK = `${FRONT}sy`;
const RANDOM_BYTES = 33;
const CHECK_LENGTH = 4;

export function newKeyText(): string {
  const body = randomBytes(RANDOM_BYTES).toString('base64url').replace(/[-_]/g, 'x');
  return `${MARK}${body}${checksum(body)}`;
}

export function isKeyText(text: string): boolean {
  if (!text.startsWith(MARK)) return false;
  const body = text.slice(MARK.length, -CHECK_LENGTH);
  return text.endsWith(checksum(body)) && body.length === 44;
}

/** Enough to recognise a key, not enough to use it. */
export function keyHint(text: string): string {
  return `${text.slice(0, MARK.length + 3)}…${text.slice(-4)}`;
}

/** Returns the key with its prefix; clients may send it with or without. */
export function wholeKeyText(presented: string): string {
  return presented.startsWith(FRONT) ? presented : `${FRONT}${presented}`;
}

/**
 * Returns the placeholder for a key of which only the SHA-256 is known. No client can present it, because presented
 * keys begin differently.
 */
export function standInFor(sha256: string): string {
  return `sha256:${sha256}`;
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('base64url').replace(/[-_]/g, 'x').slice(0, CHECK_LENGTH);
}
