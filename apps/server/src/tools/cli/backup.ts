import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createBackup, readBackupSecrets } from '../../operations/backup/backup.ts';
import { nowSeconds, systemClock } from '../../platform/clock.ts';
import { type Command, readParameters, requireDatabaseFile } from './command-and-database-access.ts';

const MEGABYTE = 1_000_000;

/** Creates a backup. It may run beside the server. */
export const backupCommand: Command = {
  syntax: '[--to FILE|FOLDER] [--without-encryption]',
  summary: 'copies the database into one file, encrypted with BACKUP_PASSPHRASE or the master key',
  async run(config, parameters) {
    const { values } = readParameters(
      parameters,
      { to: { type: 'string' }, 'without-encryption': { type: 'boolean', default: false } },
      0,
    );
    const begun = performance.now();
    const file = await createBackup({
      databaseFile: requireDatabaseFile(config, 'back it up with pg_dump'),
      target: values.to === undefined ? `${join(config.dataDir, 'backups')}/` : resolveTarget(values.to),
      secrets: values['without-encryption'] ? undefined : readBackupSecrets(config),
      now: nowSeconds(systemClock),
    });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`${file}: ${(statSync(file).size / MEGABYTE).toFixed(1)} MB in ${seconds} s`);
    console.log(
      'The backup does not contain the master key or the files in works/. Keep master.key, or MASTER_KEY, in another place.',
    );
    return 0;
  },
};

/** Resolves the target and keeps a slash at its end, which marks a folder that does not exist yet. */
const resolveTarget = (to: string): string => `${resolve(to)}${to.endsWith('/') ? '/' : ''}`;

/** @throws if the file that the operator named does not exist */
export function requireBackupFile(name: string): string {
  const file = resolve(name);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw new Error(`There is no file ${file}`);
  return file;
}
