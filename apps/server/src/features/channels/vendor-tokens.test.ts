import type { Provider, Target } from '@switchyard/relay';
import { findProvider } from '@switchyard/relay';
import { describe, expect, test } from 'vitest';
import type { JsonAnswer, JsonRequest, Outbound } from '../../platform/outbound.ts';
import { createVendorTokens } from './vendor-tokens.ts';

const HOUR_MS = 3_600_000;

function signingIn(): Provider {
  const openai = findProvider('openai');
  if (openai === undefined) throw new Error('no provider');
  return {
    ...openai,
    accessToken: {
      request: ({ credentials: { key = '' } }) =>
        key === 'plain' ? undefined : { url: 'https://sign-in.test/token', headers: {}, body: `key=${key}` },
      read: (answer) =>
        typeof answer === 'string' ? { token: answer, lastsSeconds: HOUR_MS / 1000 } : undefined,
    },
  };
}

function target(key = 'secret'): Omit<Target, 'model'> {
  return { provider: signingIn(), baseUrl: 'https://x.test', credentials: { key }, options: {}, headers: {} };
}

/** @param answers one after the other; a number is a status that refuses */
function setup(answers: (string | number | Error)[]) {
  const clock = { at: 1_790_000_000_000, now: () => clock.at, elapsed: () => 0 };
  const asked: JsonRequest[] = [];
  const fetchJson = async (request: JsonRequest): Promise<JsonAnswer> => {
    asked.push(request);
    const answer = answers.shift() ?? 500;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'string'
      ? { status: 200, headers: {}, json: answer, text: '' }
      : { status: answer, headers: {}, json: undefined, text: '' };
  };
  const outbound: Pick<Outbound, 'fetchJson'> = { fetchJson };
  return { clock, asked, tokens: createVendorTokens({ clock, outbound }) };
}

describe('a token of a vendor', () => {
  test('is asked for once, by whoever needs it first, and serves all', async () => {
    const { tokens, asked } = setup(['one']);
    const all = await Promise.all([tokens.signedIn(target(), ''), tokens.signedIn(target(), '')]);
    expect(all.map(({ credentials }) => credentials)).toEqual([
      { key: 'secret', accessToken: 'one' },
      { key: 'secret', accessToken: 'one' },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', body: 'key=secret', timeoutMs: 10_000 });
  });

  test('belongs to its credentials', async () => {
    const { tokens } = setup(['one', 'two']);
    await tokens.signedIn(target('a'), '');
    expect((await tokens.signedIn(target('b'), '')).credentials['accessToken']).toBe('two');
  });

  test('belongs to what is said beside them, too', async () => {
    const { tokens } = setup(['one', 'two']);
    await tokens.signedIn({ ...target(), options: { tenant: 'a' } }, '');
    const other = await tokens.signedIn({ ...target(), options: { tenant: 'b' } }, '');
    expect(other.credentials['accessToken']).toBe('two');
  });

  test('is replaced before it ends', async () => {
    const { tokens, clock } = setup(['one', 'two']);
    await tokens.signedIn(target(), '');
    clock.at += HOUR_MS - 61_000;
    expect((await tokens.signedIn(target(), '')).credentials['accessToken']).toBe('one');
    clock.at += 2_000;
    expect((await tokens.signedIn(target(), '')).credentials['accessToken']).toBe('two');
  });

  test('is replaced after the vendor refused it', async () => {
    const { tokens } = setup(['one', 'two']);
    const signedIn = await tokens.signedIn(target(), '');
    tokens.forget(signedIn);
    expect((await tokens.signedIn(target(), '')).credentials['accessToken']).toBe('two');
  });

  test.each([
    [401, 'unauthorised'],
    [429, 'rate-limited'],
    [503, 'overloaded'],
    [new Error('no route'), 'unreachable'],
  ] as const)(
    'that is not given after %s makes the attempt fail, and the next one asks again',
    async (answer, kind) => {
      const { tokens } = setup([answer, 'one']);
      await expect(Promise.resolve(tokens.signedIn(target(), ''))).rejects.toMatchObject({ kind });
      expect((await tokens.signedIn(target(), '')).credentials['accessToken']).toBe('one');
    },
  );

  test('is not asked for where the vendor wants none', () => {
    const { tokens, asked } = setup([]);
    const { accessToken: _token, ...plain } = signingIn();
    const without = { ...target(), provider: plain };
    expect(tokens.signedIn(without, '')).toBe(without);
    const plainKey = target('plain');
    expect(tokens.signedIn(plainKey, '')).toBe(plainKey);
    expect(asked).toEqual([]);
  });
});
