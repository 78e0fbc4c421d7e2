import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setOptions } from '../../testing/set-options.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { readBackupSecrets, verifyBackup } from '../backup/backup.ts';
import { runScheduledBackup } from './jobs.ts';

const app = await useFeatureApp([], { now: Date.UTC(2026, 10, 23, 9, 30) });
const running = new AbortController().signal;
const folder = join(app.ctx.config.dataDir, 'backups', 'scheduled');
const isFile = app.ctx.db.engine.kind === 'sqlite';

test('no backup is created unless the operator sets an interval', async () => {
  await runScheduledBackup(app.ctx, running);
  expect(readdirSync(app.ctx.config.dataDir)).not.toContain('backups');
});

test.runIf(isFile)('the database is backed up beside the running server', async () => {
  await setOptions(app.ctx, { BackupHours: '24' });
  await runScheduledBackup(app.ctx, running);
  await runScheduledBackup(app.ctx, running);
  expect(readdirSync(folder)).toEqual(['switchyard-20261123T093000Z.backup']);
  await verifyBackup(join(folder, 'switchyard-20261123T093000Z.backup'), readBackupSecrets(app.ctx.config));
});

test.runIf(isFile)('creates a backup on request, even if none is due', async () => {
  await setOptions(app.ctx, { BackupHours: '0' });
  app.clock.advance(60);
  await runScheduledBackup(app.ctx, running, 'not due');
  expect(readdirSync(folder)).toContain('switchyard-20261123T093100Z.backup');
});

test.skipIf(isFile)('PostgreSQL is not backed up, and the job names the alternative', async () => {
  await setOptions(app.ctx, { BackupHours: '24' });
  await expect(runScheduledBackup(app.ctx, running)).rejects.toThrow('pg_dump');
});
