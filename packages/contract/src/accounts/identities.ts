/** Sign-in through external identity providers, and the external identities of an account. */
import { z } from 'zod';
import { emptyData, routes } from '../route.ts';
import { seconds } from './account-fields.ts';
import { self } from './profile.ts';

export const identityProvider = z.enum(['github', 'oidc', 'lark', 'wechat']);
export type IdentityProvider = z.output<typeof identityProvider>;

/** Providers that return the visitor by a redirect; WeChat shows a code to type instead. */
const redirecting = identityProvider.exclude(['wechat']);
export type RedirectingProvider = z.output<typeof redirecting>;

export const identity = z.object({
  provider: identityProvider,
  /** Name of this person at the provider. */
  label: z.string(),
  created_time: seconds,
});
export type Identity = z.output<typeof identity>;

const code = z.string().trim().min(1).max(2048);
/** Invitation code of the user who invited this visitor. */
const aff = z.string().trim().max(32).default('');
const returned = z.object({
  code,
  state: z.string().min(1).max(128),
  /** Issuer of the code (RFC 9207). */
  iss: z.string().max(2048).default(''),
  aff,
});

/** Signed-in user; null when an identity was bound, and then the envelope's message is `bind`. */
const signedInOrBound = self.nullable();

function createRedirectRoutes<const P extends RedirectingProvider>(provider: P, name: string) {
  return {
    method: 'GET',
    path: `/api/oauth/${provider}`,
    access: 'anyone',
    sameOrigin: true,
    summary: `Sign in with ${name}, or connect it to the account that started this`,
    query: returned,
    answer: signedInOrBound,
  } as const;
}

export const identities = routes({
  state: {
    method: 'GET',
    path: '/api/oauth/state',
    access: 'anyone',
    sameOrigin: true,
    summary: 'Create a state for an authorization URL that the client builds itself',
    query: z.object({ provider: redirecting.exclude(['oidc']).default('github') }),
    answer: z.string(),
  },
  endpoint: {
    method: 'GET',
    path: '/api/oauth/endpoint',
    access: 'anyone',
    sameOrigin: true,
    summary: 'Create the authorization URL to redirect the visitor to',
    query: z.object({ provider: redirecting.default('oidc') }),
    answer: z.url({ protocol: /^https?$/ }),
  },
  github: createRedirectRoutes('github', 'GitHub'),
  oidc: createRedirectRoutes('oidc', 'OpenID Connect'),
  lark: createRedirectRoutes('lark', 'Lark'),
  startWechat: {
    method: 'POST',
    path: '/api/oauth/wechat/start',
    access: 'anyone',
    summary: 'Start a WeChat sign-in; this browser can use a code within three minutes',
    answer: emptyData,
  },
  wechat: {
    method: 'GET',
    path: '/api/oauth/wechat',
    access: 'anyone',
    sameOrigin: true,
    summary: 'Sign in with a WeChat code, in a browser that has started a WeChat sign-in',
    query: z.object({ code, aff }),
    answer: signedInOrBound,
  },
  bindWechat: {
    method: 'GET',
    path: '/api/oauth/wechat/bind',
    access: 'user',
    sameOrigin: true,
    summary: 'Connect WeChat with a code, in a session that has started a WeChat sign-in',
    query: z.object({ code }),
    answer: emptyData,
  },
  list: {
    method: 'GET',
    path: '/api/user/identities',
    access: 'user',
    summary: 'List the third-party accounts that can sign in to your account',
    answer: z.array(identity),
  },
  unbind: {
    method: 'POST',
    path: '/api/user/unbind',
    access: 'user',
    stepUp: true,
    summary: 'Disconnect a third-party account, except the last sign-in method',
    body: z.object({ type: identityProvider }),
    answer: emptyData,
  },
});
