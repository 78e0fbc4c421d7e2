import { describe, expect, test } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { Target } from '../model/provider.ts';
import { planModelLists } from '../provider-kit/passthrough-and-account-requests.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const KEY = 'sample-secret-key&more';
const custom = (options: Target['options']): Target => sampleTarget('custom', { options, credentials: { key: KEY } });
const planned = (options: Target['options']) => planExchange(sampleRequest('openai-chat'), custom(options));

describe('the key of a custom channel', () => {
  test.each([
    [{}, 'authorization', `Bearer ${KEY}`],
    [{ auth: 'x-api-key' }, 'x-api-key', KEY],
    [{ auth: 'api-key' }, 'api-key', KEY],
  ])('is sent in one header with %j', (options, name, value) => {
    const { url, headers } = planned(options);
    expect(url).toBe('https://upstream.test/v1/chat/completions');
    expect(headers[headers.indexOf(name) + 1]).toBe(value);
    expect(headers.filter((text) => text.includes(KEY))).toHaveLength(1);
  });

  test.each(['?key', '?api_key', '?access_token'])('is sent only in the URL with %s', (auth) => {
    const { url, headers } = planned({ auth });
    expect(url).toBe(`https://upstream.test/v1/chat/completions${auth}=sample-secret-key%26more`);
    expect(headers.join(' ')).not.toContain('sample-secret-key');
    expect(planned({ auth, chatPath: '/chat?v=2' }).url).toBe(
      `https://upstream.test/chat?v=2&${auth.slice(1)}=sample-secret-key%26more`,
    );
    expect(planModelLists(custom({ auth })).map(({ url: list }) => list)).toEqual([
      `https://upstream.test/v1/models${auth}=sample-secret-key%26more`,
    ]);
  });

  test('sends no key when the channel has none', () => {
    const target = sampleTarget('custom', { options: { auth: '?key' }, credentials: {} });
    expect(planExchange(sampleRequest('openai-chat'), target).url).not.toContain('?');
  });
});
