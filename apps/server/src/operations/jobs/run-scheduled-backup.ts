import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { createScheduledBackup, readBackupSecrets } from '../backup/backup.ts';

/** @throws on PostgreSQL, so that operators do not rely on backups that are not made */
export async function runScheduledBackup(ctx: Context, stopping: AbortSignal, also?: 'not due'): Promise<void> {
  const { backupHours, backupHour, backupsKept } = ctx.settings;
  if (backupHours === 0 && also === undefined) return;
  const { engine } = ctx.db;
  if (engine.kind === 'postgres')
    throw new Error(
      'Scheduled backups do not support PostgreSQL. Turn them off, and use pg_dump or point-in-time recovery.',
    );
  const file = await createScheduledBackup(
    {
      databaseFile: engine.file,
      folder: join(ctx.config.dataDir, 'backups', 'scheduled'),
      secrets: readBackupSecrets(ctx.config),
      now: nowSeconds(ctx.clock),
      everyHours: backupHours,
      atHour: backupHour,
      keep: backupsKept,
    },
    stopping,
    also,
  );
  if (file !== undefined) ctx.log.info({ file }, 'made a backup');
}
