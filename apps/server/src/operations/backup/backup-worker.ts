/** A thread that makes one backup and reads it back. */
import { rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createBackup } from './backup.ts';
import type { BackupTask } from './scheduled-backups.ts';
import { verifyBackup } from './unpack-backup.ts';

const { databaseFile, folder, secrets: told, now } = workerData as BackupTask;
// Bytes lose their kind on the way.
const secrets = { ...told, masterKeys: told.masterKeys.map((key) => Buffer.from(key)) };
const file = await createBackup({ databaseFile, target: `${folder}/`, secrets, now });
try {
  await verifyBackup(file, secrets);
} catch (error) {
  rmSync(file);
  throw error;
}
parentPort?.postMessage(file);
