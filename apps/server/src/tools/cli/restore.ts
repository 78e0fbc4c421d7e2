import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getDatabaseFile } from '../../db/open-database.ts';
import { checkpointDatabase, removeDatabase } from '../../db/sqlite/copy-database.ts';
import { copyUnwrittenSettlements } from '../../ledger/ledger.ts';
import { isSqliteFile, readBackupHead, readBackupSecrets, unpackBackup } from '../../operations/backup/backup.ts';
import { nowSeconds, systemClock } from '../../platform/clock.ts';
import { isLockedError, lockDataFolder } from '../../platform/data-folder-lock.ts';
import { hasMasterKey } from '../../platform/secrets/master-key.ts';
import { requireBackupFile } from './backup.ts';
import { checkDatabaseCopy } from './check-database.ts';
import { type Command, readParameters } from './command-and-database-access.ts';
import { printCheckResult } from './verify.ts';

/** Restores a backup. After an interruption, the data folder has either the old database or the one of the backup. */
export const restoreCommand: Command = {
  syntax: 'BACKUP [--to FOLDER] [--replace] [--despite-problems]',
  summary: 'checks a backup and puts its database in the data folder; stop the server first',
  async run(config, parameters) {
    const { values, positionals } = readParameters(
      parameters,
      {
        to: { type: 'string' },
        replace: { type: 'boolean', default: false },
        'despite-problems': { type: 'boolean', default: false },
      },
      1,
    );
    const [name] = positionals;
    if (name === undefined) throw new Error('Name the backup: npm run switchyard -- restore BACKUP');
    if (config.databaseUrl !== undefined && values.to === undefined)
      throw new Error(
        'The database is the PostgreSQL of DATABASE_URL: restore a dump with pg_restore, or restore into a folder with --to',
      );
    const file = requireBackupFile(name);
    const dataDir = values.to === undefined ? config.dataDir : resolve(values.to);
    const folder = lockDataFolder(dataDir);
    const database = getDatabaseFile(dataDir);
    const fresh = join(dataDir, 'restore.tmp');
    try {
      if (existsSync(database) && !values.replace)
        throw new Error(
          `There is already a database at ${database}. With --replace it is kept next to the restored one.`,
        );
      removeDatabase(fresh);
      // A different target folder may not contain the key yet.
      const source = { ...config, dataDir };
      const keys = hasMasterKey(source) ? source : config;
      await unpackBackup(file, fresh, readBackupSecrets(keys));
      const code = printCheckResult(await checkDatabaseCopy(fresh, keys, { action: 'cli.restore' }));
      if (code !== 0 && !values['despite-problems']) {
        console.log('Nothing was restored. Use --despite-problems to restore nevertheless.');
        return code;
      }
      const unsent = endOpenSteps(fresh);
      checkpointDatabase(fresh);
      const old = existsSync(database) ? moveOldDatabaseAside(database, dataDir) : undefined;
      renameSync(fresh, database);
      console.log(`Restored ${database} ${await describeOrigin(file)}.`);
      if (old !== undefined) describePrevious(old);
      console.log(
        'Payments, refunds, redeemed codes and revoked access since then are missing, as docs/manual/backup.md describes.',
      );
      if (unsent > 0)
        console.log(
          `${unsent} mails and notifications were waiting in the backup. They are marked as failed and not sent again.`,
        );
      if (!hasMasterKey(source))
        console.log(`Put master.key in ${dataDir}, or set MASTER_KEY, before you start the server.`);
      return 0;
    } finally {
      removeDatabase(fresh);
      folder.release();
    }
  },
};

const NOT_SENT = 'The database was restored from a backup, after which this may have been sent already';

/**
 * Ends sessions and pending sign-ins, which may have been revoked since the backup, and waiting mails and
 * notifications: nearly all of them were sent since, and the links and codes of mails are invalid.
 * @returns the number of mails and notifications that were waiting
 */
function endOpenSteps(database: string): number {
  const connection = new DatabaseSync(database);
  try {
    connection.exec('delete from session; delete from one_time');
    const mails = connection
      .prepare("update mail set state = 'failed', values_sealed = '', last_error = ? where state = 'waiting'")
      .run(NOT_SENT);
    const deliveries = connection
      .prepare(
        `update delivery set state = 'failed', next_try_time = null, ended_time = ?, last_answer = ?
          where state = 'waiting'`,
      )
      .run(nowSeconds(systemClock), NOT_SENT);
    return Number(mails.changes) + Number(deliveries.changes);
  } finally {
    connection.close();
  }
}

/** Previous database under its new name. */
interface PreviousDatabase {
  path: string;
  /** File of the charges that were not written to it yet. */
  unwritten: string | undefined;
}

/** Endings of the files with changes that are not in the database file yet, or are to be undone. */
const LOG_ENDINGS = ['-wal', '-journal'] as const;

/**
 * Keeps the old database under another name. It is linked, not moved, because a start without a database would create
 * a new one.
 */
function moveOldDatabaseAside(database: string, dataDir: string): PreviousDatabase {
  const aside = `${database}.replaced-${nowSeconds(systemClock)}`;
  const unwritten = `${aside}.unwritten-ends.jsonl`;
  const hasUnwritten = copyUnwrittenSettlements(dataDir, unwritten);
  linkSync(database, aside);
  // SQLite removes the logs of a database that it can't open.
  const logs = LOG_ENDINGS.filter((ending) => existsSync(`${database}${ending}`));
  for (const ending of logs) linkSync(`${database}${ending}`, `${aside}${ending}`);
  try {
    checkpointDatabase(database);
    for (const ending of logs) rmSync(`${aside}${ending}`);
  } catch (error) {
    if (isLockedError(error)) throw error;
    // The database is damaged, perhaps the reason for the restore: its logs are kept as they are.
  }
  // SQLite would apply the logs of the old database to the restored one.
  for (const ending of [...LOG_ENDINGS, '-shm']) rmSync(`${database}${ending}`, { force: true });
  return { path: aside, unwritten: hasUnwritten ? unwritten : undefined };
}

function describePrevious({ path, unwritten }: PreviousDatabase): void {
  console.log(`The previous database is ${path}. Delete it when you no longer need it.`);
  if (unwritten !== undefined)
    console.log(
      `${unwritten} contains charges that were not written to it yet. To use the previous database again, put them back as unwritten-ends.jsonl.`,
    );
}

async function describeOrigin(file: string): Promise<string> {
  if (await isSqliteFile(file)) return `from the copy ${file}`;
  const { head } = await readBackupHead(file);
  const { users, channels, usage_records } = head.counts;
  return `as it was at ${new Date(head.created_at * 1000).toISOString()}, written by version ${head.version}: ${users} users, ${channels} channels, ${usage_records} usage records`;
}
