/** Simulates a WeChat server: it issues a code to a user of the official account, and resolves it once. */
import { randomInt } from 'node:crypto';
import { startTestVendor, type TestVendor } from '../simulated-vendor.ts';

export interface ScriptedWechat extends TestVendor {
  /** Creates the code that the official account sends to this user. */
  createCode(wechatId: unknown): string;
}

export const wechatToken = 'wechat-token';

export async function startWechat(): Promise<ScriptedWechat> {
  const codes = new Map<string, unknown>();
  const vendor = await startTestVendor({
    'GET /api/wechat/user': ({ query, headers }) => {
      if (headers.authorization !== wechatToken) return { json: { success: false, message: 'unauthorized', data: '' } };
      const code = query.get('code') ?? '';
      if (!codes.has(code)) return { json: { success: false, message: 'wrong code', data: '' } };
      const data = codes.get(code);
      codes.delete(code);
      return { json: { success: true, message: '', data } };
    },
  });
  return {
    ...vendor,
    createCode(wechatId) {
      const code = String(randomInt(1_000_000_000));
      codes.set(code, wechatId);
      return code;
    },
  };
}
