/** Keys of backups: a passphrase of the operator, or the master key, which a database needs in any case. */
import { argon2, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { z } from 'zod';
import { deriveKey, KEY_BYTES } from '../../platform/secrets/sealed-box.ts';
import { FileDamagedError, readHead } from '../../platform/secrets/sealed-file.ts';

const SALT_BYTES = 16;

/** Description of the key in a backup's first line. */
export const keyDescription = z.object({
  from: z.enum(['passphrase', 'master-key']),
  /** Random per backup, so that each has its own key. */
  salt: z.base64(),
  /** Distinguishes a wrong key from a damaged file. */
  check: z.base64(),
});
export type KeyDescription = z.output<typeof keyDescription>;

export interface BackupSecrets {
  passphrase: string | undefined;
  /** Newest first. */
  masterKeys: readonly Buffer[];
}

interface DescribedKey {
  description: KeyDescription;
  key: KeyObject;
}

/** Creates the key of a backup, from the passphrase if there is one. */
export async function createBackupKey({ passphrase, masterKeys }: BackupSecrets): Promise<DescribedKey> {
  const salt = randomBytes(SALT_BYTES);
  const [masterKey] = masterKeys;
  if (passphrase !== undefined)
    return deriveDescribedKey('passphrase', salt, await deriveFromPassphrase(passphrase, salt));
  if (masterKey === undefined) throw new Error('There is no key to encrypt the backup with');
  return deriveDescribedKey('master-key', salt, deriveFromMasterKey(masterKey, salt));
}

/** @throws when none of the secrets matches */
export async function findBackupKey(mark: KeyDescription, secrets: BackupSecrets): Promise<KeyObject> {
  const salt = Buffer.from(mark.salt, 'base64');
  const { passphrase, masterKeys } = secrets;
  if (mark.from === 'passphrase' && passphrase === undefined)
    throw new Error('This backup is encrypted with a passphrase. Set BACKUP_PASSPHRASE to it.');
  const candidates =
    passphrase !== undefined && mark.from === 'passphrase'
      ? [await deriveFromPassphrase(passphrase, salt)]
      : masterKeys.map((masterKey) => deriveFromMasterKey(masterKey, salt));
  const fitting = candidates
    .map((secret) => deriveDescribedKey(mark.from, salt, secret))
    .find((one) => isEqual(one.description.check, mark.check));
  if (fitting !== undefined) return fitting.key;
  throw new Error(
    mark.from === 'passphrase'
      ? 'BACKUP_PASSPHRASE is not the passphrase of this backup'
      : 'This backup is encrypted with another master key. Put the master.key of that time in the data folder, or set MASTER_KEY to it.',
  );
}

function deriveDescribedKey(from: KeyDescription['from'], salt: Buffer, secret: Buffer): DescribedKey {
  const check = deriveKey(secret, 'backup-check').export().toString('base64');
  return { description: { from, salt: salt.toString('base64'), check }, key: deriveKey(secret, 'backup') };
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, 'base64'), Buffer.from(other, 'base64')];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Derives a key slowly, since a passphrase can be guessed with the file: each guess costs this much (RFC 9106, second
 * choice).
 */
async function deriveFromPassphrase(passphrase: string, salt: Buffer): Promise<Buffer> {
  return promisify(argon2)('argon2id', {
    message: passphrase,
    nonce: salt,
    parallelism: 4,
    tagLength: KEY_BYTES,
    memory: 65_536,
    passes: 3,
  });
}

function deriveFromMasterKey(masterKey: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, salt, 'switchyard:backup', KEY_BYTES));
}

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

/** @throws Error for a file of another kind; FileDamagedError */
export async function readBackupHead(file: string): Promise<{ line: string; head: BackupHead }> {
  const line = (await readHead(file)) ?? '';
  const head = parseHead(line);
  if (!backupHead.pick({ format: true }).safeParse(head).success)
    throw new Error(`${file} is not a Switchyard backup. Name a file that the command backup made.`);
  const parsed = backupHead.safeParse(head);
  if (!parsed.success) throw new FileDamagedError(file, parsed.error);
  return { line, head: parsed.data };
}

function parseHead(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
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
