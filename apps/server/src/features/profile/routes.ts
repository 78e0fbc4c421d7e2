import type { profile } from '@switchyard/contract/profile';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { audit, changesBetween } from '../audit/audit.ts';
import { endOwnSession, listSessions, readSelf, stepUp, updateProfile } from './profile.ts';

const PASSWORD_TRIES = 10;
const PASSWORD_WINDOW_MS = 10 * 60_000;

export function profileRoutes(ctx: Context): Handlers<typeof profile> {
  const passwordTries = createRateLimit(ctx.clock, PASSWORD_TRIES, PASSWORD_WINDOW_MS);
  return {
    get: (_input, { caller }) => readSelf(ctx, caller.userId),
    update: async ({ body }, call) => {
      if (body.password !== undefined) passwordTries.take(String(call.caller.userId));
      const before = await readSelf(ctx, call.caller.userId);
      const self = await updateProfile(ctx, call.caller, body);
      const changes = changesBetween(before, self, ['username', 'display_name']);
      if (Object.keys(changes).length > 0)
        await audit(ctx, call, { action: 'profile.update', target: `user:${self.id}`, detail: { changes } });
      if (body.password !== undefined)
        await audit(ctx, call, { action: 'profile.password', target: `user:${self.id}` });
      return self;
    },
    stepUp: async ({ body }, { caller }) => {
      passwordTries.take(String(caller.userId));
      await stepUp(ctx, caller, body.password);
      passwordTries.reset(String(caller.userId));
      return null;
    },
    listSessions: (_input, { caller }) => listSessions(ctx, caller),
    endSession: async ({ params }, call) => {
      await endOwnSession(ctx, call.caller, params.id);
      await audit(ctx, call, { action: 'profile.end-session', target: `user:${call.caller.userId}` });
      return null;
    },
  };
}
