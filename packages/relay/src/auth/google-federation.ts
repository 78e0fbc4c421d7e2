/**
 * Google's sign-in for identities of another provider ("workload identity federation"): its subject token is
 * exchanged for a token of Google's, and that, if the account says so, for a token of a service account.
 * https://cloud.google.com/iam/docs/workload-identity-federation-with-other-providers,
 * https://google.aip.dev/auth/4117
 */

import { UpstreamError } from '../errors/upstream-error.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../json/json.ts';
import type { TokenExchange, TokenRequest } from '../model/provider.ts';
import { connectionHeaders } from '../provider-kit/upstream-url-and-headers.ts';
import { oauthHeaders } from './upstream-credentials.ts';

/** Fixed URL, because a URL of the JSON could redirect the subject token to another host. */
const EXCHANGE_URL = 'https://sts.googleapis.com/v1/token';
/** Only URL that Google's own clients accept for impersonation; see the AIP. */
const impersonation =
  /^https:\/\/iamcredentials\.googleapis\.com\/v1\/projects\/-\/serviceAccounts\/[\w.@-]+:generateAccessToken$/;
const LIFETIME_SECONDS = 3600;
/** A subject token is one word. */
const oneWord = /^\S+$/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerText = /^[\t\x20-\x7e]+$/;

type Answer = Parameters<NonNullable<TokenRequest['next']>>[0];

/**
 * Plans the first call for such an account. Its subject token is at an address, or in the JSON as
 * `credential_source.subject_token`, an extension of this gateway. Files, programs and the server's metadata are
 * refused: an editor of channels must not reach them. @throws UpstreamError
 */
export function planFederatedSignIn(account: JsonObject): TokenRequest {
  const source = account['credential_source'];
  if (!isObject(source)) throw unusableKeyError('credential_source is missing');
  const exchange = planExchange(account);
  const inline = textOf(source['subject_token'])?.trim();
  if (inline !== undefined) return exchange(inline);
  const url = textOf(source['url']);
  if (source['environment_id'] !== undefined || url === undefined || !isWebAddress(url))
    throw unusableKeyError('credential_source must have subject_token or an HTTP url');
  return {
    method: 'GET',
    url,
    headers: readHeaders(source),
    next(answer) {
      const token = subjectToken(answer, objectOf(source['format']))?.trim();
      return token !== undefined && oneWord.test(token) ? exchange(token) : undefined;
    },
  };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** @throws UpstreamError */
function readHeaders(source: JsonObject): Record<string, string> {
  const headers = Object.entries(objectOf(source['headers']));
  return Object.fromEntries(
    headers.map(([name, value]) => {
      const text = textOf(value) ?? '';
      if (!headerName.test(name) || connectionHeaders.has(name.toLowerCase()) || !headerText.test(text))
        throw unusableKeyError('credential_source.headers contains a header that cannot be sent');
      return [name, text];
    }),
  );
}

function subjectToken({ json, text }: Answer, format: JsonObject): string | undefined {
  if (format['type'] !== 'json') return text;
  return textOf(objectOf(json)[textOf(format['subject_token_field_name']) ?? '']);
}

/** @throws UpstreamError */
function planExchange(account: JsonObject): (token: string) => TokenRequest {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: requireField(account, 'audience'),
    subject_token_type: requireField(account, 'subject_token_type'),
    scope: CLOUD_SCOPE,
  };
  const next = planImpersonation(account);
  const headers = { ...oauthHeaders, ...clientHeader(account) };
  return (token) => ({
    url: EXCHANGE_URL,
    headers,
    body: new URLSearchParams({ ...form, subject_token: token }).toString(),
    ...(next && { next }),
  });
}

/**
 * Returns the basic authorization of an account whose client also signs in at Google ("workforce identity federation").
 */
function clientHeader(account: JsonObject): Record<string, string> {
  const [id, secret] = [textOf(account['client_id']), textOf(account['client_secret'])];
  if (id === undefined || secret === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

/** @throws UpstreamError */
function planImpersonation(account: JsonObject): TokenRequest['next'] {
  const url = textOf(account['service_account_impersonation_url']);
  if (url === undefined) return undefined;
  if (!impersonation.test(url)) throw unusableKeyError('service_account_impersonation_url is not Google’s');
  return ({ json }) => {
    const token = textOf(objectOf(json)['access_token']);
    if (token === undefined) return undefined;
    return {
      url,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ scope: [CLOUD_SCOPE], lifetime: `${LIFETIME_SECONDS}s` }),
    };
  };
}

/** Reads the token of the service account: `{"accessToken","expireTime"}`. */
export const readImpersonatedToken: TokenExchange['read'] = (answer) => {
  const token = textOf(objectOf(answer)['accessToken']);
  return token === undefined ? undefined : { token, lastsSeconds: LIFETIME_SECONDS };
};

/** OAuth scope of all services of Google Cloud. */
export const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Returns a field of the key's JSON. @throws UpstreamError if it is missing */
export function requireField(json: JsonObject, name: string): string {
  const value = textOf(json[name]);
  if (value === undefined) throw unusableKeyError(`${name} is missing`);
  return value;
}

export function unusableKeyError(why: string): UpstreamError {
  return new UpstreamError('unauthorised', `The channel’s key is not a valid Google account: ${why}.`, { status: 0 });
}
