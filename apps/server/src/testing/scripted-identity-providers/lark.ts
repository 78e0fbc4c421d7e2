/** Simulates Lark's sign-in for an organisation's own app by its documentation. */
import { randomUUID } from 'node:crypto';
import { startTestVendor, type TestVendor } from '../simulated-vendor.ts';

export interface LarkUser {
  union_id?: unknown;
  open_id?: unknown;
  name?: unknown;
  en_name?: unknown;
  avatar_url?: unknown;
  email?: unknown;
}

export interface ScriptedLark extends TestVendor {
  consent(address: string, user: LarkUser): { code: string; state: string };
}

export const larkApp = { id: 'cli_lark', secret: 'lark-secret' };

export async function startLark(): Promise<ScriptedLark> {
  const codes = new Map<string, LarkUser>();
  const tokens = new Map<string, LarkUser>();
  const vendor = await startTestVendor({
    'POST /open-apis/auth/v3/app_access_token/internal': ({ body }) => {
      const { app_id, app_secret } = JSON.parse(body) as Record<string, unknown>;
      if (app_id !== larkApp.id || app_secret !== larkApp.secret)
        return { json: { code: 10014, msg: 'app secret invalid' } };
      return { json: { code: 0, msg: 'ok', app_access_token: 'app-token', expire: 7200 } };
    },
    'POST /open-apis/authen/v1/oidc/access_token': ({ body, headers }) => {
      const { code } = JSON.parse(body) as { code: string };
      const user = codes.get(code);
      codes.delete(code);
      if (user === undefined || headers.authorization !== 'Bearer app-token')
        return { status: 200, json: { code: 20003, msg: 'code is invalid' } };
      const token = randomUUID();
      tokens.set(token, user);
      return { json: { code: 0, msg: 'success', data: { access_token: token, token_type: 'Bearer' } } };
    },
    'GET /open-apis/authen/v1/user_info': ({ headers }) => {
      const user = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
      if (user === undefined) return { status: 400, json: { code: 20005, msg: 'invalid token' } };
      return { json: { code: 0, msg: 'success', data: user } };
    },
  });
  return {
    ...vendor,
    consent(address, user) {
      const code = randomUUID();
      codes.set(code, user);
      return { code, state: new URL(address).searchParams.get('state') ?? '' };
    },
  };
}
