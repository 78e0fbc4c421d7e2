/**
 * Google's sign-in for programs: https://developers.google.com/identity/protocols/oauth2/service-account, for people who
 * let a program act for them (`gcloud auth application-default login`), and for whoever another vouches for.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { isObject, type JsonObject, parseJson, textOf } from '../json/json.ts';
import type { Target, TokenExchange } from '../model/provider.ts';
import { oauthHeaders, readOauthToken } from './credentials.ts';
import { planFederatedSignIn, readImpersonatedToken } from './google-federation.ts';
import { CLOUD_SCOPE, requireField, unusableKeyError } from './google-key.ts';

/** Always the same: what the JSON says of it is not trusted with an assertion of who we are. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIFETIME_SECONDS = 3600;

type Account = Pick<Target, 'credentials'>;

/** Asked for several times with each call. */
const accounts = new WeakMap<Target['credentials'], { json: JsonObject | undefined }>();

/** The JSON that a channel's key is; undefined for a plain API key. */
export function parseGoogleAccount({ credentials }: Account): JsonObject | undefined {
  const known = accounts.get(credentials) ?? { json: readAccount(credentials['key'] ?? '') };
  accounts.set(credentials, known);
  return known.json;
}

function readAccount(key: string): JsonObject | undefined {
  const json = key.trimStart().startsWith('{') ? parseJson(key) : undefined;
  return isObject(json) ? json : undefined;
}

/** A plain API key is sent as it is. */
export const googleTokenExchange: TokenExchange = {
  request(account, at) {
    const json = parseGoogleAccount(account);
    if (json === undefined) return undefined;
    if (json['type'] === 'external_account') return planFederatedSignIn(json);
    const body = json['type'] === 'authorized_user' ? buildRefreshForm(json) : buildAssertion(json, at);
    return { url: TOKEN_URL, headers: oauthHeaders, body: new URLSearchParams(body).toString() };
  },
  read: (answer) => readOauthToken(answer) ?? readImpersonatedToken(answer),
};

function buildRefreshForm(json: JsonObject): Record<string, string> {
  return {
    grant_type: 'refresh_token',
    client_id: requireField(json, 'client_id'),
    client_secret: requireField(json, 'client_secret'),
    refresh_token: requireField(json, 'refresh_token'),
  };
}

/** @param at UTC ms */
function buildAssertion(json: JsonObject, at: number): Record<string, string> {
  const issued = Math.floor(at / 1000);
  const head = { alg: 'RS256', typ: 'JWT', kid: textOf(json['private_key_id']) };
  const claims = {
    iss: requireField(json, 'client_email'),
    scope: CLOUD_SCOPE,
    aud: TOKEN_URL,
    iat: issued,
    exp: issued + LIFETIME_SECONDS,
  };
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('RSA-SHA256', Buffer.from(text), privateKey(requireField(json, 'private_key')));
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${text}.${signature.toString('base64url')}`,
  };
}

function privateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // Said below.
  }
  throw unusableKeyError('private_key is not an RSA key');
}
