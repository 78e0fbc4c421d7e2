import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatDuration,
  formatExactUsd,
  formatMoment,
  formatNumber,
  formatPercentChange,
  formatPoints,
  formatRelative,
  formatUsd,
} from './format.ts';

describe('money', () => {
  it.each([
    [0, '$0'],
    [1, '$0.000002'],
    [2100, '$0.0042'],
    [210_000, '$0.42'],
    [500_000, '$1.00'],
    [602_155_000, '$1,204.31'],
    [-250_000, '-$0.50'],
  ])('shows %d points as %s', (points, text) => {
    expect(formatPoints('en_US', points)).toBe(text);
  });

  it('keeps every decimal of a single point, so that no charge looks free', () => {
    expect(formatPoints('en_US', 123)).toBe('$0.00025');
    expect(formatUsd('zh_CN', 0.000002)).toContain('0.000002');
  });

  it('distinguishes unknown from zero', () => {
    expect(formatPoints('en_US', undefined)).toBe('–');
    expect(formatNumber('en_US', null)).toBe('–');
    expect(formatNumber('en_US', 0)).toBe('0');
  });
});

describe('sizes', () => {
  it.each([
    [0, '0 byte'],
    [999, '999 byte'],
    [8_192, '8.2 kB'],
    [1_300_000_000, '1.3 GB'],
  ])('shows %d bytes as %s', (bytes, text) => {
    expect(formatBytes('en_US', bytes)).toBe(text);
  });
});

describe('time', () => {
  it.each([
    [0, '0 ms'],
    [640, '640 ms'],
    [2_430, '2.4 sec'],
    [65_000, '1 min 5 sec'],
    [300_000, '5 min'],
    [12_000_000, '3 hr 20 min'],
    [3_600_000, '1 hr'],
    [2 * 86_400_000 + 3_600_000, '2 days 1 hr'],
  ])('shows %d ms as %s', (milliseconds, text) => {
    expect(formatDuration('en_US', milliseconds)).toBe(text);
  });

  it('formats past and future times in the current language', () => {
    expect(formatRelative('en_US', 1000, 1000 + 7200)).toBe('2 hr. ago');
    expect(formatRelative('zh_CN', 1000 + 3 * 86_400, 1000)).toBe('3天后');
  });

  it('shows the time zone of an exact time', () => {
    expect(formatMoment('en_US', 1_700_000_000)).toMatch(/2023.*(UTC|GMT|[A-Z]{2,4})/);
  });
});

it('shows every digit of a rate', () => {
  expect([0, 2, 0.125, 0.0033, 0.000_000_5].map((usd) => formatExactUsd('en_US', usd))).toEqual([
    '$0',
    '$2.00',
    '$0.125',
    '$0.0033',
    '$0.0000005',
  ]);
});

it.each([
  [0.12, '+12%'],
  [-0.5, '-50%'],
  [0.001, '0%'],
  [-0.001, '0%'],
])('shows a relative change of %d as %s', (change, text) => {
  expect(formatPercentChange('en_US', change)).toBe(text);
});
