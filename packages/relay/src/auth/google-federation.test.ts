import { describe, expect, test } from 'vitest';
import { googleTokenExchange } from './google-account.ts';

const audience = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/their-oidc';
const robot =
  'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/robot@p1.iam.gserviceaccount.com:generateAccessToken';
/** As `gcloud iam workload-identity-pools create-cred-config … --credential-source-url` writes it. */
const federated = {
  type: 'external_account',
  audience,
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://elsewhere.test/token',
  credential_source: {
    url: 'https://their.example/id-token',
    headers: { 'x-of': 'ours' },
    format: { type: 'json', subject_token_field_name: 'value' },
  },
};

function asked(json: object) {
  const request = googleTokenExchange.request({ credentials: { key: JSON.stringify(json) }, options: {} }, 0);
  if (request === undefined) throw new Error('no call');
  return request;
}

const form = (body: string | undefined) => Object.fromEntries(new URLSearchParams(body));

describe('a federated Google account', () => {
  test('gets the subject token, and exchanges it only at Google', () => {
    const first = asked(federated);
    expect(first).toMatchObject({ method: 'GET', url: 'https://their.example/id-token', headers: { 'x-of': 'ours' } });
    expect(first.body).toBeUndefined();
    const exchange = first.next?.({ json: { value: 'a.b.c' }, text: '' });
    expect(exchange).toMatchObject({
      url: 'https://sts.googleapis.com/v1/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form(exchange?.body)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: 'a.b.c',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    });
    expect(exchange !== undefined && Object.hasOwn(exchange, 'next')).toBe(false);
  });

  test('reads the subject token as plain text by default', () => {
    const { headers: _headers, format: _format, ...source } = federated.credential_source;
    const first = asked({ ...federated, credential_source: source });
    expect(first.headers).toEqual({});
    expect(form(first.next?.({ json: undefined, text: 'a.b.c\n' })?.body)['subject_token']).toBe('a.b.c');
  });

  test.each([
    { json: { other: 'a.b.c' }, text: '{}' },
    { json: undefined, text: 'a.b.c' },
    { json: { value: 'two words' }, text: '{}' },
  ])('fails without a subject token (%#)', (answer) => {
    expect(asked(federated).next?.(answer)).toBeUndefined();
  });

  test('accepts a subject token in the key, and its own client', () => {
    const inline = { credential_source: { subject_token: 'a.b.c' }, client_id: 'id', client_secret: 'secret' };
    const exchange = asked({ ...federated, ...inline });
    expect(exchange.url).toBe('https://sts.googleapis.com/v1/token');
    expect(exchange.headers['authorization']).toBe(`Basic ${Buffer.from('id:secret').toString('base64')}`);
    expect(form(exchange.body)['subject_token']).toBe('a.b.c');
  });

  test('impersonates the service account that the key names', () => {
    const source = { subject_token: 'a.b.c' };
    const exchange = asked({ ...federated, credential_source: source, service_account_impersonation_url: robot });
    const last = exchange.next?.({ json: { access_token: 'ya29.theirs', expires_in: 3600 }, text: '' });
    expect(last).toEqual({
      url: robot,
      headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.theirs' },
      body: '{"scope":["https://www.googleapis.com/auth/cloud-platform"],"lifetime":"3600s"}',
    });
    expect(exchange.next?.({ json: { error: 'invalid_grant' }, text: '' })).toBeUndefined();
    expect(googleTokenExchange.read({ accessToken: 'ya29.robot', expireTime: '2026-11-22T04:00:00Z' })).toEqual({
      token: 'ya29.robot',
      lastsSeconds: 3600,
    });
  });

  const { audience: _audience, ...nowhere } = federated;
  const { credential_source: source, ...sourceless } = federated;
  test.each([
    [nowhere, 'audience is missing'],
    [sourceless, 'credential_source is missing'],
    [{ ...federated, credential_source: { file: '/var/run/token' } }, 'must have subject_token'],
    [{ ...federated, credential_source: { executable: { command: '/bin/true' } } }, 'must have subject_token'],
    [{ ...federated, credential_source: { url: 'file:///etc/passwd' } }, 'must have subject_token'],
    [
      { ...federated, credential_source: { environment_id: 'aws1', url: 'http://169.254.169.254/' } },
      'must have subject_token',
    ],
    [
      { ...federated, service_account_impersonation_url: `https://elsewhere.test/?${robot}` },
      'service_account_impersonation_url is not Google’s',
    ],
    [
      { ...federated, service_account_impersonation_url: robot.replace('.googleapis.com', '.googleapis.com.test') },
      'service_account_impersonation_url is not Google’s',
    ],
    [{ ...federated, credential_source: { ...source, headers: { Host: 'other.example' } } }, 'cannot be sent'],
    [{ ...federated, credential_source: { ...source, headers: { 'x-a': 'b\r\nx-c: d' } } }, 'cannot be sent'],
    [{ ...federated, credential_source: { ...source, headers: { 'x-a: b\r\nx-c': 'd' } } }, 'cannot be sent'],
  ])('refuses sources that a channel must not read from the server (%#)', (key, why) => {
    expect(() => asked(key)).toThrow(expect.objectContaining({ kind: 'unauthorised' }));
    expect(() => asked(key)).toThrow(why);
  });
});
