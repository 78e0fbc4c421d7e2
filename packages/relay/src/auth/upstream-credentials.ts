/** Credentials in the text of a channel's key. */

import { numberOf, objectOf, textOf } from '../json/json.ts';
import type { Provider, ProviderField, Target, TokenExchange } from '../model/provider.ts';

/**
 * Splits a key into its credentials. A single credential is the whole text; several are joined with `|`, as in
 * similar gateways, and the last one may contain `|`. Missing credentials are empty.
 */
export function readCredentials({ credentials }: Provider, key: string): Record<string, string> {
  const names = credentials.map(({ name }) => name);
  const parts = key.split('|');
  const last = names.length - 1;
  return Object.fromEntries(
    names.map((name, at) => [name, (at === last ? parts.slice(at).join('|') : (parts[at] ?? '')).trim()]),
  );
}

/** Returns the base URL of an account, without a trailing slash: the operator's own, else the vendor's default. */
export function resolveBaseUrl(
  provider: Provider,
  own: string,
  { credentials, options }: Pick<Target, 'credentials' | 'options'>,
): string {
  const said = (name: string): string =>
    credentials[name] || options[name] || provider.options.find((option) => option.name === name)?.default || '';
  const usual = (provider.baseUrl ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(said(name)));
  return (own === '' ? usual : own).replace(/\/+$/, '');
}

/** Returns the name of the first required credential that the key lacks. */
export function findMissingCredential(provider: Provider, key: string): string | undefined {
  const held = readCredentials(provider, key);
  return provider.credentials.find(({ name, required }) => required && held[name] === '')?.name;
}

const LIFETIME_SECONDS = 3600;

/** Reads a token response: https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export const readOauthToken: TokenExchange['read'] = (answer) => {
  const { access_token: token, expires_in: lasts } = objectOf(answer);
  const text = textOf(token);
  return text === undefined ? undefined : { token: text, lastsSeconds: numberOf(lasts) ?? LIFETIME_SECONDS };
};

export const oauthHeaders = { 'content-type': 'application/x-www-form-urlencoded' } as const;

/** Sign-in options for upstreams without a common convention: the operator chooses where the key is sent. */

const headers = ['x-api-key', 'api-key'];
const inQuery = ['?key', '?api_key', '?access_token'];

/** @param choices where a key may be sent, the default first */
export function createAuthOption(choices: readonly string[] = ['bearer', ...headers, ...inQuery]): ProviderField {
  return { name: 'auth', required: false, choices };
}

export const customSignIn: Required<Pick<Provider, 'authorize' | 'query'>> = {
  authorize(target) {
    const { key } = target.credentials;
    const { auth = '' } = target.options;
    if (inQuery.includes(auth)) return {};
    return headers.includes(auth) && key ? { [auth]: key } : bearerHeader(target);
  },
  query({ credentials: { key }, options: { auth = '' } }): Record<string, string> {
    return inQuery.includes(auth) && key ? { [auth.slice(1)]: key } : {};
  },
};

/** Returns the bearer header of the key; no header without a key. */
export function bearerHeader({ credentials }: Target): Record<string, string> {
  const key = credentials['key'];
  return key ? { authorization: `Bearer ${key}` } : {};
}
