import { z } from 'zod';
import { concurrency } from './setting-schemas.ts';

/** Settings of the users' limits. */
export const limitSettings = {
  /** Maximum concurrent requests of a token; 0: no limit. */
  concurrencyPerToken: { option: 'ConcurrencyPerToken', group: 'limits', schema: concurrency, default: 20 },
  concurrencyPerUser: { option: 'ConcurrencyPerUser', group: 'limits', schema: concurrency, default: 50 },
  concurrencyPerAddress: { option: 'ConcurrencyPerAddress', group: 'limits', schema: concurrency, default: 100 },
  /** Maximum API tokens of a user; administrators have no limit. */
  tokensPerUser: { option: 'TokensPerUser', group: 'limits', schema: z.int().min(1).max(100_000), default: 100 },
} as const;
