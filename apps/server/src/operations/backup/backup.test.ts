import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { migrations } from '../../db/migration-list.ts';
import { lockBackups } from '../../platform/data-folder-lock.ts';
import { DiskFullError, type ReadDiskStats } from '../../platform/disk-space.ts';
import { FileDamagedError } from '../../platform/secrets/sealed-file.ts';
import { version } from '../../platform/version.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { createBackup, isSqliteFile, readBackupHead, unpackBackup } from './backup.ts';

const NOW = Date.UTC(2026, 10, 23, 9, 30) / 1000;
const CANARY = 'canary-of-a-setting';
const secrets = { passphrase: undefined, masterKeys: [randomBytes(32)] };
const elsewhere = mkdtempSync(join(tmpdir(), 'switchyard-backups-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

const newDatabase = (): Promise<string> =>
  writeOldDatabase('9999', `insert into setting (name, value) values ('systemName', '"${CANARY}"')`);
let targets = 0;
const newTarget = (): string => {
  targets += 1;
  return join(elsewhere, `target-${targets}`);
};
const newFolder = (): string => `${newTarget()}/`;

function settingOf(file: string): unknown {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    return connection.prepare("select value from setting where name = 'systemName'").get()?.['value'];
  } finally {
    connection.close();
  }
}

test('a backup has a readable header and encrypted content, and restores unchanged', async () => {
  const databaseFile = await newDatabase();
  const file = await createBackup({ databaseFile, target: newFolder(), secrets, now: NOW });
  expect(file).toMatch(/\/switchyard-20261123T093000Z\.backup$/);
  expect((await readBackupHead(file)).head).toMatchObject({
    version,
    migration: Object.keys(migrations).at(-1),
    created_at: NOW,
    counts: { users: 0, channels: 0, usage_records: 0, ledger_entries: 0 },
  });
  expect(readFileSync(file).includes(CANARY)).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const back = newTarget();
  await unpackBackup(file, back, secrets);
  expect(settingOf(back)).toBe(`"${CANARY}"`);
  expect(statSync(back).mode & 0o777).toBe(0o600);
});

test('includes commits of another process that are only in its write-ahead log', async () => {
  const databaseFile = await newDatabase();
  const writer = new DatabaseSync(databaseFile);
  writer.exec(`PRAGMA journal_mode = WAL; update setting set value = '"newer"'`);
  const file = await createBackup({ databaseFile, target: newTarget(), secrets, now: NOW });
  writer.close();
  const back = newTarget();
  await unpackBackup(file, back, secrets);
  expect(settingOf(back)).toBe('"newer"');
});

test('without encryption it is a database that any tool opens', async () => {
  const databaseFile = await newDatabase();
  const file = await createBackup({ databaseFile, target: newFolder(), secrets: undefined, now: NOW });
  expect(file).toMatch(/\.db$/);
  expect(await isSqliteFile(file)).toBe(true);
  expect(settingOf(file)).toBe(`"${CANARY}"`);
  const back = newTarget();
  await unpackBackup(file, back, secrets);
  expect(readFileSync(back).equals(readFileSync(file))).toBe(true);
});

test('refuses a plain database whose newest commits are only in its write-ahead log', async () => {
  const databaseFile = await newDatabase();
  const writer = new DatabaseSync(databaseFile);
  writer.exec(`PRAGMA journal_mode = WAL; update setting set value = '"newer"'`);
  const back = newTarget();
  await expect(unpackBackup(databaseFile, back, secrets)).rejects.toThrow('-wal has changes that are not in');
  expect(statSync(back, { throwIfNoEntry: false })).toBe(undefined);
  writer.exec('PRAGMA journal_mode = DELETE');
  writer.close();
  await unpackBackup(databaseFile, back, secrets);
  expect(settingOf(back)).toBe('"newer"');
});

test.each(['-wal', '-journal'])('takes a plain database only while its %s is empty or missing', async (ending) => {
  const databaseFile = await newDatabase();
  const log = `${databaseFile}${ending}`;
  await unpackBackup(databaseFile, newTarget(), secrets);
  writeFileSync(log, '');
  await unpackBackup(databaseFile, newTarget(), secrets);
  writeFileSync(log, 'changes');
  await expect(unpackBackup(databaseFile, newTarget(), secrets)).rejects.toThrow(`${log} has changes`);
});

test('only the same passphrase decrypts', async () => {
  const databaseFile = await newDatabase();
  const withPhrase = { ...secrets, passphrase: 'correct horse battery' };
  const file = await createBackup({ databaseFile, target: newTarget(), secrets: withPhrase, now: NOW });
  const back = newTarget();
  const unpack = (passphrase: string | undefined) => unpackBackup(file, back, { ...secrets, passphrase });
  await expect(unpack(undefined)).rejects.toThrow('Set BACKUP_PASSPHRASE');
  await expect(unpack('correct horse batterz')).rejects.toThrow('is not the passphrase');
  await unpack('correct horse battery');
  expect(settingOf(back)).toBe(`"${CANARY}"`);
});

test('a backup of before the master key changed opens with the key that it was sealed with', async () => {
  const databaseFile = await newDatabase();
  const file = await createBackup({ databaseFile, target: newTarget(), secrets, now: NOW });
  const newer = randomBytes(32);
  const unpack = (masterKeys: Buffer[]) =>
    unpackBackup(file, newTarget(), { passphrase: 'of later backups', masterKeys });
  await expect(unpack([newer])).rejects.toThrow('another master key');
  await expect(unpack([])).rejects.toThrow('another master key');
  await unpack([newer, ...secrets.masterKeys]);
});

test('distinguishes a damaged backup from a wrong key and from another file, and leaves no files behind', async () => {
  const databaseFile = await newDatabase();
  const file = await createBackup({ databaseFile, target: newTarget(), secrets, now: NOW });
  const bytes = readFileSync(file);
  const back = newTarget();
  const changes = [
    bytes.subarray(0, -1),
    bytes.subarray(0, bytes.length / 2),
    Buffer.concat([bytes, bytes]),
    Buffer.from(bytes.toString('latin1').replace('"channels":0', '"channels":1'), 'latin1'),
  ];
  for (const changed of changes) {
    writeFileSync(file, changed);
    await expect(unpackBackup(file, back, secrets)).rejects.toThrow(new FileDamagedError(file));
    expect(statSync(back, { throwIfNoEntry: false })).toBe(undefined);
  }
  for (const foreign of [randomBytes(5_000), '', '{"format":"another"}\n', 'id,name\n1,a\n']) {
    writeFileSync(file, foreign);
    await expect(unpackBackup(file, back, secrets)).rejects.toThrow(
      new Error(`${file} is not a Switchyard backup. Name a file that the command backup made.`),
    );
    expect(statSync(back, { throwIfNoEntry: false })).toBe(undefined);
  }
});

test('a full disk ends it with nothing left of it, and no file is written over', async () => {
  const databaseFile = await newDatabase();
  const target = newFolder();
  const full: ReadDiskStats = () => ({ bavail: 10, blocks: 1_000_000, bsize: 4096 });
  // Room for the copy, and then none for the backup.
  let requestCount = 0;
  const soonFull: ReadDiskStats = (folder) => {
    requestCount += 1;
    return requestCount === 1 ? { bavail: 900_000, blocks: 1_000_000, bsize: 4096 } : full(folder);
  };
  for (const disk of [full, soonFull])
    for (const by of [secrets, undefined]) {
      requestCount = by === undefined ? 1 : 0;
      await expect(createBackup({ databaseFile, target, secrets: by, now: NOW, disk })).rejects.toThrow(DiskFullError);
    }
  expect(readdirSync(target)).toEqual([]);
  expect(readdirSync(dirname(databaseFile)).toSorted()).toEqual(['backup.lock', 'switchyard.db']);
  await createBackup({ databaseFile, target, secrets, now: NOW });
  await expect(createBackup({ databaseFile, target, secrets, now: NOW })).rejects.toThrow('already a file');
});

test.each([['sealed', secrets] as const, ['plain', undefined] as const])(
  'replaces what a killed run has left of the same %s file',
  async (_, by) => {
    const databaseFile = await newDatabase();
    const target = newTarget();
    const [left, record] = [`${target}.0f0f0f0f.partial`, join(dirname(databaseFile), 'backup.unfinished')];
    writeFileSync(left, 'left');
    writeFileSync(record, left);
    await createBackup({ databaseFile, target, secrets: by, now: NOW });
    for (const file of [left, record]) expect(statSync(file, { throwIfNoEntry: false })).toBe(undefined);
    const back = newTarget();
    await unpackBackup(target, back, secrets);
    expect(settingOf(back)).toBe(`"${CANARY}"`);
  },
);

test('one backup runs at a time, and the next one removes what a killed one has left', async () => {
  const databaseFile = await newDatabase();
  const target = newFolder();
  const first = await createBackup({ databaseFile, target, secrets, now: NOW });
  const left = [join(dirname(databaseFile), 'backup.tmp'), `${first.replace('0930', '0800')}.0f0f0f0f.partial`];
  for (const file of left) writeFileSync(file, 'left');
  writeFileSync(join(dirname(databaseFile), 'backup.unfinished'), left[1] ?? '');
  const release = lockBackups(dirname(databaseFile));
  await expect(createBackup({ databaseFile, target, secrets, now: NOW + 60 })).rejects.toThrow('Another backup');
  release();
  await createBackup({ databaseFile, target, secrets, now: NOW + 60 });
  for (const file of left) expect(statSync(file, { throwIfNoEntry: false })).toBe(undefined);
});

test.each([['sealed', secrets] as const, ['plain', undefined] as const])(
  'leaves the unfinished %s file of another installation in a shared folder alone',
  async (_, by) => {
    const [mine, theirs] = [await newDatabase(), await newDatabase()];
    const target = newFolder();
    const others = await createBackup({ databaseFile: theirs, target, secrets: by, now: NOW });
    for (const ending of ['.partial', '.0f0f0f0f.partial']) writeFileSync(`${others}${ending}`, 'being written');
    await createBackup({ databaseFile: mine, target, secrets: by, now: NOW + 1 });
    expect(readdirSync(target).filter((name) => name.endsWith('.partial'))).toHaveLength(2);
    await expect(createBackup({ databaseFile: mine, target, secrets: by, now: NOW })).rejects.toThrow('already a file');
    expect(readdirSync(dirname(mine)).toSorted()).toEqual(['backup.lock', 'switchyard.db']);
  },
);
