import { describe, expect, test } from 'vitest';
import { findMissingCredential, readCredentials, resolveBaseUrl } from '../auth/upstream-credentials.ts';
import { planExchange } from '../exchange/plan-exchange.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import { planModelLists } from '../provider-kit/passthrough-and-account-requests.ts';
import { sampleRequest } from '../testing/sample-requests.ts';
import { bedrock } from './bedrock.ts';

function target(key: string, changes: Partial<Target> = {}): Target {
  const credentials = readCredentials(bedrock, key);
  return {
    provider: bedrock,
    baseUrl: resolveBaseUrl(bedrock, '', { credentials, options: {} }),
    credentials,
    options: {},
    headers: {},
    model: 'amazon.nova-lite-v1:0',
    ...changes,
  };
}

const headerNames = ({ headers }: { headers: string[] }): string[] => headers.filter((_, at) => at % 2 === 0);

describe('a key', () => {
  test.each([
    ['eu-west-1|AKIDEXAMPLE|secret', ['authorization', 'x-amz-content-sha256', 'x-amz-date']],
    [
      'eu-west-1|AKIDEXAMPLE|secret|session',
      ['authorization', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'],
    ],
    ['eu-west-1|api-key', ['authorization']],
  ])('of the form %s signs in at its region', (key, names) => {
    const exchange = planExchange(sampleRequest('openai-chat'), target(key));
    expect(exchange.url).toContain('https://bedrock-runtime.eu-west-1.amazonaws.com/');
    expect(
      headerNames(exchange)
        .filter((name) => /^(x-amz|authorization)/.test(name))
        .toSorted(),
    ).toEqual(names);
  });

  test.each(['', 'eu-west-1', '|AKIDEXAMPLE|secret'])('is refused as %j', (key) => {
    expect(findMissingCredential(bedrock, key)).toBeDefined();
  });
});

describe('the lists of models', () => {
  test('requests the model lists at another host, each with its own signature', () => {
    const requests = planModelLists(target('eu-west-1|AKIDEXAMPLE|secret'));
    expect(requests.map(({ url }) => new URL(url).host)).toEqual(Array(2).fill('bedrock.eu-west-1.amazonaws.com'));
    const signatures = requests.map(({ headers }) => headers['authorization']);
    expect(new Set(signatures).size).toBe(2);
    for (const signature of signatures) expect(signature).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
  });

  test('requests the model lists at the operator’s address if it is not Amazon’s', () => {
    const requests = planModelLists(target('eu-west-1|key', { baseUrl: 'https://proxy.test' }));
    expect(requests[0]?.url).toMatch(/^https:\/\/proxy\.test\/foundation-models\?/);
  });
});

test.each(['', '.', '..'])('refuses the model name %j', (model) => {
  const own = target('eu-west-1|key', { model });
  expect(() => planExchange(sampleRequest('openai-chat'), own)).toThrow(InvalidRequestError);
});

test('encodes a model’s name as one path segment', () => {
  const { url } = planExchange(sampleRequest('openai-chat'), target('eu-west-1|key', { model: 'a/../b?c#d' }));
  expect(new URL(url).pathname).toBe('/model/a%2F..%2Fb%3Fc%23d/converse');
});
