import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { readSnapshot } from '../../db/open-database.ts';
import { removeDatabase } from '../../db/sqlite/copy-database.ts';
import { readBackupSecrets, unpackBackup } from '../../operations/backup/backup.ts';
import { lockBackups } from '../../platform/data-folder-lock.ts';
import { escapeControlCharacters } from '../../platform/escape-terminal-text.ts';
import { requireBackupFile } from './backup.ts';
import { type CheckResult, checkDatabaseCopy, checkLedgerRows } from './check-database.ts';
import { type Command, readParameters, requireDatabase } from './command-and-database-access.ts';

/** Verifies the ledger. It changes nothing, and may run beside the server. */
export const verifyCommand: Command = {
  syntax: '[BACKUP]',
  summary:
    'recomputes every balance from the ledger and the audit log, here or in a backup; fails if there is a discrepancy',
  async run(config, parameters) {
    const { positionals } = readParameters(parameters, {}, 1);
    const [file] = positionals;
    const checked =
      file === undefined ? await checkOwnDatabase(config) : await checkBackup(config, requireBackupFile(file));
    return printCheckResult(checked);
  },
};

/** @returns the exit code */
export function printCheckResult({ summary, problems }: CheckResult): number {
  console.log(summary);
  for (const problem of problems) console.log(`- ${escapeControlCharacters(problem)}`);
  return problems.length === 0 ? 0 : 1;
}

function checkOwnDatabase(config: Config): Promise<CheckResult> {
  return readSnapshot(requireDatabase(config), (db) => checkLedgerRows(db, config));
}

/** Checks a backup. Its content lies temporarily in the data folder, next to the database itself. */
async function checkBackup(config: Config, file: string): Promise<CheckResult> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const release = lockBackups(config.dataDir);
  const copy = join(config.dataDir, 'backup.tmp');
  try {
    removeDatabase(copy);
    await unpackBackup(file, copy, readBackupSecrets(config));
    return await checkDatabaseCopy(copy, config);
  } finally {
    removeDatabase(copy);
    release();
  }
}
