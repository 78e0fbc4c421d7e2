import type { signIn } from '@switchyard/contract/sign-in';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { audit } from '../audit/audit.ts';
import { createPasswordGuard } from './password-guard.ts';
import { signInWithPassword, signOut } from './sign-in.ts';

export function signInRoutes(ctx: Context): Handlers<typeof signIn> {
  const guard = createPasswordGuard(ctx);
  return {
    signIn: async ({ body }, call) => {
      const self = await signInWithPassword(ctx, guard, call, body);
      await audit(ctx, call, { action: 'session.start', target: `user:${self.id}` });
      return self;
    },
    signOut: async (_input, call) => {
      await signOut(ctx, call);
      return null;
    },
  };
}
