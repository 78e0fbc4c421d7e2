import { z } from 'zod';

/** Settings of usage records and their retention, and of backups. */
export const logSettings = {
  logConsume: { option: 'LogConsumeEnabled', group: 'log', schema: z.boolean(), default: true },
  /** Whole days after which usage records are deleted; 0: never. Rollups remain. */
  recordDays: { option: 'RecordDays', group: 'log', schema: z.int().min(0).max(3_650), default: 0 },
  /** Archives each day's records in the artifact bucket before they are deleted. */
  recordArchive: { option: 'RecordArchiveEnabled', group: 'log', schema: z.boolean(), default: false },
  /** Hours between two backups of the database file; 0: no backups. */
  backupHours: { option: 'BackupHours', group: 'backups', schema: z.int().min(0).max(720), default: 0 },
  /** Hour (UTC) of the first backup of a day. */
  backupHour: { option: 'BackupHour', group: 'backups', schema: z.int().min(0).max(23), default: 2 },
  /** Number of the newest backups to keep. */
  backupsKept: { option: 'BackupsKept', group: 'backups', schema: z.int().min(1).max(365), default: 7 },
} as const;
