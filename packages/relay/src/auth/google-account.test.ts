import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { googleTokenExchange, parseGoogleAccount } from './google-account.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const service = {
  type: 'service_account',
  project_id: 'sample-project',
  private_key_id: 'k1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'robot@sample-project.iam.gserviceaccount.com',
  token_uri: 'https://elsewhere.test/token',
};

function account(key: unknown) {
  return { credentials: { key: typeof key === 'string' ? key : JSON.stringify(key, null, 2) }, options: {} };
}

describe('a service account', () => {
  test('requests a token only from Google, with an assertion that is signed for an hour', async () => {
    const asked = googleTokenExchange.request(account(service), AT);
    expect(asked?.url).toBe('https://oauth2.googleapis.com/token');
    const form = new URLSearchParams(asked?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      currentDate: new Date(AT),
      audience: 'https://oauth2.googleapis.com/token',
      issuer: service.client_email,
      algorithms: ['RS256'],
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(payload).toMatchObject({
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iat: AT / 1000,
      exp: AT / 1000 + 3600,
    });
  });

  test('uses the token until Google’s expiry', () => {
    expect(googleTokenExchange.read({ access_token: 'ya29.x', expires_in: 3599, token_type: 'Bearer' })).toEqual({
      token: 'ya29.x',
      lastsSeconds: 3599,
    });
    expect(googleTokenExchange.read({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })).toBe(
      undefined,
    );
  });

  const { private_key: pem, ...keyless } = service;
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  test.each([
    [keyless, 'private_key is missing'],
    [{ ...service, client_email: 7 }, 'client_email is missing'],
    [{ ...service, private_key: String(pem).slice(0, 90) }, 'private_key is not an RSA key'],
    [{ ...service, private_key: elliptic.export({ type: 'pkcs8', format: 'pem' }) }, 'private_key is not an RSA key'],
  ])('blames the channel for an incomplete account (%#)', (key, why) => {
    const refused = { name: 'UpstreamError', kind: 'unauthorised' };
    expect(() => googleTokenExchange.request(account(key), AT)).toThrow(expect.objectContaining(refused));
    expect(() => googleTokenExchange.request(account(key), AT)).toThrow(why);
  });
});

test('requests a token for a user with the stored refresh token', () => {
  const person = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' };
  const asked = googleTokenExchange.request(account(person), AT);
  expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
    grant_type: 'refresh_token',
    client_id: 'c',
    client_secret: 's',
    refresh_token: 'r',
  });
});

test('needs no token for a plain API key', () => {
  expect(googleTokenExchange.request(account('AQ.sample'), AT)).toBeUndefined();
  expect(parseGoogleAccount(account('{ not JSON'))).toBeUndefined();
});
