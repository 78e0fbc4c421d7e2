import type { impersonation } from '@switchyard/contract/accounts/impersonation';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { endImpersonation, impersonate } from './impersonation.ts';

export const impersonationRoutes = (ctx: Context): Handlers<typeof impersonation> => ({
  start: async ({ body: { user_id, reason } }, call) => {
    const until = await impersonate(ctx, call, user_id);
    const detail = { reason, until };
    await audit(ctx, call, { action: 'impersonation.start', target: `user:${user_id}`, detail });
    return { until };
  },
  end: async (_input, call) => {
    await endImpersonation(ctx, call);
    if (call.caller?.impersonator !== undefined)
      await audit(ctx, call, { action: 'impersonation.end', target: `user:${call.caller.userId}` });
    return null;
  },
});
