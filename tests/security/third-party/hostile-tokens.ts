/** ID tokens, user info and discovery documents of a hostile or confused issuer. */
import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import {
  completeSignIn,
  type SignInProvidersScene,
} from '../../../apps/server/src/testing/identity-providers-scene.ts';
import {
  buildValidClaims,
  type Claims,
  type Grant,
  type ScriptedIssuer,
  signClaims,
} from '../../../apps/server/src/testing/scripted-identity-providers/oidc.ts';
import { createSubject, type HostileCase } from './hostile-case.ts';

const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Claims that make a valid token invalid. */
const wrongClaims: readonly (readonly [string, Claims])[] = [
  ['another issuer', { iss: 'https://accounts.example' }],
  ['no issuer', { iss: undefined }],
  ['the audience of another client', { aud: 'another-client' }],
  ['no audience', { aud: undefined }],
  ['two audiences and no authorized party', { aud: ['oidc-client', 'another-client'] }],
  ['two audiences and the other as authorized party', { aud: ['oidc-client', 'other'], azp: 'other' }],
  ['another authorized party', { azp: 'another-client' }],
  ['an end that is over', { exp: secondsFromNow(-120) }],
  ['no end', { exp: undefined }],
  ['an end that is no number', { exp: 'never' }],
  ['a beginning that is ahead', { nbf: secondsFromNow(600) }],
  ['no time of issue', { iat: undefined }],
  ['no nonce', { nonce: undefined }],
  ['another nonce', { nonce: 'another' }],
  ['an empty nonce', { nonce: '' }],
  ...[undefined, null, '', 7, true, {}, ['x'], ' \n', 'x'.repeat(300)].map(
    (sub) => [`the subject ${(JSON.stringify(sub) ?? 'undefined').slice(0, 20)}`, { sub }] as const,
  ),
];

type Forge = (issuer: ScriptedIssuer, grant: Grant) => Promise<unknown>;

const claimsOf = (issuer: ScriptedIssuer, grant: Grant): JWTPayload => buildValidClaims(issuer.url, grant);

/** Tokens with valid claims and an invalid signature. */
const forgeries: readonly (readonly [string, Forge])[] = [
  ['no token', async () => undefined],
  ['a number for a token', async () => 7],
  ['an empty token', async () => ''],
  ['a token without a signature', async (issuer, grant) => new UnsecuredJWT(claimsOf(issuer, grant)).encode()],
  [
    'a token signed with the public key as a shared secret',
    async (issuer, grant) =>
      new SignJWT(claimsOf(issuer, grant))
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .sign(new TextEncoder().encode(await exportSPKI(issuer.publicKey))),
  ],
  [
    'a token signed with the client secret',
    (issuer, grant) =>
      new SignJWT(claimsOf(issuer, grant))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode('oidc-secret'.padEnd(32, '0'))),
  ],
  [
    'a token signed with another key of the same name',
    async (issuer, grant) =>
      signClaims(buildValidClaims(issuer.url, grant), (await generateKeyPair('RS256')).privateKey),
  ],
  [
    'a token that brings its own key',
    async (issuer, grant) => {
      const { privateKey } = await generateKeyPair('RS256');
      const header = { alg: 'RS256', kid: 'mine', jku: `${issuer.url}/mine`, x5u: `${issuer.url}/mine` };
      return new SignJWT(claimsOf(issuer, grant)).setProtectedHeader(header).sign(privateKey);
    },
  ],
  [
    'a token of an algorithm that the issuer does not announce',
    async (issuer, grant) => {
      const { privateKey } = await generateKeyPair('ES256');
      return new SignJWT(claimsOf(issuer, grant)).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
    },
  ],
  [
    'a token whose claims were changed after signing',
    async (issuer, grant) => {
      const [head, , signature] = (await issuer.idToken({ ...grant, claims: { sub: 'x' } }))?.toString().split('.') ?? [
        '',
        '',
        '',
      ];
      const body = Buffer.from(JSON.stringify(claimsOf(issuer, grant))).toString('base64url');
      return `${head}.${body}.${signature}`;
    },
  ],
];

/** Creates the case, with the issuer's later state. */
function createTokenCase(what: string, idToken: Forge): HostileCase {
  return {
    name: `a token with ${what}`,
    prepare: async (scene) => {
      const good = scene.oidc.idToken;
      return async () => {
        scene.oidc.idToken = (grant) => idToken({ ...scene.oidc, idToken: good }, grant);
        const seen = await scene.signInWith(scene.browser(), 'oidc', createSubject());
        scene.oidc.idToken = good;
        return seen;
      };
    },
  };
}

function createDiscoveryCase(what: string, change: (issuer: ScriptedIssuer) => Claims): HostileCase {
  return {
    name: `a discovery document with ${what}`,
    prepare: async (scene) => {
      const json = { ...scene.oidc.metadata, ...change(scene.oidc) };
      scene.oidc.overrideReply('GET /.well-known/openid-configuration', () => ({ json }));
      return () => scene.signInWith(scene.browser(), 'oidc', createSubject());
    },
  };
}

/** The token has no name, so that the user info endpoint is called. */
async function withoutName(scene: SignInProvidersScene, userInfo: (sub: string) => Claims) {
  const sub = createSubject();
  const browser = scene.browser();
  const { data } = await browser.get('/api/oauth/endpoint');
  const returned = scene.oidc.consent(String(data), { sub });
  scene.oidc.userInfo = userInfo(sub);
  return () => completeSignIn(browser, 'oidc', returned);
}

export function listHostileTokens(): HostileCase[] {
  return [
    ...wrongClaims.map(([what, claims]) =>
      createTokenCase(what, (issuer, grant) =>
        signClaims({ ...buildValidClaims(issuer.url, grant), ...claims }, issuer.privateKey),
      ),
    ),
    ...forgeries.map(([what, forge]) => createTokenCase(what, forge)),
    createDiscoveryCase('another issuer', () => ({ issuer: 'https://accounts.example' })),
    createDiscoveryCase('an issuer below it', ({ url }) => ({ issuer: `${url}/tenant` })),
    createDiscoveryCase('no issuer', () => ({ issuer: undefined })),
    createDiscoveryCase('an authorization address that is a script', () => ({
      authorization_endpoint: 'javascript:alert(1)',
    })),
    createDiscoveryCase('an authorization address without TLS', () => ({
      authorization_endpoint: 'http://accounts.example/authorize',
    })),
    createDiscoveryCase('a token address inside', () => ({ token_endpoint: 'http://169.254.169.254/token' })),
    createDiscoveryCase('keys inside', () => ({ jwks_uri: 'https://169.254.169.254/keys' })),
    createDiscoveryCase('no keys', () => ({ jwks_uri: undefined })),
    createDiscoveryCase('no token address', () => ({ token_endpoint: undefined })),
    {
      name: 'user info about another subject',
      prepare: (scene) => withoutName(scene, () => ({ sub: 'somebody-else', preferred_username: 'x' })),
    },
    { name: 'user info about no subject', prepare: (scene) => withoutName(scene, () => ({ preferred_username: 'x' })) },
    {
      name: 'a code that another issuer gave',
      prepare: async (scene) => {
        const browser = scene.browser();
        const { code, state } = await scene.startAtProvider(browser, 'oidc', createSubject());
        return () => browser.get(`/api/oauth/oidc?code=${code}&state=${state}&iss=https%3A%2F%2Faccounts.example`);
      },
    },
  ];
}

/** PKCE and nonce reject a code of another attempt, even with the right state. */
export function createSwappedCodeCase(provider: 'github' | 'oidc'): HostileCase {
  return {
    name: 'the code of another attempt',
    prepare: async (scene) => {
      const { code } = await scene.startAtProvider(scene.browser(), provider, createSubject());
      const browser = scene.browser();
      const { state } = await scene.startAtProvider(browser, provider, createSubject());
      return () => completeSignIn(browser, provider, { code, state });
    },
  };
}
