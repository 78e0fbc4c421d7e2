import { z } from 'zod';
import { concurrency } from './setting-schemas.ts';

/** Settings of what users may have and do at most. */
export const limitSettings = {
  /** Requests that may run at the same time; 0: any number. */
  concurrencyPerToken: { option: 'ConcurrencyPerToken', group: 'limits', schema: concurrency, default: 20 },
  concurrencyPerUser: { option: 'ConcurrencyPerUser', group: 'limits', schema: concurrency, default: 50 },
  concurrencyPerAddress: {
    option: 'ConcurrencyPerAddress',
    group: 'limits',
    schema: concurrency,
    default: 100,
  },
  /** API tokens that a user may have; administrators may have any number. */
  tokensPerUser: {
    option: 'TokensPerUser',
    group: 'limits',
    schema: z.int().min(1).max(100_000),
    default: 100,
  },
} as const;
