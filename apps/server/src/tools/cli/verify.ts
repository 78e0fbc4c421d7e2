import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { removeDatabase } from '../../db/copy-database.ts';
import { readMoment } from '../../db/db.ts';
import { backupSecrets, unpackBackup } from '../../operations/backup/backup.ts';
import { claimBackups } from '../../platform/data-folder.ts';
import { backupFile } from './backup-file.ts';
import { type Checked, checkBooks, checkCopy } from './check-database.ts';
import { type Command, existingDatabase } from './command.ts';
import { readParameters } from './read-parameters.ts';

/** May run beside the server, and changes nothing. */
export const verify: Command = {
  syntax: '[BACKUP]',
  summary:
    'recomputes every balance from the ledger and the audit log, here or in a backup; fails if there is a discrepancy',
  async run(config, parameters) {
    const { positionals } = readParameters(parameters, {}, 1);
    const [file] = positionals;
    const checked = file === undefined ? await checkOwn(config) : await checkBackup(config, backupFile(file));
    return tell(checked);
  },
};

/** @returns the exit code */
export function tell({ summary, problems }: Checked): number {
  console.log(summary);
  for (const problem of problems) console.log(`- ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

function checkOwn(config: Config): Promise<Checked> {
  return readMoment(existingDatabase(config), (db) => checkBooks(db, config));
}

/** Checks a backup. Its content lies temporarily in the data folder, next to the database itself. */
async function checkBackup(config: Config, file: string): Promise<Checked> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const release = claimBackups(config.dataDir);
  const copy = join(config.dataDir, 'backup.tmp');
  try {
    removeDatabase(copy);
    await unpackBackup(file, copy, backupSecrets(config));
    return await checkCopy(copy, config);
  } finally {
    removeDatabase(copy);
    release();
  }
}
