/**
 * OpenID Connect with any issuer that the operator names. The library checks tokens; this file restricts its
 * requests.
 */
import { mailAddress } from '@switchyard/contract/operations/mail';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
  type ServerMetadata,
} from 'openid-client';
import type { Context } from '../../../context.ts';
import type { OutboundFetch } from '../../../platform/outbound/outbound-fetch.ts';
import {
  displayTextSchema,
  type IdentityProviderClient,
  InvalidProviderCodeError,
  type OAuthParameters,
  type ProviderUser,
  subjectSchema,
  toAvatarUrl,
} from '../identity-provider.ts';

const DISCOVERY_MS = 3_600_000;

type Claims = Readonly<Record<string, unknown>>;

/** Creates a client that caches discovered metadata for an hour. */
export function createOidc(): IdentityProviderClient {
  const discovered = createDiscoveryCache();
  return {
    name: 'oidc',
    title: 'OpenID Connect',
    setting: 'oidcLogin',

    async authorizeUrl(ctx, state, { redirectUri, verifier, nonce }) {
      const address = buildAuthorizationUrl(await discovered(ctx), {
        redirect_uri: redirectUri,
        scope: buildScope(ctx.settings.oidcScopes),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      checkIsEncrypted(address);
      return address.href;
    },

    async identify(ctx, returned, proof): Promise<ProviderUser> {
      if (proof === undefined) throw new InvalidProviderCodeError('The sign-in has no nonce');
      const configuration = await discovered(ctx);
      const { idToken, accessToken } = await exchangeCode(configuration, returned, proof);
      const sources = [idToken, ...(await fetchUserClaims(ctx, configuration, idToken, accessToken))];
      return {
        issuer: String(idToken['iss']),
        subject: subjectSchema.parse(idToken.sub),
        label: findFirstClaim(sources, splitWords(ctx.settings.oidcUsernameClaims)),
        name: findFirstClaim(sources, ['name']),
        email: sources.map(findVerifiedEmail).find((address) => address !== undefined),
        avatar: toAvatarUrl(findFirstClaim(sources, ['picture'])),
      };
    },
  };
}

function createDiscoveryCache(): (ctx: Context) => Promise<Configuration> {
  let cached: { for: string; until: number; configuration: Configuration } | undefined;
  return async (ctx) => {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = ctx.settings;
    const wanted = JSON.stringify([oidcIssuer, oidcClientId, oidcClientSecret]);
    if (cached?.for === wanted && ctx.clock.now() < cached.until) return cached.configuration;
    const configuration = await discover(ctx);
    cached = { for: wanted, until: ctx.clock.now() + DISCOVERY_MS, configuration };
    return configuration;
  };
}

async function discover({ settings, outbound }: Context): Promise<Configuration> {
  const issuer = new URL(settings.oidcIssuer);
  const configuration = await discovery(
    issuer,
    settings.oidcClientId,
    undefined,
    (server, ...rest) => clientSecret(server, settings.oidcClientSecret)(server, ...rest),
    {
      [customFetch]: (url, init) => fetchEncrypted(outbound.fetch, url, init),
      execute: [enableNonRepudiationChecks, ...(isLoopback(issuer) ? [allowInsecureRequests] : [])],
    },
  );
  // The library tolerates other names for some issuers.
  if (new URL(configuration.serverMetadata().issuer).href !== issuer.href)
    throw new Error('The issuer’s metadata names another issuer than the configured one');
  return configuration;
}

/** Prefers `client_secret_post`: Basic is the default, but servers decode its encoding in different ways. */
function clientSecret({ token_endpoint_auth_methods_supported: methods }: ServerMetadata, secret: string) {
  return methods?.includes('client_secret_post') === true ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}

/** Sends the library's requests through the outbound guard; without TLS only to this machine. */
function fetchEncrypted(
  guarded: OutboundFetch,
  url: string,
  { body, duplex: _duplex, ...init }: Parameters<NonNullable<Configuration[typeof customFetch]>>[1],
): Promise<Response> {
  checkIsEncrypted(new URL(url));
  // The library's other body types are not needed.
  return guarded(url, { ...init, body: body instanceof URLSearchParams ? body : null });
}

function checkIsEncrypted(url: URL): void {
  if (url.protocol !== 'https:' && !isLoopback(url)) throw new Error('The issuer uses an address without TLS');
}

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && (hostname === '127.0.0.1' || hostname === 'localhost');

async function exchangeCode(
  configuration: Configuration,
  { code, iss }: { code: string; iss: string },
  { redirectUri, verifier, nonce }: OAuthParameters,
): Promise<{ idToken: Claims & { sub: string }; accessToken: string }> {
  const back = new URL(redirectUri);
  back.searchParams.set('code', code);
  // The public API's clients do not pass `iss` on; each provider has its own return address, which serves the same
  // purpose.
  back.searchParams.set('iss', iss || configuration.serverMetadata().issuer);
  const tokens = await authorizationCodeGrant(configuration, back, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    idTokenExpected: true,
  }).catch((error: unknown) => {
    if (!(error instanceof ResponseBodyError)) throw error;
    if (error.error === 'invalid_grant')
      throw new InvalidProviderCodeError('The issuer rejected the authorization code');
    throw new Error(`The issuer returned no token: ${error.error.slice(0, 64)}`);
  });
  const idToken = tokens.claims();
  if (idToken === undefined) throw new Error('The issuer returned no ID token');
  const { azp } = idToken;
  if (azp !== undefined && azp !== configuration.clientMetadata().client_id)
    throw new Error('The ID token was issued to another client');
  return { idToken, accessToken: tokens.access_token };
}

/** Queries the user info endpoint only for a name that the token lacks; its subject must be the same. */
async function fetchUserClaims(
  { settings }: Context,
  configuration: Configuration,
  idToken: Claims & { sub: string },
  accessToken: string,
): Promise<Claims[]> {
  if (findFirstClaim([idToken], splitWords(settings.oidcUsernameClaims)) !== '') return [];
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return [];
  return [await fetchUserInfo(configuration, accessToken, idToken.sub)];
}

function findFirstClaim(sources: readonly Claims[], names: readonly string[]): string {
  const texts = names.flatMap((name) => sources.map((claims) => displayTextSchema.parse(claims[name])));
  return texts.find((text) => text !== '') ?? '';
}

/** Returns the address only if the same source marks it as verified. */
function findVerifiedEmail({ email, email_verified }: Claims): string | undefined {
  return email_verified === true ? mailAddress.safeParse(email).data : undefined;
}

const splitWords = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const buildScope = (text: string): string => [...new Set(['openid', ...splitWords(text)])].join(' ');
