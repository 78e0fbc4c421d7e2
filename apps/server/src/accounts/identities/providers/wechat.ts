/**
 * WeChat server, which the operator runs beside an official account: the visitor sends a keyword to the account, gets
 * a code, and enters it here. `GET /api/wechat/user?code=` returns `{success, message, data: <WeChat id>}`.
 */
import { z } from 'zod';
import {
  fetchProviderJson,
  type IdentityProviderClient,
  InvalidProviderCodeError,
  subjectSchema,
} from '../identity-provider.ts';

const userAnswer = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: subjectSchema }),
  z.object({ success: z.literal(false) }),
]);

export const wechat: IdentityProviderClient = {
  name: 'wechat',
  title: 'WeChat',
  setting: 'wechatLogin',

  async identify(ctx, { code }) {
    const server = ctx.settings.wechatServerAddress.replace(/\/+$/, '');
    const answer = await fetchProviderJson(ctx, `${server}/api/wechat/user?code=${encodeURIComponent(code)}`, {
      headers: { authorization: ctx.settings.wechatServerToken },
      schema: userAnswer,
    });
    if (!answer.success) throw new InvalidProviderCodeError('The WeChat server rejected the code');
    return { issuer: server, subject: answer.data, label: '', name: '' };
  },
};
