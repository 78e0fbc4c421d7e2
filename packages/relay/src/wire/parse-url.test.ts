import { expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { parseUrl } from './parse-url.ts';

const BASE = 'https://base.example/path/';

it.each([
  'https://vendor.example:8443/a?b#c',
  `https://user:${'p'.repeat(2_000)}@vendor.example/`,
  `https://vendor.example/${'ü'.repeat(4_000)}?${'q'.repeat(4_000)}@x`,
  `https://vendor.example?${'q'.repeat(4_000)}`,
  'https://模型.example/',
  'http://[::1]:80/',
  `/${'p'.repeat(2_000)}`,
  'p'.repeat(2_000),
  '//other.example/a',
  '?only=query',
  '',
  'https://',
  'no address:',
])('parses %.60s as URL does', (text) => {
  expect(parseUrl(text)?.href).toBe(URL.parse(text)?.href);
  expect(parseUrl(text, BASE)?.href).toBe(URL.parse(text, BASE)?.href);
});

const han = Array.from({ length: 20_000 }, (_, nth) => String.fromCodePoint(0x4e00 + nth)).join('');

it.each([
  ['https://', ''],
  ['https:', ''],
  ['https:\\\\', ''],
  ['https:////', ''],
  [' ht\ntps:/\t/', ''],
  ['https://user:word@', ''],
  ['https://user@a@', ':443/path'],
  ['//', ''],
  [' /\t\\', ''],
  ['https://xn--', '-0ca'],
])('refuses a long host after %j quickly', (before, after) => {
  const readCpuMs = startCpuTimer();
  for (const host of [han, encodeURIComponent(han), 'ü.'.repeat(10_000)])
    expect(parseUrl(`${before}${host}${after}`, BASE)).toBeUndefined();
  expect(readCpuMs()).toBeLessThan(20);
});

it('parses the longest host quickly', () => {
  const readCpuMs = startCpuTimer();
  parseUrl(`https://${han.slice(0, 508)}.com`);
  expect(readCpuMs()).toBeLessThan(20);
});
