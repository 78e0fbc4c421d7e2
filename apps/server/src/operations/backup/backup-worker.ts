/** A thread that makes one backup and reads it back. */
import { rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { backUp } from './backup.ts';
import type { BackupWork } from './scheduled-backups.ts';
import { proveBackup } from './unpack-backup.ts';

const { databaseFile, folder, secrets: told, now } = workerData as BackupWork;
// Bytes lose their kind on the way.
const secrets = { ...told, masterKeys: told.masterKeys.map((key) => Buffer.from(key)) };
const file = await backUp({ databaseFile, target: `${folder}/`, secrets, now });
try {
  await proveBackup(file, secrets);
} catch (error) {
  rmSync(file);
  throw error;
}
parentPort?.postMessage(file);
