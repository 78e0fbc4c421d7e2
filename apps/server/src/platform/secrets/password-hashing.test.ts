import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkPasswordIsUncommon } from './password-hashing.ts';

test('refuses common passwords, regardless of their case', () => {
  for (const password of ['password', 'Password1', 'QWERTYUIOP', '1q2w3e4r', '12345678'])
    expect(() => checkPasswordIsUncommon(password)).toThrow(/too common/);
  expect(() => checkPasswordIsUncommon('password of user-1')).not.toThrow();
});

test('lists only what would pass otherwise, in the case it is looked up in, once', () => {
  const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  expect(list.length).toBeGreaterThan(200);
  expect(new Set(list).size).toBe(list.length);
  expect(list.filter((password) => password.length < 8 || password !== password.toLowerCase())).toEqual([]);
});
