import { expect, it } from 'vitest';
import { passwordStrength } from './password-strength.tsx';

it.each([
  ['', 'short'],
  ['Ab1!xyz', 'short'],
  ['abcdefgh', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['abcdefg1', 'weak'],
  ['abcdeF12', 'fair'],
  ['Tr0ub4dor&35', 'strong'],
  ['correct horse battery', 'strong'],
])('rates %j as %s', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength);
});
