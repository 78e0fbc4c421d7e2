import { expect, test } from 'vitest';
import type { Provider } from '../model/provider.ts';
import { openai } from '../providers/openai.ts';
import { findMissingCredential, readCredentials, resolveBaseUrl } from './upstream-credentials.ts';

const composite: Provider = {
  ...openai,
  credentials: [
    { name: 'region', required: true },
    { name: 'accessKey', required: true },
    { name: 'secretKey', required: false },
  ],
};

test('reads a single credential as the whole key, with any content', () => {
  expect(readCredentials(openai, 'a|b')).toEqual({ key: 'a|b' });
});

test('reads several credentials in order, the last with the rest of the text', () => {
  const credentials = { region: 'eu-west-1', accessKey: 'AK', secretKey: 'S|K' };
  expect(readCredentials(composite, 'eu-west-1| AK |S|K')).toEqual(credentials);
});

test('finds the first required credential that is missing', () => {
  expect(findMissingCredential(composite, 'eu-west-1')).toBe('accessKey');
  expect(findMissingCredential(composite, '|AK')).toBe('region');
  expect(findMissingCredential(composite, 'eu-west-1|AK')).toBeUndefined();
});

test('uses the base URL of the account’s region unless the operator sets one', () => {
  const regional: Provider = {
    ...composite,
    baseUrl: 'https://{region}.vendor.test/{version}',
    options: [{ name: 'version', required: false, default: 'v2' }],
  };
  const account = { credentials: { region: 'eu/..' }, options: {} };
  expect(resolveBaseUrl(regional, '', account)).toBe('https://eu%2F...vendor.test/v2');
  expect(resolveBaseUrl(regional, 'https://own.test/', account)).toBe('https://own.test');
});
