import type { setUp } from '@switchyard/contract/accounts/set-up';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createAddressLimit } from '../../platform/limits/rate-limit.ts';
import { beginSession, checkConnection } from '../sign-in/sign-in.ts';
import { checkSetUpCode, createRoot } from './set-up.ts';

const TRIES_PER_ADDRESS = 30;
const WINDOW_MS = 10 * 60_000;

export function setUpRoutes(ctx: Context): Handlers<typeof setUp> {
  const byAddress = createAddressLimit(ctx, 'setup attempts from this address', TRIES_PER_ADDRESS, WINDOW_MS);
  return {
    check: async ({ body }, call) => {
      await byAddress.consume(call.address);
      checkConnection(ctx, call, 'root');
      await checkSetUpCode(ctx, body.code);
    },
    createRoot: async ({ body }, call) => {
      await byAddress.consume(call.address);
      checkConnection(ctx, call, 'root');
      const id = await createRoot(ctx, body);
      await audit(ctx, call, { action: 'set-up.root', target: `user:${id}` });
      return beginSession(ctx, call, id, 'set-up');
    },
  };
}
