/** Simulates GitHub by its documentation of OAuth apps, with PKCE and single-use codes. */
import { createHash, randomUUID } from 'node:crypto';
import { startTestVendor, type TestVendor, type VendorRequest } from '../simulated-vendor.ts';

export interface GithubUser {
  id: unknown;
  login: string;
  name?: string | null;
  avatar_url?: string;
  emails?: readonly { email: string; primary: boolean; verified: boolean }[];
}

export interface ScriptedGithub extends TestVendor {
  /** Consents as a user, and returns the code and the state that the browser brings back. */
  consent(address: string, user: GithubUser): { code: string; state: string };
}

export const githubApp = { id: 'github-client', secret: 'github-secret' };

export async function startGithub(): Promise<ScriptedGithub> {
  const codes = new Map<string, { user: GithubUser; challenge: string | null; redirectUri: string | null }>();
  const tokens = new Map<string, GithubUser>();
  const userOf = ({ headers }: VendorRequest): GithubUser | undefined =>
    tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
  const vendor = await startTestVendor({
    'POST /login/oauth/access_token': ({ body }) => {
      const form = new URLSearchParams(body);
      if (form.get('client_id') !== githubApp.id || form.get('client_secret') !== githubApp.secret)
        return { json: { error: 'incorrect_client_credentials' } };
      const grant = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (grant === undefined || (grant.challenge !== null && grant.challenge !== challenge))
        return { json: { error: 'bad_verification_code' } };
      if (grant.redirectUri !== null && grant.redirectUri !== form.get('redirect_uri'))
        return { json: { error: 'redirect_uri_mismatch' } };
      const token = randomUUID();
      tokens.set(token, grant.user);
      return { json: { access_token: token, token_type: 'bearer', scope: 'user:email' } };
    },
    'GET /user': (request) => {
      const user = userOf(request);
      if (user === undefined) return { status: 401, json: { message: 'Bad credentials' } };
      const { emails: _emails, ...shown } = user;
      return { json: { type: 'User', ...shown } };
    },
    'GET /user/emails': (request) => ({ json: userOf(request)?.emails ?? [] }),
  });
  return {
    ...vendor,
    consent(address, user) {
      const { searchParams } = new URL(address);
      const code = randomUUID();
      const challenge = searchParams.get('code_challenge');
      codes.set(code, { user, challenge, redirectUri: searchParams.get('redirect_uri') });
      return { code, state: searchParams.get('state') ?? '' };
    },
  };
}
