import type { telegram } from '@switchyard/contract/telegram';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/mount.ts';
import { audit } from '../audit/audit.ts';
import { tellOwner } from '../security-notices/security-notices.ts';
import { beginBinding, readTelegram, unbindTelegram } from './telegram.ts';

export const telegramRoutes = (ctx: Context): Handlers<typeof telegram> => ({
  get: (_input, { caller }) => readTelegram(ctx, caller),
  begin: (_input, { caller }) => beginBinding(ctx, caller),
  unbind: async (_input, call) => {
    const { userId } = call.caller;
    await unbindTelegram(ctx, call.caller);
    await tellOwner(ctx, userId, 'identity-unbound', { provider: 'Telegram' });
    await audit(ctx, call, {
      action: 'identity.unbind',
      target: `user:${userId}`,
      detail: { provider: 'telegram' },
    });
    return null;
  },
});
