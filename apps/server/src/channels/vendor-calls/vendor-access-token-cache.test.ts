import { generateKeyPairSync } from 'node:crypto';
import type { Provider, Target } from '@switchyard/relay';
import { findProvider, planExchange, readRequest, resolveBaseUrl } from '@switchyard/relay';
import { describe, expect, test } from 'vitest';
import type { JsonRequest, JsonResponse, Outbound } from '../../platform/outbound/outbound.ts';
import { createVendorTokenCache } from './vendor-access-token-cache.ts';

const HOUR_MS = 3_600_000;

function signingIn(): Provider {
  const openai = findProvider('openai');
  if (openai === undefined) throw new Error('no provider');
  return {
    ...openai,
    accessToken: {
      request: ({ credentials: { key = '' } }) =>
        key === 'plain' ? undefined : { url: 'https://sign-in.test/token', headers: {}, body: `key=${key}` },
      read: (answer) => (typeof answer === 'string' ? { token: answer, lastsSeconds: HOUR_MS / 1000 } : undefined),
    },
  };
}

function target(key = 'secret'): Omit<Target, 'model'> {
  return { provider: signingIn(), baseUrl: 'https://x.test', credentials: { key }, options: {}, headers: {} };
}

/** @param answers one after the other; a number is a status that refuses */
function setup(answers: (string | number | Error)[]) {
  const clock = { at: 1_790_000_000_000, passed: 0, now: () => clock.at, elapsed: () => clock.passed };
  const requests: JsonRequest[] = [];
  const fetchJson = async (request: JsonRequest): Promise<JsonResponse> => {
    requests.push(request);
    const answer = answers.shift() ?? 500;
    if (answer instanceof Error) throw answer;
    return typeof answer === 'string'
      ? { status: 200, headers: {}, json: answer, text: '' }
      : { status: answer, headers: {}, json: undefined, text: '' };
  };
  const outbound: Pick<Outbound, 'fetchJson'> = { fetchJson };
  return { clock, asked: requests, tokens: createVendorTokenCache({ clock, outbound }) };
}

describe('a vendor token', () => {
  test('requests a token once and shares it between concurrent callers', async () => {
    const { tokens, asked } = setup(['one']);
    const all = await Promise.all([tokens.signIn(target(), ''), tokens.signIn(target(), '')]);
    expect(all.map(({ credentials }) => credentials)).toEqual([
      { key: 'secret', accessToken: 'one' },
      { key: 'secret', accessToken: 'one' },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', body: 'key=secret', timeoutMs: 10_000 });
  });

  test('shares only the token between channels with the same credentials', async () => {
    const { tokens, asked } = setup(['one']);
    const first = { ...target(), headers: { 'x-of': 'first' } };
    const second = { ...target(), baseUrl: 'https://y.test' };
    await tokens.signIn(first, '');
    const signedIn = await tokens.signIn(second, '');
    const credentials = { key: 'secret', accessToken: 'one' };
    expect(signedIn).toEqual({ ...second, credentials });
    expect(await tokens.signIn(first, '')).toEqual({ ...first, credentials });
    expect(await tokens.signIn(second, '')).toBe(signedIn);
    expect(asked).toHaveLength(1);
  });

  test('belongs to its credentials', async () => {
    const { tokens } = setup(['one', 'two']);
    await tokens.signIn(target('a'), '');
    expect((await tokens.signIn(target('b'), '')).credentials['accessToken']).toBe('two');
  });

  test('belongs to the other parts of the credentials, too', async () => {
    const { tokens } = setup(['one', 'two']);
    await tokens.signIn({ ...target(), options: { tenant: 'a' } }, '');
    const other = await tokens.signIn({ ...target(), options: { tenant: 'b' } }, '');
    expect(other.credentials['accessToken']).toBe('two');
  });

  test('replaces a token before it expires, regardless of changes of the clock', async () => {
    const { tokens, clock } = setup(['one', 'two']);
    await tokens.signIn(target(), '');
    clock.passed += HOUR_MS - 61_000;
    clock.at -= HOUR_MS;
    expect((await tokens.signIn(target(), '')).credentials['accessToken']).toBe('one');
    clock.passed += 2_000;
    expect((await tokens.signIn(target(), '')).credentials['accessToken']).toBe('two');
  });

  test('replaces a token after the vendor refused it', async () => {
    const { tokens } = setup(['one', 'two']);
    const signedIn = await tokens.signIn(target(), '');
    tokens.invalidate(signedIn);
    expect((await tokens.signIn(target(), '')).credentials['accessToken']).toBe('two');
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
      await expect(Promise.resolve(tokens.signIn(target(), ''))).rejects.toMatchObject({ kind });
      expect((await tokens.signIn(target(), '')).credentials['accessToken']).toBe('one');
    },
  );

  test('passes on what this process lacks to connect, which is no failure of the vendor', async () => {
    const shortage = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' });
    const { tokens } = setup([shortage, 'one']);
    await expect(Promise.resolve(tokens.signIn(target(), ''))).rejects.toBe(shortage);
    expect((await tokens.signIn(target(), '')).credentials['accessToken']).toBe('one');
  });

  test('requests no token where the vendor wants none', () => {
    const { tokens, asked } = setup([]);
    const { accessToken: _token, ...plain } = signingIn();
    const without = { ...target(), provider: plain };
    expect(tokens.signIn(without, '')).toBe(without);
    const plainKey = target('plain');
    expect(tokens.signIn(plainKey, '')).toBe(plainKey);
    expect(asked).toEqual([]);
  });
});

describe('a vendor that wants a token', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const service = JSON.stringify({
    type: 'service_account',
    project_id: 'p1',
    client_email: 'robot@p1.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}');
  const request = readRequest({ operation: 'chat', format: 'openai-chat' }, body, {});

  function account(id: string, key: string, options: Record<string, string>): Omit<Target, 'model'> {
    const provider = findProvider(id);
    if (provider === undefined) throw new Error('no provider');
    const own = { credentials: { key }, options, headers: {} };
    return { ...own, provider, baseUrl: resolveBaseUrl(provider, '', own) || 'https://own.openai.azure.com' };
  }

  test.each([
    ['vertex', service, {}, 'https://oauth2.googleapis.com/token'],
    ['azure', 'secret', { tenant: 't', client: 'c' }, 'https://login.microsoftonline.com/t/oauth2/v2.0/token'],
  ])('%s is called with it, and with nothing that bought it', async (id, key, options, url) => {
    const requests: JsonRequest[] = [];
    const fetchJson = async (call: JsonRequest): Promise<JsonResponse> => {
      requests.push(call);
      const json = { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' };
      return { status: 200, headers: {}, json, text: '' };
    };
    const tokens = createVendorTokenCache({ clock: { now: () => 0, elapsed: () => 0 }, outbound: { fetchJson } });
    for (const model of ['gemini-2.5-flash', 'gemini-2.5-pro']) {
      const target = { ...(await tokens.signIn(account(id, key, options), '')), model };
      const { headers } = planExchange(request, target);
      expect(headers[headers.indexOf('authorization') + 1]).toBe('Bearer ya29.token');
      expect(headers.join(' ')).not.toContain(key);
    }
    expect(requests.map((call) => call.url)).toEqual([url]);
  });

  test('requests a federated token step by step, and fails when any step fails', async () => {
    const federated = JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/their-pool',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      service_account_impersonation_url:
        'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/r@p1.iam.gserviceaccount.com:generateAccessToken',
      credential_source: { url: 'https://their.example/id-token' },
    });
    const requests: JsonRequest[] = [];
    const answers: JsonResponse[] = [
      { status: 200, headers: {}, json: undefined, text: 'not for you' },
      { status: 200, headers: {}, json: undefined, text: 'a.b.c' },
      { status: 400, headers: {}, json: { error: 'invalid_grant', access_token: 'none' }, text: '' },
      { status: 200, headers: {}, json: undefined, text: 'a.b.c' },
      { status: 200, headers: {}, json: { access_token: 'ya29.theirs', expires_in: 3600 }, text: '' },
      { status: 200, headers: {}, json: { accessToken: 'ya29.robot' }, text: '' },
    ];
    const fetchJson = async (call: JsonRequest): Promise<JsonResponse> => {
      requests.push(call);
      return answers[requests.length - 1] ?? { status: 500, headers: {}, json: undefined, text: '' };
    };
    const tokens = createVendorTokenCache({ clock: { now: () => 0, elapsed: () => 0 }, outbound: { fetchJson } });
    const channel = account('vertex', federated, { project: 'p1' });
    const signIn = async () => (await tokens.signIn(channel, 'http://proxy.test')).credentials['accessToken'];
    await expect(signIn()).rejects.toMatchObject({ kind: 'unauthorised' });
    await expect(signIn()).rejects.toMatchObject({ kind: 'unauthorised', status: 400 });
    expect(await signIn()).toBe('ya29.robot');
    expect(await signIn()).toBe('ya29.robot');
    expect(requests.map(({ method, url }) => `${method} ${new URL(url).host}`)).toEqual([
      'GET their.example',
      'GET their.example',
      'POST sts.googleapis.com',
      'GET their.example',
      'POST sts.googleapis.com',
      'POST iamcredentials.googleapis.com',
    ]);
    expect(requests.every(({ proxy, timeoutMs }) => proxy === 'http://proxy.test' && timeoutMs === 10_000)).toBe(true);
  });

  test('requests no token with a key of Baidu’s first API', () => {
    const fetchJson = () => Promise.reject(new Error('asked'));
    const tokens = createVendorTokenCache({ clock: { now: () => 0, elapsed: () => 0 }, outbound: { fetchJson } });
    const first = account('baidu', 'apikey|secretkey', {});
    expect(() => tokens.signIn(first, '')).toThrow('ended on 2026-08-31');
    const second = account('baidu', 'bce-v3/ALTAK-x/y', {});
    expect(tokens.signIn(second, '')).toBe(second);
  });
});
