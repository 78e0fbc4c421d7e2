import { z } from 'zod';

/** Settings of batches. */
export const batchSettings = {
  /** Factor of the price of each request in a batch. */
  batchPriceRatio: {
    option: 'BatchPriceRatio',
    group: 'batches',
    schema: z.number().min(0).max(10).multipleOf(0.000_001),
    default: 0.5,
  },
  /** Concurrent requests of a user's batches. */
  batchRequestsPerUser: {
    option: 'BatchRequestsPerUser',
    group: 'batches',
    schema: z.int().min(1).max(100),
    default: 4,
  },
  /** Maximum megabytes of a user's files; 0: no files are accepted. */
  batchMegabytesPerUser: {
    option: 'BatchMegabytesPerUser',
    group: 'batches',
    schema: z.int().min(0).max(1_000_000),
    default: 1_000,
  },
  /** Days after which files and batches are deleted. */
  batchDays: { option: 'BatchDays', group: 'batches', schema: z.int().min(1).max(365), default: 30 },
} as const;
