/** Adds second factors to users, for tests. */
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { totpCode } from '../accounts/second-factor/second-factor.ts';
import {
  type CreationOptions,
  createSoftwarePasskey,
  type RequestOptions,
  type SoftwarePasskey,
  type Tampering,
} from './software-passkey.ts';
import type { Visitor } from './visitor.ts';

/** Adds a passkey to the signed-in account. */
export async function addPasskey(owner: Visitor, origin: string): Promise<SoftwarePasskey> {
  const key = createSoftwarePasskey();
  const { publicKey } = await owner.api(passkeys).beginRegistration({ body: { alias: 'test' } });
  const credential = key.create(publicKey as unknown as CreationOptions, origin);
  await owner.api(passkeys).finishRegistration({ body: credential as never });
  return key;
}

/** Returns the browser's response to a challenge. */
export async function createAssertion(
  visitor: Visitor,
  key: SoftwarePasskey,
  origin: string,
  tampering?: Tampering,
): Promise<never> {
  const { publicKey } = await visitor.api(passkeys).beginSignIn({ body: {} });
  return key.get(publicKey as unknown as RequestOptions, origin, tampering) as never;
}

/** Sets up TOTP codes. @returns the present code and the recovery codes */
export async function addTotp(
  owner: Visitor,
  now: () => number,
): Promise<{ code(): string; recoveryCodes: readonly string[] }> {
  const { secret } = await owner.api(secondFactor).beginTotp();
  const bytes = fromBase32(secret);
  const code = () => totpCode(bytes, Math.floor(now() / 30_000));
  const { recovery_codes } = await owner.api(secondFactor).finishTotp({ body: { code: code() } });
  return { code, recoveryCodes: recovery_codes };
}

function fromBase32(text: string): Buffer {
  const bits = text
    .split('')
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
