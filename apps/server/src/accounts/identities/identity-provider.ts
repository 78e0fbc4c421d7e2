/** Interface of sign-in providers, and helpers for requests to them. */
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { SettingName, Settings } from '@switchyard/contract/operations/settings';
import { parseUrl } from '@switchyard/relay/parse-url';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError, REPORT_ADVICE } from '../../platform/http/app-error.ts';

/** User whom a provider has authenticated. Issuer and subject are the key; everything else is for display. */
export interface ProviderUser {
  issuer: string;
  /** Never empty. */
  subject: string;
  /** User name at the provider; a new account gets it if it is free. */
  label: string;
  /** Display name; may be empty. */
  name: string;
  /** Address that the provider has verified. */
  email?: string | undefined;
  avatar?: string | undefined;
}

/** Parameters of the authorization address, which the code must match. Stored until the visitor returns. */
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
  /** Setting that enables it; the settings' rules require its other settings then. */
  setting: SettingName;
  /** Builds the address to which the visitor is redirected; absent if a code is typed instead. */
  authorizeUrl?: (ctx: Context, state: string, proof: OAuthParameters) => Promise<string>;
  /**
   * @param proof absent when the client built the authorization address itself
   * @throws InvalidProviderCodeError for an invalid code; any other error is a failure of the provider
   */
  identify(
    ctx: Context,
    returned: { code: string; iss: string },
    proof: OAuthParameters | undefined,
  ): Promise<ProviderUser>;
}

/** The provider does not accept this code. */
export class InvalidProviderCodeError extends Error {}

/** @throws AppError `switched-off` */
export function checkProviderEnabled({ setting }: IdentityProviderClient, settings: Settings): void {
  if (settings[setting] !== true)
    throw new AppError('switched-off', 'This sign-in method is disabled. Choose another one on the sign-in page.');
}

/** Returns the error for the visitor when a provider threw, and logs it. */
export function toSignInError(
  ctx: Context,
  { name, title, authorizeUrl }: IdentityProviderClient,
  error: unknown,
): AppError {
  if (error instanceof InvalidProviderCodeError) {
    const typed = authorizeUrl === undefined;
    return new AppError(typed ? 'wrong-code' : 'link-expired', `${title} rejected this code. Request a new one.`);
  }
  // Logs the message only: a cause may contain tokens.
  const reason = error instanceof Error ? error.message : 'unknown';
  ctx.log.warn({ provider: name, reason }, 'an identity provider failed');
  return new AppError('upstream-failed', `The sign-in with ${title} failed. Try again. ${REPORT_ADVICE}`);
}

/** Valid subject: a non-empty text without control characters. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}+$/u);

/** Text for display: absent, null and invalid values become empty. */
export const displayTextSchema = z.string().trim().max(255).catch('');

/** Returns the avatar's address if it is HTTPS, else undefined. */
export function toAvatarUrl(address: string): string | undefined {
  return parseUrl(address)?.protocol === 'https:' ? address : undefined;
}

type JsonRequestInit = Pick<RequestInit, 'method' | 'body'> & { headers?: Readonly<Record<string, string>> };

/**
 * Sends a request and reads the response as JSON of this schema. No error quotes the response.
 * @throws Error when the status is not 200 or the response has another form
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
