/** Interface of every sign-in provider, and the requests to all of them. */
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { SettingName, Settings } from '@switchyard/contract/operations/settings';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';

/** Whom a provider has recognised. Issuer and subject are the key; everything else is only shown. */
export interface ProviderUser {
  issuer: string;
  /** Never empty. */
  subject: string;
  /** The name of the account there; a new account here gets it if it can. */
  label: string;
  /** The name of the person; may be empty. */
  name: string;
  /** Only an address of which the provider says that it is this person's. */
  email?: string | undefined;
  avatar?: string | undefined;
}

/**
 * Values that the authorization address is built from and that the code must match. Stored until the visitor is back.
 */
export interface OAuthParameters {
  redirectUri: string;
  /** PKCE code verifier: 43 characters. */
  verifier: string;
  nonce: string;
}

export interface IdentityProviderClient {
  name: IdentityProvider;
  /** Provider's name as mails show it. */
  title: string;
  /** Switches it on; the settings' rules see to it that the ones it needs are set then. */
  setting: SettingName;
  /** Builds the address to which the visitor is redirected; absent where a code is typed instead. */
  authorizeUrl?: (ctx: Context, state: string, proof: OAuthParameters) => Promise<string>;
  /**
   * @param proof absent when the client made the authorization address itself
   * @throws ProviderRefused for a code that is not good; anything else means that the provider failed
   */
  identify(
    ctx: Context,
    returned: { code: string; iss: string },
    proof: OAuthParameters | undefined,
  ): Promise<ProviderUser>;
}

/** The provider knows nobody by this code. */
export class InvalidProviderCode extends Error {}

/** @throws AppError `switched-off` */
export function checkProviderEnabled({ setting }: IdentityProviderClient, settings: Settings): void {
  if (settings[setting] !== true) throw new AppError('switched-off', 'This sign-in method is disabled');
}

/** Returns the error shown to the visitor when a provider threw, and writes it to the process log. */
export function toSignInError(
  ctx: Context,
  { name, title, authorizeUrl }: IdentityProviderClient,
  error: unknown,
): AppError {
  if (error instanceof InvalidProviderCode) {
    const typed = authorizeUrl === undefined;
    return new AppError(typed ? 'wrong-code' : 'link-expired', `${title} rejected this code`);
  }
  // Only what the message says: a cause may hold tokens.
  const reason = error instanceof Error ? error.message : 'unknown';
  ctx.log.warn({ provider: name, reason }, 'an identity provider failed');
  return new AppError('upstream-failed', `${title} returned an unexpected response`);
}

/** The only form of a subject that is accepted: a text that says something. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}+$/u);

/** Texts that are only shown: absent, null and wrong ones are empty. */
export const displayTextSchema = z.string().trim().max(255).catch('');

/** Returns the avatar's address if it is HTTPS, else undefined. */
export function toAvatarUrl(address: string): string | undefined {
  return URL.canParse(address) && new URL(address).protocol === 'https:' ? address : undefined;
}

type JsonRequestInit = Pick<RequestInit, 'method' | 'body'> & { headers?: Readonly<Record<string, string>> };

/**
 * Asks a vendor and reads its answer as JSON of this form. What it answers is repeated in no error.
 * @throws Error when the status is not 200 or the answer has another form
 */
export async function fetchProviderJson<S extends z.ZodType>(
  ctx: Context,
  url: string,
  { schema, ...init }: JsonRequestInit & { schema: S },
): Promise<z.output<S>> {
  const response = await ctx.outbound.fetch(url, {
    redirect: 'error',
    ...init,
    headers: { accept: 'application/json', 'user-agent': 'switchyard', ...init.headers },
  });
  const { host, pathname } = new URL(url);
  if (response.status !== 200) throw new Error(`${host}${pathname} returned status ${response.status}`);
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) throw new Error(`${host}${pathname} returned a response in an undocumented format`);
  return parsed.data;
}
