import { z } from 'zod';

/** Settings of the records of past calls, and of their retention. */
export const logSettings = {
  logConsume: { option: 'LogConsumeEnabled', group: 'log', schema: z.boolean(), default: true },
  /** After how many whole days records of calls go; 0: never. What they add up to stays. */
  recordDays: { option: 'RecordDays', group: 'log', schema: z.int().min(0).max(3_650), default: 0 },
  /** Archives each day's records in the artifact bucket before they are deleted. */
  recordArchive: { option: 'RecordArchiveEnabled', group: 'log', schema: z.boolean(), default: false },
  /** Hours from one backup of the database file to the next; 0: none is made. */
  backupHours: { option: 'BackupHours', group: 'backups', schema: z.int().min(0).max(720), default: 0 },
  /** UTC, of the first of a day. */
  backupHour: { option: 'BackupHour', group: 'backups', schema: z.int().min(0).max(23), default: 2 },
  /** The newest of them. */
  backupsKept: { option: 'BackupsKept', group: 'backups', schema: z.int().min(1).max(365), default: 7 },
} as const;
