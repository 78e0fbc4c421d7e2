/** The text of a channel's key, and the credentials that it holds. */
import type { Provider, Target } from '../model/provider.ts';

/**
 * One credential is the text itself. Several stand in their order with `|` between them, as operators of gateways of
 * this kind paste them; what the last one holds may have a `|` in it. What is missing is empty.
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
    credentials[name] ||
    options[name] ||
    provider.options.find((option) => option.name === name)?.default ||
    '';
  const usual = (provider.baseUrl ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(said(name)),
  );
  return (own === '' ? usual : own).replace(/\/+$/, '');
}

/** The first credential that a key has to hold and does not. */
export function findMissingCredential(provider: Provider, key: string): string | undefined {
  const held = readCredentials(provider, key);
  return provider.credentials.find(({ name, required }) => required && held[name] === '')?.name;
}
