import { channel, type Provider } from '@switchyard/contract/channels/channels';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { channelSchema, copyValues, countKeys, newValues, withKnownOptions } from './channel-form-values.ts';

const openai: Provider = {
  type: 1,
  id: 'openai',
  label: 'OpenAI',
  website: '',
  base_url: 'https://api.openai.com',
  test_model: '',
  credentials: [{ name: 'key', required: true, placeholder: 'sk-…' }],
  options: [],
  can_list_models: true,
  can_read_balance: false,
};
const azure: Provider = {
  ...openai,
  type: 3,
  id: 'azure',
  base_url: '',
  options: [{ name: 'apiVersion', required: true, placeholder: '', default: '', choices: [], is_path: false }],
};
const filled = { ...newValues, name: 'eu', type: 1, models: ['gpt-5'] };
const problems = (values: typeof newValues) =>
  z
    .safeEncode(channelSchema([openai, azure]), values)
    .error?.issues.map(({ path }) => path.join('.'))
    .toSorted();

describe('channelSchema', () => {
  it('requires a base URL only if the provider has none', () => {
    expect(problems(filled)).toBeUndefined();
    expect(problems({ ...filled, type: 3, options: { apiVersion: '1' } })).toEqual(['base_url']);
  });

  it('requires the options that the provider needs', () => {
    expect(problems({ ...filled, type: 3, base_url: 'https://x.example' })).toEqual(['options.apiVersion']);
  });
});

describe('withKnownOptions', () => {
  it('drops the options of another provider', () => {
    const values = { ...filled, options: { apiVersion: '1', organization: 'o', empty: '' } };
    expect(withKnownOptions(values, azure).options).toEqual({ apiVersion: '1' });
  });
});

describe('copyValues', () => {
  it('copies no masked secret', () => {
    const stored = channel.parse({
      ...filled,
      model_headers: { 'x-key': '••••abcd', 'x-plain': 'yes' },
      proxy: '••••8080',
      id: 1,
      provider: 'openai',
      status: 1,
      key_hint: 'abcd',
      key_count: 1,
      keys_out: 0,
      caps: {},
      spent: { day: 0, month: 0 },
      capped_until: 0,
      created_time: 0,
      test_time: 0,
      response_time: 0,
      balance: null,
      balance_updated_time: 0,
      used_quota: 0,
      disabled_reason: '',
      cooldown_until: 0,
    });
    const copy = copyValues(stored, 'eu 2');
    expect(copy).toMatchObject({ name: 'eu 2', key: '', proxy: '', model_headers: { 'x-plain': 'yes' } });
  });
});

it('counts one key for each non-blank line', () => {
  expect(countKeys('sk-1\n\n  sk-2  \n')).toBe(2);
  expect(countKeys('{\n  "type": "service_account"\n}')).toBe(1);
});
