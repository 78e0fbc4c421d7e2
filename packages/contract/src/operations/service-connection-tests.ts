/** Tests of external services with the saved settings. */
import { z } from 'zod';
import { routes } from '../route.ts';

export const testedService = z.enum(['github', 'oidc', 'lark', 'wechat', 'telegram', 'turnstile', 's3']);
export type TestedService = z.output<typeof testedService>;

export const serviceTests = routes({
  run: {
    method: 'POST',
    path: '/api/service_test/:service',
    access: 'root',
    summary: 'Test a service with the saved settings; fails with `not-set-up`, or `upstream-failed` and the reason',
    params: z.object({ service: testedService }),
    answer: z.object({
      /** Name that the service reports; empty without one. */
      name: z.string(),
    }),
  },
});
