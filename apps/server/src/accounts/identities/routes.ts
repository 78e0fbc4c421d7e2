import type { identities, RedirectingProvider } from '@switchyard/contract/accounts/identities';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import {
  type AttemptCall,
  beginByAddress,
  beginByState,
  beginTyping,
  takeByState,
  takeTyped,
} from './attempts.ts';
import { finish, identify, listIdentities, unbind } from './identities.ts';
import { checkIsOn, type Provider } from './identity-provider.ts';
import { github } from './providers/github.ts';
import { lark } from './providers/lark.ts';
import { createOidc } from './providers/oidc.ts';
import { wechat } from './providers/wechat.ts';

/** Over all routes of this feature that need no session. */
const CALLS_PER_ADDRESS = 20;
const WINDOW_MS = 20 * 60_000;

export function identityRoutes(ctx: Context): Handlers<typeof identities> {
  const byAddress = createAddressLimit(ctx, 'identities of an address', CALLS_PER_ADDRESS, WINDOW_MS);
  const providers = { github, oidc: createOidc(), lark, wechat };

  const admit = async (call: AttemptCall, provider: Provider): Promise<void> => {
    await byAddress.take(call.address);
    checkIsOn(provider, ctx.settings);
  };
  const comeBack =
    (name: RedirectingProvider): Handlers<typeof identities>['github'] =>
    async ({ query }, call) => {
      const provider = providers[name];
      await admit(call, provider);
      const attempt = await takeByState(ctx, call, provider, query.state);
      const person = await identify(ctx, provider, query, attempt);
      return finish(ctx, call, provider, { attempt, person, aff: query.aff });
    };
  const typed = async (call: AttemptCall, intent: 'sign-in' | 'bind', code: string, aff: string) => {
    await admit(call, wechat);
    const { attempt, giveBack } = await takeTyped(ctx, call, wechat, intent);
    const person = await identify(ctx, wechat, { code, iss: '' }, attempt).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    return finish(ctx, call, wechat, { attempt, person, aff });
  };

  return {
    state: async ({ query }, call) => {
      const provider = providers[query.provider];
      await admit(call, provider);
      return beginByState(ctx, call, provider);
    },
    endpoint: async ({ query }, call) => {
      const provider = providers[query.provider];
      await admit(call, provider);
      return beginByAddress(ctx, call, provider);
    },
    github: comeBack('github'),
    oidc: comeBack('oidc'),
    lark: comeBack('lark'),
    startWechat: async (_input, call) => {
      await admit(call, wechat);
      await beginTyping(ctx, call, wechat);
      return null;
    },
    wechat: ({ query }, call) => typed(call, 'sign-in', query.code, query.aff),
    bindWechat: async ({ query }, call) => {
      await typed(call, 'bind', query.code, '');
      return null;
    },
    list: (_input, call) => listIdentities(ctx, call.caller),
    unbind: async ({ body }, call) => {
      await unbind(ctx, call, providers[body.type]);
      return null;
    },
  };
}
