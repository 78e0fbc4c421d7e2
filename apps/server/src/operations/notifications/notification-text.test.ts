import type { Language } from '@switchyard/contract/accounts/account-fields';
import { type NotificationEvent, notificationEvent } from '@switchyard/contract/operations/notifications';
import { describe, expect, test } from 'vitest';
import { type NotificationValues, notificationText, testText } from './notification-text.ts';

const languages: readonly Language[] = ['en_US', 'zh_CN', 'zh_HK', 'ja_JP'];
const order = { order: 'T20260110', amount: '12.30 CNY' };

/** An example of each. */
const samples: NotificationValues = {
  'low-balance': { balance: '$1.20' },
  'key-spent': { key: 'laptop' },
  'order-paid': order,
  'order-failed': order,
  'order-refunded': order,
  'new-sign-in': { device: 'Firefox', address: '203.0.113.7', time: Date.UTC(2026, 0, 10, 12) / 1000 },
  'channel-disabled': { channel: 'main', reason: 'Invalid key' },
  'channel-enabled': { channel: 'main' },
  'error-rate': { channel: 'main', failed: 31, requests: 47, minutes: 13 },
  'spend-in-window': { spent: '$812.00', limit: '$500.00', minutes: 59 },
  'site-order-paid': { ...order, username: 'ann' },
  'site-order-failed': { ...order, username: 'ann' },
  'site-refund-failed': { ...order, username: 'ann' },
  'job-failed': { job: 'check-books', reason: 'disk full' },
  'books-differ': { usernames: 'ann, bob' },
  'new-version': { version: '9.1.0' },
};

describe.each(languages)('%s', (language) => {
  test.each(notificationEvent.options)('%s contains all facts of the event under a short title', (event) => {
    const { title, text } = textOf(event, language);
    expect(title.length).toBeGreaterThan(0);
    expect(title.length).toBeLessThanOrEqual(60);
    expect(text).not.toBe('');
    for (const [name, value] of Object.entries(samples[event]))
      if (name !== 'time') expect(`${title}\n${text}`).toContain(String(value));
    expect(`${title}${text}`).not.toMatch(/undefined|\[object/);
  });
});

function textOf<E extends NotificationEvent>(event: E, language: Language) {
  return notificationText(event, samples[event], language);
}

test('a sign-in notification has its time in UTC', () => {
  expect(textOf('new-sign-in', 'en_US').text).toContain('January 10, 2026 at 12:00 PM UTC');
});

test('a line break in a name makes no further line', () => {
  const values = { channel: 'main\nnot', reason: 'a\r\nb' };
  expect(notificationText('channel-disabled', values, 'en_US')).toEqual({
    title: 'Channel disabled: main not',
    text: 'a b',
  });
});

test('each language has its own translation', () => {
  for (const event of notificationEvent.options)
    expect(new Set(languages.map((language) => textOf(event, language).title)).size).toBeGreaterThanOrEqual(3);
  expect(new Set(languages.map((language) => testText(language).text)).size).toBe(4);
});
