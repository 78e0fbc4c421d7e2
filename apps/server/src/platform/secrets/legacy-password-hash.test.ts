import { hashSync } from 'bcryptjs';
import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { isLegacyHash, verifyLegacyHash } from './legacy-password-hash.ts';
import { hashPassword, verifyPassword } from './password-hashing.ts';

const hash = hashSync('right password', 4);

test('hashes of all three letters are checked', async () => {
  for (const letter of ['a', 'b', 'y']) {
    const text = hash.replace(/^\$2./, `$2${letter}`);
    expect(isLegacyHash(text)).toBe(true);
    expect(await verifyLegacyHash('right password', text)).toBe(true);
    expect(await verifyPassword('right password', text)).toBe(true);
    expect(await verifyPassword('wrong password', text)).toBe(false);
  }
});

test('a hash that takes too long to check is aborted', async () => {
  const clock = createTestClock(0);
  const checking = verifyLegacyHash('x', hashSync('x', 4).replace('$04$', '$14$'), clock);
  clock.advance(20);
  await expect(checking).rejects.toThrow('too long');
});

test('rejects a text that is not such a hash, or whose verification would take minutes', async () => {
  for (const text of ['', 'plain', hash.replace('$04$', '$31$'), `${hash}x`, hash.slice(0, -1)]) {
    expect(isLegacyHash(text)).toBe(false);
    expect(await verifyPassword('right password', text)).toBe(false);
  }
});

test('while there are old ones, every sign-in does their work, and their answer counts for their owners only', async () => {
  const fresh = await hashPassword('new password');
  expect(await verifyPassword('new password', fresh, 'known', hash)).toBe(true);
  expect(await verifyPassword('right password', fresh, 'known', hash)).toBe(false);
  expect(await verifyPassword('right password', '', 'known', hash)).toBe(false);
  const slow = hashSync('x', 11);
  const time = async (text: string, other?: string): Promise<number> => {
    const startedAt = performance.now();
    await verifyPassword('guess', text, 'known', other);
    return performance.now() - startedAt;
  };
  const [own, other, none] = [await time(slow, slow), await time(fresh, slow), await time('', slow)];
  for (const duration of [other, none]) expect(duration).toBeGreaterThan(own / 3);
});
