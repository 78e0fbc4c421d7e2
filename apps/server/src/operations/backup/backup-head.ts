/** First line of a backup: its kind and contents, so that it can be identified. */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { FileDamagedError, readHead } from '../../platform/secrets/sealed-file.ts';
import { keyDescription } from './backup-key.ts';

const rowCount = z.int().min(0);

const backupHead = z.object({
  format: z.literal('switchyard-backup'),
  format_version: z.literal(1),
  /** Version of the program. */
  version: z.string(),
  /** Last migration of the database. */
  migration: z.string(),
  /** UTC seconds. */
  created_at: rowCount,
  counts: z.object({ users: rowCount, channels: rowCount, usage_records: rowCount, ledger_entries: rowCount }),
  database_bytes: rowCount,
  key: keyDescription,
});
export type BackupHead = z.output<typeof backupHead>;

/** @throws FileDamagedError when it is not a backup */
export async function readBackupHead(file: string): Promise<{ line: string; head: BackupHead }> {
  const line = await readHead(file);
  try {
    return { line, head: backupHead.parse(JSON.parse(line)) };
  } catch (error) {
    throw new FileDamagedError(error);
  }
}

/** Returns the last migration and the row counts of a copy, for the first line of a backup. */
export function readContent(copy: DatabaseSync): Pick<BackupHead, 'migration' | 'counts'> {
  const { migration } = z
    .object({ migration: z.string() })
    .parse(copy.prepare('select max(name) as migration from kysely_migration').get());
  const counts = copy
    .prepare(
      `select (select count(*) from user) as users, (select count(*) from channel) as channels,
        (select count(*) from usage_record) as usage_records, (select count(*) from ledger_entry) as ledger_entries`,
    )
    .get();
  return { migration, counts: backupHead.shape.counts.parse(counts) };
}
