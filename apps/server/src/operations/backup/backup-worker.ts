/** Worker thread that creates one backup and verifies it. */
import { rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createBackup } from './backup.ts';
import type { BackupTask } from './scheduled-backups.ts';
import { verifyBackup } from './unpack-backup.ts';

const { databaseFile, folder, secrets: told, now } = workerData as BackupTask;
// Buffers arrive as plain byte arrays.
const secrets = { ...told, masterKeys: told.masterKeys.map((key) => Buffer.from(key)) };
const file = await createBackup({ databaseFile, target: `${folder}/`, secrets, now });
try {
  await verifyBackup(file, secrets);
} catch (error) {
  rmSync(file);
  throw error;
}
parentPort?.postMessage(file);
