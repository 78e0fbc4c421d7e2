/**
 * Google's sign-in for service accounts (https://developers.google.com/identity/protocols/oauth2/service-account),
 * for users (`gcloud auth application-default login`), and for federated identities.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { isObject, type JsonObject, parseJson, textOf } from '../json/json.ts';
import type { Target, TokenExchange } from '../model/provider.ts';
import {
  CLOUD_SCOPE,
  planFederatedSignIn,
  readImpersonatedToken,
  requireField,
  unusableKeyError,
} from './google-federation.ts';
import { oauthHeaders, readOauthToken } from './upstream-credentials.ts';

/** Fixed URL, because a `token_uri` of the JSON could redirect the assertion to another host. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const LIFETIME_SECONDS = 3600;

type Account = Pick<Target, 'credentials'>;

/** Caches parsed keys, which each call reads several times. */
const accounts = new WeakMap<Target['credentials'], { json: JsonObject | undefined }>();

/** Returns the JSON of a channel's key; undefined for a plain API key. */
export function parseGoogleAccount({ credentials }: Account): JsonObject | undefined {
  const known = accounts.get(credentials) ?? { json: readAccount(credentials['key'] ?? '') };
  accounts.set(credentials, known);
  return known.json;
}

function readAccount(key: string): JsonObject | undefined {
  const json = key.trimStart().startsWith('{') ? parseJson(key) : undefined;
  return isObject(json) ? json : undefined;
}

/** Exchanges the account for a token. A plain API key is sent unchanged. */
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
    // The error is thrown below.
  }
  throw unusableKeyError('private_key is not an RSA key');
}
