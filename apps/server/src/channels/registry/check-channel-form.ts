/** Checks a channel's form beyond the contract: providers, groups and reachable addresses. */
import { findMissingCredential, findProvider, isCustomPath, type Provider, providers } from '@switchyard/relay';
import { checkGroupExists } from '../../accounts/user-groups/user-groups.ts';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';

/** @throws AppError for the field `type` */
export function getProviderByType(type: number): Provider {
  const provider = providers.find(({ channelType }) => channelType === type);
  if (provider === undefined) throw fieldError('type', 'unknown-provider', `There is no provider ${type}`);
  return provider;
}

export function getChannelType(id: string): number {
  return findProvider(id)?.channelType ?? 0;
}

interface Form {
  base_url: string;
  options: Readonly<Record<string, string>>;
  proxy: string;
}

/** Lookups that the checks of a form need. */
export interface FormLookups {
  /** @throws AddressNotAllowedError */
  address: (url: string) => Promise<void>;
  /** @throws AppError for the field `group` */
  group: (symbol: string) => Promise<void>;
}

export function createFormLookups(ctx: Context): FormLookups {
  return { address: (url) => ctx.outbound.check(url), group: (symbol) => checkGroupExists(ctx, symbol, 'group') };
}

/** Caches lookups: thousands of channels share few addresses and groups. */
export function cacheLookups(questions: FormLookups): FormLookups {
  const once = (ask: (text: string) => Promise<void>) => {
    const asked = new Map<string, Promise<void>>();
    return (text: string): Promise<void> => {
      const answer = asked.get(text) ?? ask(text);
      asked.set(text, answer);
      return answer;
    };
  };
  return { address: once(questions.address), group: once(questions.group) };
}

/** @throws AppError that names the first field that is missing, unknown or not allowed */
export async function checkForm(
  { address }: Pick<FormLookups, 'address'>,
  provider: Provider,
  form: Form,
): Promise<void> {
  if (form.base_url === '' && provider.baseUrl === undefined)
    throw fieldError('base_url', 'required', `${provider.label} requires a base URL`);
  if (hasCredentials(form.base_url))
    throw fieldError('base_url', 'has-credentials', 'A URL must not contain a username or password');
  for (const { name, required, choices, isPath } of provider.options) {
    const value = form.options[name] ?? '';
    if (required && value === '') throw fieldError(`options.${name}`, 'required', `${provider.label} requires ${name}`);
    if (choices?.includes(value) === false && value !== '')
      throw fieldError(`options.${name}`, 'unknown', `${provider.label} has no ${name} "${value}"`);
    if (isPath === true && value !== '' && !isCustomPath(value))
      throw fieldError(`options.${name}`, 'not-a-path', 'A path must begin with exactly one slash. Enter - for none.');
  }
  const known = new Set(provider.options.map(({ name }) => name));
  const unknown = Object.keys(form.options).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw fieldError(`options.${unknown}`, 'unknown', `${provider.label} has no option ${unknown}`);
  await checkAddress(address, 'base_url', form.base_url);
  await checkAddress(address, 'proxy', form.proxy);
}

/** Returns whether an address contains credentials, which would not be sent, but stored and shown in plain text. */
function hasCredentials(address: string): boolean {
  if (address === '') return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

export function checkKey(provider: Provider, key: string): void {
  const missing = findMissingCredential(provider, key);
  if (missing === undefined) return;
  const names = provider.credentials.map(({ name }) => name).join('|');
  const message = `${provider.label} requires ${missing === 'key' ? 'a key' : names}`;
  const fields = [{ path: 'key', rule: 'required', message }];
  throw new AppError('invalid-input', message, { fields, problem: 'malformed-key' });
}

export async function checkGroups({ group }: Pick<FormLookups, 'group'>, symbols: readonly string[]): Promise<void> {
  for (const symbol of symbols) await group(symbol);
}

async function checkAddress(ask: FormLookups['address'], field: string, url: string): Promise<void> {
  if (url === '') return;
  try {
    await ask(url);
  } catch (error) {
    if (!(error instanceof AddressNotAllowedError)) throw error;
    const fields = [{ path: field, rule: 'address-not-allowed', message: error.message }];
    throw new AppError('invalid-input', error.message, { fields, problem: 'address-not-allowed' });
  }
}
