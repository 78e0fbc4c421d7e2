import type { mail } from '@switchyard/contract/operations/mail';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import { auditFirst } from '../audit/audit.ts';
import { listMail, sendTestMail } from './mail.ts';

const TESTS_PER_MINUTE = 5;

export const mailRoutes = (ctx: Context): Handlers<typeof mail> => {
  const tests = createRateLimit(ctx, 'mails to try', TESTS_PER_MINUTE, 60_000);
  return {
    list: ({ query }) => listMail(ctx, query),
    test: async ({ body }, call) => {
      await tests.consume(String(call.caller.userId));
      await auditFirst(ctx, call, { action: 'mail.test', target: `mail:${body.to}` });
      return { response: await sendTestMail(ctx, body.to) };
    },
  };
};
