import { expect, test } from 'vitest';
import { normalizeMailbox } from './normalize-mailbox.ts';

test.each([
  ['a.b+c@gmail.com', 'ab@gmail.com'],
  ['AB@GoogleMail.com', 'ab@gmail.com'],
  ['ab@me.com', 'ab@icloud.com'],
  ['ab@pm.me', 'ab@proton.me'],
  ['ab+1@ya.ru', 'ab@yandex.ru'],
  ['ab@example.org', 'ab@example.org'],
  ['ab@sub.gmail.com', 'ab@sub.gmail.com'],
])('returns one form for all addresses of a mailbox: %s', (email, mailbox) => {
  expect(normalizeMailbox(email)).toBe(mailbox);
});
