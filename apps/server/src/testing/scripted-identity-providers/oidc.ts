/** Issuer of OpenID Connect that signs any claims. */
import { createHash, randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startTestVendor, type TestVendor } from '../simulated-vendor.ts';

export type Claims = Record<string, unknown>;

/** Parameters of the authorization address that a grant is bound to. */
export interface Grant {
  clientId: string;
  nonce: string;
  challenge: string;
  redirectUri: string;
  claims: Claims;
}

export interface ScriptedIssuer extends TestVendor {
  metadata: Claims;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  consent(address: string, claims: Claims): { code: string; state: string };
  /** Creates the ID token of a grant; a test may replace it. */
  idToken: (grant: Grant) => Promise<unknown>;
  userInfo: Claims;
}

export const oidcApp = { id: 'oidc-client', secret: 'oidc-secret' };

/** Returns the claims of a valid token. */
export function buildValidClaims(issuer: string, { clientId, nonce, claims }: Grant): Claims {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: clientId, nonce, iat: now, exp: now + 300, ...claims };
}

export function signClaims(claims: Claims, key: CryptoKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key);
}

export async function startIssuer(): Promise<ScriptedIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const grants = new Map<string, Grant>();
  const vendor = await startTestVendor();
  const { url } = vendor;
  const issuer: ScriptedIssuer = {
    ...vendor,
    metadata: {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    },
    privateKey,
    publicKey,
    userInfo: {},
    consent(address, claims) {
      const { searchParams } = new URL(address);
      const of = (name: string) => searchParams.get(name) ?? '';
      const code = randomUUID();
      grants.set(code, {
        clientId: of('client_id'),
        nonce: of('nonce'),
        challenge: of('code_challenge'),
        redirectUri: of('redirect_uri'),
        claims,
      });
      return { code, state: of('state') };
    },
    idToken: (grant) => signClaims(buildValidClaims(url, grant), privateKey),
  };
  const byHeader = (header = ''): boolean => {
    const pair = Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
    return pair.split(':').map(decodeURIComponent).join(':') === `${oidcApp.id}:${oidcApp.secret}`;
  };
  vendor.handlers['GET /.well-known/openid-configuration'] = () => ({ json: issuer.metadata });
  vendor.handlers['GET /jwks'] = async () => ({
    json: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] },
  });
  vendor.handlers['POST /token'] = async ({ body, headers }) => {
    const form = new URLSearchParams(body);
    const posted = form.get('client_id') === oidcApp.id && form.get('client_secret') === oidcApp.secret;
    if (!byHeader(headers.authorization) && !posted) return { status: 401, json: { error: 'invalid_client' } };
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
      return { status: 400, json: { error: 'invalid_grant' } };
    return { json: { access_token: randomUUID(), token_type: 'Bearer', id_token: await issuer.idToken(grant) } };
  };
  vendor.handlers['GET /userinfo'] = () => ({ json: issuer.userInfo });
  return issuer;
}
