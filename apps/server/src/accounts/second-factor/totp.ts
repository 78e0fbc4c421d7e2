/** Codes by time, RFC 6238 with the parameters that every authenticator app knows: SHA-1, 30 seconds, 6 digits. */
import { createHmac } from 'node:crypto';
import { areSecretsEqual } from '../../platform/secrets/vault.ts';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Clocks may differ by one interval. */
const WINDOW = 1;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * The interval whose code this is, if it is a right one that was not used before.
 * @param afterStep the latest interval whose code was used
 */
export function matchTotp(
  secret: Buffer,
  code: string,
  { now, afterStep }: { now: number; afterStep: number },
): number | undefined {
  const present = Math.floor(now / STEP_SECONDS);
  for (let step = present - WINDOW; step <= present + WINDOW; step += 1)
    if (step > afterStep && areSecretsEqual(totpCode(secret, step), code)) return step;
  return undefined;
}

/** RFC 4648 without padding, as apps take it. */
export function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function totpUri({ secret, account, issuer }: { secret: Buffer; account: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
