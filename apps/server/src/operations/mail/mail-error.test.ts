import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { expect, test } from 'vitest';
import { toMailError } from './mail-error.ts';

const server = { host: 'mail.example', port: 465, account: 'me', password: 'pass-word-1' };

test.each([
  ['plain', server.password],
  ['in base64', Buffer.from(server.password).toString('base64')],
  ['with the account in base64', Buffer.from(`\0${server.account}\0${server.password}`).toString('base64')],
])('shows no password that the server repeats %s', (_how, secret) => {
  const error = Object.assign(new Error('no'), { code: 'EAUTH', response: `535 ${secret} is wrong` });
  expect(toMailError(error, server).message).toBe('The mail server rejected the username or password: 535 … is wrong');
});

test('redacts a long repetitive password in linear time', () => {
  const password = `${'a'.repeat(1_000)}b${'a'.repeat(1_000)}`;
  const error = Object.assign(new Error('no'), { code: 'EAUTH', response: 'a'.repeat(1_000_000) });
  const readCpuMs = startCpuTimer();
  toMailError(error, { ...server, password });
  expect(readCpuMs()).toBeLessThan(50);
});
