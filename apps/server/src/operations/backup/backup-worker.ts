/** Worker thread that creates one backup and verifies it. */
import { rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { LockHeldError } from '../../platform/data-folder-lock.ts';
import { createBackup } from './backup.ts';
import type { BackupResult, BackupTask } from './scheduled-backups.ts';
import { verifyBackup } from './unpack-and-verify-backup.ts';

async function createAndVerify({ databaseFile, folder, secrets: told, now }: BackupTask): Promise<BackupResult> {
  // Buffers arrive as plain byte arrays.
  const secrets = { ...told, masterKeys: told.masterKeys.map((key) => Buffer.from(key)) };
  let file: string;
  try {
    file = await createBackup({ databaseFile, target: `${folder}/`, secrets, now });
  } catch (error) {
    if (error instanceof LockHeldError) return { held: error.message };
    throw error;
  }
  try {
    await verifyBackup(file, secrets);
  } catch (error) {
    rmSync(file);
    throw error;
  }
  return { file };
}

parentPort?.postMessage(await createAndVerify(workerData as BackupTask));
