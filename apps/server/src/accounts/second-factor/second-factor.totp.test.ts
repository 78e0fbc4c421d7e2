import { expect, test } from 'vitest';
import { base32, matchTotp, totpCode, totpUri } from './second-factor.ts';

const secret = Buffer.from('12345678901234567890');

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('gives the code of RFC 6238, appendix B, at %i', (seconds, code) => {
  expect(totpCode(secret, Math.floor(seconds / 30))).toBe(code);
});

test('a code counts for its interval and the two beside it, and never twice', () => {
  const now = 1_000_000_000;
  const step = Math.floor(now / 30);
  for (const near of [step - 1, step, step + 1])
    expect(matchTotp(secret, totpCode(secret, near), { now, afterStep: 0 })).toBe(near);
  for (const far of [step - 2, step + 2])
    expect(matchTotp(secret, totpCode(secret, far), { now, afterStep: 0 })).toBeUndefined();
  expect(matchTotp(secret, totpCode(secret, step), { now, afterStep: step })).toBeUndefined();
  expect(matchTotp(secret, '', { now, afterStep: 0 })).toBeUndefined();
});

test('apps can read the secret', () => {
  expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
  expect(totpUri({ secret, account: 'ada', issuer: 'My Site' })).toBe(
    'otpauth://totp/My%20Site:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=My%20Site',
  );
});
