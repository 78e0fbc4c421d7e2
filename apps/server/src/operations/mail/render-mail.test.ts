import type { Language } from '@switchyard/contract/accounts/account-fields';
import { describe, expect, test } from 'vitest';
import { renderMail, type TemplateName, type TemplateValues } from './render-mail.ts';

const ADDRESS = 'https://gate.example';
const site = { name: 'Switchyard', address: ADDRESS };
const languages: readonly Language[] = ['en_US', 'zh_CN', 'zh_HK', 'ja_JP'];

/** An example of each. */
const samples: TemplateValues = {
  'verification-code': { code: '493817', minutes: 10 },
  'already-registered': { signInLink: `${ADDRESS}/login`, resetLink: `${ADDRESS}/reset` },
  'password-reset': { link: `${ADDRESS}/reset?token=abc`, minutes: 15 },
  'password-changed': {},
  'new-sign-in': { device: 'Firefox on Linux', address: '203.0.113.7', time: Date.UTC(2026, 0, 10, 12) / 1000 },
  impersonated: { time: Date.UTC(2026, 0, 10, 12) / 1000, minutes: 30 },
  'identity-bound': { provider: 'GitHub' },
  'identity-unbound': { provider: 'GitHub' },
  'factor-added': { kind: 'totp' },
  'factor-removed': { kind: 'passkey' },
  'email-changed': {},
  'account-deleted': {},
  alert: { title: 'Something happened', text: 'This is what happened.', link: `${ADDRESS}/panel/log` },
  'group-reached': { group: 'VIP' },
  'smtp-test': {},
};
const names = Object.keys(samples) as TemplateName[];

describe.each(languages)('%s', (language) => {
  test.each(names)('%s has a short subject, all its values and no foreign link', (template) => {
    const { subject, text, html } = renderMail(template, samples[template], language, site);
    expect(subject.length).toBeGreaterThan(0);
    expect(subject.length).toBeLessThanOrEqual(60);
    for (const [name, value] of Object.entries(samples[template])) {
      if (name === 'time' || name === 'kind') continue;
      expect(`${subject}\n${text}`).toContain(String(value));
    }
    for (const [link] of `${text}${html}`.matchAll(/https?:\/\/[^\s"<)）]+/g))
      expect(link.startsWith(ADDRESS)).toBe(true);
    expect(html).not.toMatch(/<img|<script|<link|url\(/);
    expect(`${text}${html}`).not.toMatch(/undefined|\[object/);
  });
});

test.each(['zh_CN', 'zh_HK'] as const)('%s addresses people in one way', (language) => {
  const texts = names.map((name) => renderMail(name, samples[name], language, site).text);
  expect(texts.join('')).toContain('您');
  expect(texts.filter((text) => text.includes('你'))).toEqual([]);
});

test('a sign-in mail has its time in UTC', () => {
  const { text } = renderMail('new-sign-in', samples['new-sign-in'], 'en_US', site);
  expect(text).toContain('January 10, 2026 at 12:00 PM UTC');
});

test('values are text in HTML, never markup', () => {
  const device = `<a href="https://evil.example">'&"</a>`;
  const { html } = renderMail('new-sign-in', { ...samples['new-sign-in'], device }, 'en_US', site);
  expect(html).toContain('&lt;a href=&quot;https://evil.example&quot;&gt;&#39;&amp;&quot;&lt;/a&gt;');
});

test('a line break in a value ends neither the subject nor the line', () => {
  const provider = 'GitHub\r\nBcc: eve\u2028\0';
  const { subject, text } = renderMail('identity-bound', { provider }, 'en_US', { ...site, name: 'A\nB' });
  expect(subject).toBe('GitHub Bcc: eve can now sign in to your account');
  expect(text).toContain('at A B was connected to GitHub Bcc: eve, which');
});

test('a long value does not make a long subject', () => {
  const { subject } = renderMail('identity-bound', { provider: '𠮷'.repeat(100) }, 'en_US', site);
  expect(Array.from(subject).length).toBe(60);
});
