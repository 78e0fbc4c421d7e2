import type { identities, RedirectingProvider } from '@switchyard/contract/accounts/identities';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import { finishIdentityAttempt, identifyProviderUser, listIdentities, unbindIdentity } from './identities.ts';
import { checkProviderEnabled, type IdentityProviderClient } from './identity-provider.ts';
import {
  beginCodeEntry,
  consumeCodeEntry,
  consumeState,
  createAuthorizationUrl,
  type IdentityCall,
  issueState,
} from './oauth-state.ts';
import { github } from './providers/github.ts';
import { lark } from './providers/lark.ts';
import { createOidc } from './providers/oidc.ts';
import { wechat } from './providers/wechat.ts';

/** Limit for all routes of this feature that need no session. */
const CALLS_PER_ADDRESS = 20;
const WINDOW_MS = 20 * 60_000;

export function identityRoutes(ctx: Context): Handlers<typeof identities> {
  const byAddress = createAddressLimit(
    ctx,
    'sign-ins with other accounts from this address',
    CALLS_PER_ADDRESS,
    WINDOW_MS,
  );
  const providers = { github, oidc: createOidc(), lark, wechat };

  const admit = async (call: IdentityCall, provider: IdentityProviderClient): Promise<void> => {
    await byAddress.consume(call.address);
    checkProviderEnabled(provider, ctx.settings);
  };
  const comeBack =
    (name: RedirectingProvider): Handlers<typeof identities>['github'] =>
    async ({ query }, call) => {
      const provider = providers[name];
      await admit(call, provider);
      const attempt = await consumeState(ctx, call, provider, query.state);
      const person = await identifyProviderUser(ctx, provider, query, attempt);
      return finishIdentityAttempt(ctx, call, provider, { attempt, person, aff: query.aff });
    };
  const typed = async (call: IdentityCall, intent: 'sign-in' | 'bind', code: string, aff: string) => {
    await admit(call, wechat);
    const { attempt, giveBack } = await consumeCodeEntry(ctx, call, wechat, intent);
    const person = await identifyProviderUser(ctx, wechat, { code, iss: '' }, attempt).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    return finishIdentityAttempt(ctx, call, wechat, { attempt, person, aff });
  };

  return {
    state: async ({ query }, call) => {
      const provider = providers[query.provider];
      await admit(call, provider);
      return issueState(ctx, call, provider);
    },
    endpoint: async ({ query }, call) => {
      const provider = providers[query.provider];
      await admit(call, provider);
      return createAuthorizationUrl(ctx, call, provider);
    },
    github: comeBack('github'),
    oidc: comeBack('oidc'),
    lark: comeBack('lark'),
    startWechat: async (_input, call) => {
      await admit(call, wechat);
      await beginCodeEntry(ctx, call, wechat);
    },
    wechat: ({ query }, call) => typed(call, 'sign-in', query.code, query.aff),
    bindWechat: async ({ query }, call) => void (await typed(call, 'bind', query.code, '')),
    list: (_input, call) => listIdentities(ctx, call.caller),
    unbind: ({ body }, call) => unbindIdentity(ctx, call, providers[body.type]),
  };
}
