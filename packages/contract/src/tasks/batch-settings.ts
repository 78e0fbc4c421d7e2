import { z } from 'zod';

/** Settings of requests that are sent in files and answered within a day. */
export const batchSettings = {
  /** Multiplies the price of each request of a batch. */
  batchPriceRatio: {
    option: 'BatchPriceRatio',
    group: 'batches',
    schema: z.number().min(0).max(10).multipleOf(0.000_001),
    default: 0.5,
  },
  /** Requests of a user's batches that run at the same time. */
  batchRequestsPerUser: {
    option: 'BatchRequestsPerUser',
    group: 'batches',
    schema: z.int().min(1).max(100),
    default: 4,
  },
  /** Maximum megabytes of a user's files together; 0: no files are accepted. */
  batchMegabytesPerUser: {
    option: 'BatchMegabytesPerUser',
    group: 'batches',
    schema: z.int().min(0).max(1_000_000),
    default: 1_000,
  },
  /** Days until files and batches are forgotten. */
  batchDays: { option: 'BatchDays', group: 'batches', schema: z.int().min(1).max(365), default: 30 },
} as const;
