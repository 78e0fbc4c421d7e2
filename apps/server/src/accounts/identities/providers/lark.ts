/**
 * Lark (Feishu), for an app of the operator's organization:
 * https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/authen-v1/oidc-access_token/create and
 * user_info/get
 */
import { z } from 'zod';
import type { Context } from '../../../context.ts';
import {
  displayTextSchema,
  fetchProviderJson,
  type IdentityProviderClient,
  InvalidProviderCodeError,
  type ProviderUser,
  subjectSchema,
  toAvatarUrl,
} from '../identity-provider.ts';

const SITE = 'https://open.feishu.cn';

const appTokenAnswer = z.object({ code: z.literal(0), app_access_token: z.string().min(1) });
const userTokenAnswer = z.union([
  z.object({ code: z.literal(0), data: z.object({ access_token: z.string().min(1) }) }),
  z.object({ code: z.int().positive(), data: z.undefined().catch(undefined).optional() }),
]);
const userAnswer = z.object({
  code: z.literal(0),
  data: z.object({
    union_id: subjectSchema.optional(),
    open_id: subjectSchema.optional(),
    name: displayTextSchema,
    en_name: displayTextSchema,
    avatar_url: displayTextSchema,
  }),
});

export const lark: IdentityProviderClient = {
  name: 'lark',
  title: 'Lark',
  setting: 'larkLogin',

  async authorizeUrl({ settings }, state, { redirectUri }) {
    const query = new URLSearchParams({ redirect_uri: redirectUri, app_id: settings.larkClientId, state });
    return `${SITE}/open-apis/authen/v1/index?${query.toString()}`;
  },

  /** Users or administrators enter addresses there, so none counts as verified. */
  async identify(ctx, { code }): Promise<ProviderUser> {
    const token = await exchangeCode(ctx, code);
    const { data } = await fetchProviderJson(ctx, `${SITE}/open-apis/authen/v1/user_info`, {
      headers: { authorization: `Bearer ${token}` },
      schema: userAnswer,
    });
    return {
      issuer: `${SITE}/${ctx.settings.larkClientId}`,
      subject: selectSubject(data),
      label: data.en_name || data.name,
      name: data.name,
      avatar: toAvatarUrl(data.avatar_url),
    };
  },
};

/** Returns the id with its kind: `union_id` is per developer, `open_id` per app; the prefix keeps them apart. */
function selectSubject({ union_id, open_id }: { union_id?: string | undefined; open_id?: string | undefined }): string {
  if (union_id !== undefined) return `union:${union_id}`;
  if (open_id !== undefined) return `open:${open_id}`;
  throw new Error('Lark returned no user ID');
}

async function exchangeCode(ctx: Context, code: string): Promise<string> {
  const post = (body: object, headers = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  });
  const { larkClientId, larkClientSecret } = ctx.settings;
  const app = await fetchProviderJson(ctx, `${SITE}/open-apis/auth/v3/app_access_token/internal`, {
    ...post({ app_id: larkClientId, app_secret: larkClientSecret }),
    schema: appTokenAnswer,
  });
  const user = await fetchProviderJson(ctx, `${SITE}/open-apis/authen/v1/oidc/access_token`, {
    ...post({ grant_type: 'authorization_code', code }, { authorization: `Bearer ${app.app_access_token}` }),
    schema: userTokenAnswer,
  });
  if (user.data === undefined) throw new InvalidProviderCodeError(`Lark rejected the authorization code: ${user.code}`);
  return user.data.access_token;
}
