import { z } from 'zod';

export const logSettings = {
  logConsume: { option: 'LogConsumeEnabled', group: 'log', schema: z.boolean(), default: true },
  /** After how many whole days records of calls go; 0: never. What they add up to stays. */
  recordDays: { option: 'RecordDays', group: 'log', schema: z.int().min(0).max(3_650), default: 0 },
  /** Whether each day's records are written to the bucket of results before they go. */
  recordArchive: { option: 'RecordArchiveEnabled', group: 'log', schema: z.boolean(), default: false },
} as const;
