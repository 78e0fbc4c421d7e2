/**
 * GitHub's OAuth apps: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps. User
 * names can be released and taken by others, so only the numeric id identifies a user.
 */
import { createHash } from 'node:crypto';
import { mailAddress } from '@switchyard/contract/operations/mail';
import { z } from 'zod';
import type { Context } from '../../../context.ts';
import {
  displayTextSchema,
  fetchProviderJson,
  type IdentityProviderClient,
  InvalidProviderCodeError,
  type OAuthParameters,
  type ProviderUser,
  toAvatarUrl,
} from '../identity-provider.ts';

const SITE = 'https://github.com';
const API = 'https://api.github.com';

/** GitHub sends failures with status 200 too. */
const tokenAnswer = z.union([
  z.object({ error: z.string() }),
  z.object({ access_token: z.string().min(1), error: z.undefined().optional() }),
]);
const userAnswer = z.object({
  id: z.int().positive(),
  login: displayTextSchema,
  name: displayTextSchema,
  avatar_url: displayTextSchema,
});
const emailsAnswer = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

export const github: IdentityProviderClient = {
  name: 'github',
  title: 'GitHub',
  setting: 'githubLogin',

  async authorizeUrl({ settings }, state, { redirectUri, verifier }) {
    const query = new URLSearchParams({
      client_id: settings.githubClientId,
      redirect_uri: redirectUri,
      scope: 'user:email',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return `${SITE}/login/oauth/authorize?${query.toString()}`;
  },

  async identify(ctx, { code }, proof): Promise<ProviderUser> {
    const token = await exchangeCode(ctx, code, proof);
    const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' };
    const user = await fetchProviderJson(ctx, `${API}/user`, { headers, schema: userAnswer });
    const emails = await fetchProviderJson(ctx, `${API}/user/emails`, { headers, schema: emailsAnswer });
    const own = emails.find(({ primary, verified }) => primary && verified);
    return {
      issuer: SITE,
      subject: String(user.id),
      label: user.login,
      name: user.name,
      email: mailAddress.safeParse(own?.email).data,
      avatar: toAvatarUrl(user.avatar_url),
    };
  },
};

async function exchangeCode(ctx: Context, code: string, proof: OAuthParameters | undefined): Promise<string> {
  const body = new URLSearchParams({
    client_id: ctx.settings.githubClientId,
    client_secret: ctx.settings.githubClientSecret,
    code,
    ...(proof === undefined ? {} : { redirect_uri: proof.redirectUri, code_verifier: proof.verifier }),
  });
  const url = `${SITE}/login/oauth/access_token`;
  const answer = await fetchProviderJson(ctx, url, { method: 'POST', body, schema: tokenAnswer });
  if (answer.error === undefined) return answer.access_token;
  if (answer.error === 'bad_verification_code')
    throw new InvalidProviderCodeError('GitHub rejected the authorization code');
  throw new Error('GitHub returned no token. Check the client ID, the client secret and the callback URL at GitHub.');
}
