import { expect, test } from 'vitest';
import type { Provider } from '../model/provider.ts';
import { openai } from '../providers/openai.ts';
import { findMissingCredential, readCredentials, resolveBaseUrl } from './credentials.ts';

const composite: Provider = {
  ...openai,
  credentials: [
    { name: 'region', required: true },
    { name: 'accessKey', required: true },
    { name: 'secretKey', required: false },
  ],
};

test('one credential is the whole key, whatever stands in it', () => {
  expect(readCredentials(openai, 'a|b')).toEqual({ key: 'a|b' });
});

test('several credentials stand in their order, the last with whatever is left', () => {
  const credentials = { region: 'eu-west-1', accessKey: 'AK', secretKey: 'S|K' };
  expect(readCredentials(composite, 'eu-west-1| AK |S|K')).toEqual(credentials);
});

test('the first credential that is needed and missing is told', () => {
  expect(findMissingCredential(composite, 'eu-west-1')).toBe('accessKey');
  expect(findMissingCredential(composite, '|AK')).toBe('region');
  expect(findMissingCredential(composite, 'eu-west-1|AK')).toBeUndefined();
});

test('an account is where its vendor has its region, unless its operator says where', () => {
  const regional: Provider = {
    ...composite,
    baseUrl: 'https://{region}.vendor.test/{version}',
    options: [{ name: 'version', required: false, default: 'v2' }],
  };
  const account = { credentials: { region: 'eu/..' }, options: {} };
  expect(resolveBaseUrl(regional, '', account)).toBe('https://eu%2F...vendor.test/v2');
  expect(resolveBaseUrl(regional, 'https://own.test/', account)).toBe('https://own.test');
});
