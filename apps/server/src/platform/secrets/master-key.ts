/** The key that wraps the data keys. It never enters the database. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { deriveKey, KEY_BYTES, openBox, sealBox } from './sealed-box.ts';

/** Sources of the keys, as in `Config`. */
export interface KeySource {
  dataDir: string;
  masterKey: string | undefined;
  masterKeyOld: string | undefined;
}

export interface MasterKeys {
  current: Buffer;
  /** Key that opens what was wrapped before the master key changed. */
  old: Buffer | undefined;
  /** `MASTER_KEY`, or the file of the current key. */
  source: string;
}

const getKeyFile = (dataDir: string): string => join(dataDir, 'master.key');
const getOldKeyFile = (dataDir: string): string => `${getKeyFile(dataDir)}.old`;

export function hasMasterKey({ dataDir, masterKey }: KeySource): boolean {
  return masterKey !== undefined || existsSync(getKeyFile(dataDir));
}

/**
 * Returns the master key from the environment, else from `master.key` in the data folder.
 * @throws when there is none, when it is not 32 bytes, or when other users can read the file
 */
export function loadMasterKey(source: KeySource): Buffer {
  if (source.masterKey !== undefined) return parseKey(source.masterKey, 'MASTER_KEY');
  if (!hasMasterKey(source))
    throw new Error(
      `There is no master key for this database. Restore ${getKeyFile(source.dataDir)}, or set MASTER_KEY to the key that the database was created with.`,
    );
  return readKeyFile(getKeyFile(source.dataDir));
}

/** Returns both keys. @throws like `loadMasterKey` */
export function loadMasterKeys(source: KeySource): MasterKeys {
  return {
    current: loadMasterKey(source),
    old: loadOldMasterKey(source),
    source: source.masterKey === undefined ? getKeyFile(source.dataDir) : 'MASTER_KEY',
  };
}

/** Returns the previous master key, while it may still wrap data keys. */
export function loadOldMasterKey({ dataDir, masterKey, masterKeyOld }: KeySource): Buffer | undefined {
  if (masterKeyOld !== undefined) return parseKey(masterKeyOld, 'MASTER_KEY_OLD');
  const file = getOldKeyFile(dataDir);
  return masterKey === undefined && existsSync(file) ? readKeyFile(file) : undefined;
}

/**
 * Creates the key file, readable by its owner only, unless there is one. The caller holds the lock of the folder, so
 * that no other process creates one at the same time.
 */
export function createKeyFile(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = getKeyFile(dataDir);
  if (!existsSync(file)) writeKeyAtomically(file, generateKey());
}

/**
 * Replaces the key in `master.key`; the old one moves to `master.key.old`. At every moment one of the two opens the
 * database.
 */
export function replaceKeyFile(dataDir: string): void {
  const file = getKeyFile(dataDir);
  writeKeyAtomically(getOldKeyFile(dataDir), readFileSync(file, 'utf8'));
  writeKeyAtomically(file, generateKey());
}

/** Writes durably, and all or nothing, even when the power fails. */
function writeKeyAtomically(file: string, text: string): void {
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  writeKey(fresh, text);
  renameSync(fresh, file);
}

const generateKey = (): string => `${randomBytes(KEY_BYTES).toString('base64')}\n`;

function writeKey(file: string, text: string): void {
  // `O_SYNC` makes each write durable: a separate fsync needs more permissions in Node.
  const { O_CREAT, O_EXCL, O_WRONLY, O_SYNC } = constants;
  const descriptor = openSync(file, O_CREAT | O_EXCL | O_WRONLY | O_SYNC, 0o600);
  writeSync(descriptor, text);
  closeSync(descriptor);
}

function readKeyFile(file: string): Buffer {
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} is readable by other users. Run: chmod 600 ${file}`);
  return parseKey(readFileSync(file, 'utf8').trim(), file);
}

function parseKey(text: string, source: string): Buffer {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`${source} must be ${KEY_BYTES} bytes as base64 or hex`);
  return bytes;
}

/** Wraps a data key for its row. */
export function wrapKey(masterKey: Buffer, id: number, secret: Buffer): string {
  return sealBox(deriveKey(masterKey, 'wrap'), `data_key:${id}`, secret);
}

/** @throws when another master key wrapped it, or it belongs to another row */
export function unwrapKey(masterKey: Buffer, id: number, sealed: string): Buffer {
  return openBox(deriveKey(masterKey, 'wrap'), `data_key:${id}`, sealed);
}
