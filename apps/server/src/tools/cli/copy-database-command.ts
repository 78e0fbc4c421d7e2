import { existsSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { copyRows } from '../../db/copy-between-engines.ts';
import { type Database, isPostgres, openDatabase } from '../../db/open-database.ts';
import { checkpointDatabase, removeDatabase } from '../../db/sqlite/copy-database.ts';
import { assignHoldsToDeadNode, detachHoldsFromNodes, hasUnwrittenSettlements } from '../../ledger/ledger.ts';
import { lockDataFolder } from '../../platform/data-folder-lock.ts';
import { type CheckResult, checkLedgerRows } from './check-database.ts';
import {
  type Command,
  openVault,
  readParameters,
  requireDatabase,
  requireNoRunningServer,
} from './command-and-database-access.ts';
import { printCheckResult } from './verify.ts';

/** Copies the database. The source is only read, except that its tables are brought up to date. */
export const copyCommand: Command = {
  syntax: '--to postgres://…|FILE [--despite-problems]',
  summary:
    'copies the database in use from its file to an empty PostgreSQL database, or from there to a new file; stop the server first',
  async run(config, parameters) {
    const { values } = readParameters(
      parameters,
      { to: { type: 'string' }, 'despite-problems': { type: 'boolean', default: false } },
      0,
    );
    const to = values.to ?? config.copyTo;
    if (to === undefined)
      throw new Error('Name the target: npm run switchyard -- copy --to postgres://…, or COPY_TO in the environment');
    const isToPostgres = isPostgres(to);
    if (isToPostgres === (config.databaseUrl !== undefined))
      throw new Error(
        isToPostgres
          ? 'The database in use is already on PostgreSQL. Copy it with pg_dump and pg_restore.'
          : 'The database in use is already a file. Copy it with: npm run switchyard -- backup',
      );
    const target = isToPostgres ? to : resolve(to);
    if (!isToPostgres && existsSync(target)) throw new Error(`There is already a file at ${target}`);
    if (hasUnwrittenSettlements(config.dataDir))
      throw new Error(
        `unwritten-ends.jsonl in ${config.dataDir} contains charges that are not in the database yet. Start the server once more and wait until they are written.`,
      );
    const folder = lockDataFolder(config.dataDir);
    try {
      const copyTo = isToPostgres ? copyToDatabase : copyToFile;
      return await copyTo(target, config, values['despite-problems']);
    } finally {
      folder.release();
    }
  },
};

/** Copies under a temporary name, because a server would use an incomplete file as its database. */
async function copyToFile(file: string, config: Config, despiteProblems: boolean): Promise<number> {
  const part = `${file}.partial`;
  removeDatabase(part);
  try {
    const code = await copyToDatabase(part, config, despiteProblems);
    if (code === 0) {
      checkpointDatabase(part);
      renameSync(part, file);
    }
    return code;
  } finally {
    removeDatabase(part);
  }
}

/** Error that rolls the copy back, so that the target stays empty. */
class LedgerProblems extends Error {
  readonly checked: CheckResult;

  constructor(checked: CheckResult) {
    super('The ledger has discrepancies');
    this.checked = checked;
  }
}

/** @returns the exit code */
async function copyToDatabase(place: string, config: Config, despiteProblems: boolean): Promise<number> {
  const source = await openDatabase(config.databaseUrl ?? requireDatabase(config), {
    copyFirst: config.backupBeforeUpgrade,
    isPatient: true,
  });
  let target: Database | undefined;
  try {
    await requireNoRunningServer(source);
    // The check of the copied rows needs the key: without it, the target would not be empty any more.
    await openVault(config, source.writer);
    target = await openDatabase(place, { copyFirst: false, isPatient: true });
    const reassignHolds = isPostgres(place) ? assignHoldsToDeadNode : detachHoldsFromNodes;
    let checked: CheckResult = { summary: '', problems: [] };
    const copied = await copyRows(source, target, async (trx) => {
      await reassignHolds(trx);
      checked = await checkLedgerRows(trx, config);
      if (checked.problems.length > 0 && !despiteProblems) throw new LedgerProblems(checked);
    });
    const rows = copied.reduce((sum, table) => sum + table.rows, 0);
    console.log(`${rows} rows of ${copied.length} tables were copied and verified.`);
    printCheckResult(checked);
    return 0;
  } catch (error) {
    if (!(error instanceof LedgerProblems)) throw error;
    printCheckResult(error.checked);
    console.log('Nothing was copied. Use --despite-problems to copy nevertheless.');
    return 1;
  } finally {
    await target?.close();
    await source.close();
  }
}
