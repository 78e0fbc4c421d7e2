/** Common passwords, which attackers try first: words, years and keyboard patterns. */
import { readFileSync } from 'node:fs';
import { fieldError } from '../http/app-error.ts';

const commonPasswords = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n'),
);

/** @throws AppError for the field `password` */
export function checkPasswordIsUncommon(password: string): void {
  if (!commonPasswords.has(password.toLowerCase())) return;
  throw fieldError('password', 'common', 'This password is too common. Choose another one.');
}
