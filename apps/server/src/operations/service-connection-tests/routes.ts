import type { serviceTests } from '@switchyard/contract/operations/service-connection-tests';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import { testService } from './service-connection-tests.ts';

const TESTS_PER_MINUTE = 10;

export const serviceTestRoutes = (ctx: Context): Handlers<typeof serviceTests> => {
  const limit = createRateLimit(ctx, 'services to try', TESTS_PER_MINUTE, 60_000);
  return {
    run: async ({ params }, { caller }) => {
      await limit.consume(String(caller.userId));
      return { name: await testService(ctx, params.service) };
    },
  };
};
