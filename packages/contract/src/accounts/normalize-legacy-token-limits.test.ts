import { describe, expect, test } from 'vitest';
import { createApiKey } from './api-keys.ts';
import { normalizeTokenFields } from './normalize-legacy-token-limits.ts';

const limits = (models: string[], whitelist: string[], isLimited = models.length > 0) => ({
  name: 'a',
  setting: {
    limits: {
      limit_model_setting: { enabled: isLimited, models },
      limits_ip_setting: { enabled: whitelist.length > 0, whitelist },
    },
  },
});

describe('token limits of other gateways', () => {
  test.each([
    [{ model_limits_enabled: true, model_limits: 'a,b' }, limits(['a', 'b'], [])],
    [{ model_limits: 'a,b' }, limits(['a', 'b'], [])],
    [{ model_limits: ['a', 'b'] }, limits(['a', 'b'], [])],
    [{ model_limits_enabled: true, model_limits: '' }, limits([], [], true)],
    [{ allow_ips: '10.0.0.1\n10.1.0.0/16' }, limits([], ['10.0.0.1', '10.1.0.0/16'])],
    [{ models: 'a', subnet: '10.0.0.0/8, 192.168.0.1' }, limits(['a'], ['10.0.0.0/8', '192.168.0.1'])],
  ])('translates %j into limits', (fields, body) => {
    expect(normalizeTokenFields({ name: 'a', ...fields })).toEqual(body);
  });

  const blanks = Array<string>(1_000).fill('');
  test.each([
    ['blank texts before a name', [...blanks, 'a']],
    ['texts of separators before a name', [...blanks.fill(' ,;'), 'a']],
    ['separators before a name', `${', '.repeat(1_000)}a`],
    ['separators around a name', [`${',\n'.repeat(1_000)}a${';'.repeat(1_000)}`, '']],
  ])('reads every name despite %s', (_what, names) => {
    for (const field of ['models', 'model_limits'])
      expect(normalizeTokenFields({ name: 'a', [field]: names })).toEqual(limits(['a'], []));
    for (const field of ['allow_ips', 'subnet'])
      expect(normalizeTokenFields({ name: 'a', [field]: names })).toEqual(limits([], ['a']));
  });

  test.each([
    ['model_limits', 500, Array.from({ length: 500 }, (_, index) => `m${index}`)],
    ['allow_ips', 200, Array.from({ length: 200 }, (_, index) => `10.0.0.${index}`)],
  ])('refuses more %s than the %i that a token may have', (field, _most, names) => {
    const read = (list: string[]) =>
      createApiKey.safeParse(normalizeTokenFields({ name: 'a', unlimited_quota: true, [field]: list })).success;
    expect(read(names)).toBe(true);
    expect(read([...names, '10.1.0.1'])).toBe(false);
    expect(read([...names.flatMap((name) => ['', name]), '', '10.1.0.1'])).toBe(false);
  });

  test.each([
    { model_limits_enabled: false, model_limits: 'a' },
    { model_limits_enabled: false, model_limits: '', allow_ips: null, cross_group_retry: false },
    { models: null, subnet: '' },
  ])('reads no limit from %j', (fields) => {
    expect(normalizeTokenFields({ name: 'a', ...fields })).toEqual({ name: 'a' });
  });

  test.each([
    { model_limits: { a: true } },
    { model_limits_enabled: 'yes', model_limits: 'a' },
    { allow_ips: 7 },
    { cross_group_retry: true },
    { models: 'a', setting: {} },
  ])('leaves %j unchanged for validation to refuse', (fields) => {
    expect(normalizeTokenFields({ name: 'a', ...fields })).toEqual({ name: 'a', ...fields });
  });

  test.each([
    ['one text', 'a,'.repeat(100_000)],
    ['a list of texts', Array<string>(1_000).fill('a,'.repeat(1_000))],
    ['a long list', Array<string>(100_000).fill('a')],
  ])('reads %s of thousands of names only until there are too many', (_what, allow_ips) => {
    const body = normalizeTokenFields({ name: 'a', allow_ips }) as {
      setting: { limits: { limits_ip_setting: { whitelist: string[] } } };
    };
    const { length } = body.setting.limits.limits_ip_setting.whitelist;
    expect(length).toBeGreaterThan(500);
    expect(length).toBeLessThan(1_000);
  });
});
