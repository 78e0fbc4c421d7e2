import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createVault } from '../platform/secrets/vault.ts';
import { writeOldDatabase } from '../testing/old-database.ts';
import { startTestApp } from '../testing/start-test-app.ts';
import { openKeyRing } from './key-ring.ts';
import { openDatabase } from './open-database.ts';

const newKey = () => randomBytes(32).toString('base64');

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const source = 'data/master.key';

/** All files but the lock, which every process opens. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('process.lock'));
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

test('a start with another master key is refused and changes nothing, and the right one still works', async () => {
  const dataDir = newFolder();
  const right = newKey();
  const start = (masterKey: string) => startTestApp({ dataDir, config: { masterKey } });
  await (await start(right)).close();
  const before = contents(dataDir);
  await expect(start(newKey())).rejects.toThrow(
    'The master key in MASTER_KEY does not match this database. Restore the one that the database was created with, or set MASTER_KEY to it.',
  );
  expect(contents(dataDir)).toEqual(before);
  await (await start(right)).close();
});

test('a start without the master key is refused and makes no other', async () => {
  const dataDir = newFolder();
  await (await startTestApp({ dataDir })).close();
  rmSync(join(dataDir, 'master.key'));
  const before = contents(dataDir);
  await expect(startTestApp({ dataDir })).rejects.toThrow('no master key for this database');
  expect(contents(dataDir)).toEqual(before);
});

test('a new master key takes over when the old one is named, and then works alone', async () => {
  const dataDir = newFolder();
  const [old, fresh] = [newKey(), newKey()];
  const first = await startTestApp({ dataDir, config: { masterKey: old } });
  const sealed = first.ctx.vault.seal('api-key', 'api_key:1', 'sk-secret');
  const hash = first.ctx.vault.fingerprint('sk-presented');
  await first.close();
  await expect(startTestApp({ dataDir, config: { masterKey: fresh, masterKeyOld: newKey() } })).rejects.toThrow(
    'does not match',
  );
  await (await startTestApp({ dataDir, config: { masterKey: fresh, masterKeyOld: old } })).close();
  const last = await startTestApp({ dataDir, config: { masterKey: fresh } });
  expect(last.ctx.vault.open('api-key', 'api_key:1', sealed)).toBe('sk-secret');
  expect(last.ctx.vault.fingerprint('sk-presented')).toBe(hash);
  await last.close();
  await expect(startTestApp({ dataDir, config: { masterKey: old } })).rejects.toThrow('does not match');
});

test('a new installation has a separate first data key, which is not the master key', async () => {
  const masterKey = randomBytes(32);
  const db = await openDatabase(join(newFolder(), 'switchyard.db'));
  const { vault } = await openKeyRing(db, { current: masterKey, old: undefined, source }, 100);
  const byMaster = createVault(masterKey, [{ id: 0, secret: masterKey }]);
  expect(vault.fingerprint('x')).not.toBe(byMaster.fingerprint('x'));
  await db.close();
});

test('decrypts values of the previous version with its master key, also after the key changes', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = createVault(old, [{ id: 0, secret: old }]);
  const sealed = before.seal('channel-key', 'channel:1', 'sk-of-old');
  const check = before.seal('master-key-check', 'master-key-check', 'switchyard');
  const file = await writeOldDatabase(
    '0008-data-keys',
    `insert into setting (name, value) values ('master-key-check', '${check}')`,
  );
  const db = await openDatabase(file);
  const wrong = openKeyRing(db, { current: fresh, old: undefined, source }, 100);
  await expect(wrong).rejects.toThrow(`The master key in ${source} does not match this database.`);
  expect(await db.writer.selectFrom('data_key').selectAll().execute()).toEqual([]);

  await openKeyRing(db, { current: old, old: undefined, source }, 100);
  expect(await db.writer.selectFrom('setting').selectAll().execute()).toEqual([]);
  const { vault, rewrapped } = await openKeyRing(db, { current: fresh, old, source }, 100);
  expect(rewrapped).toBe(1);
  expect(vault.open('channel-key', 'channel:1', sealed)).toBe('sk-of-old');
  expect(vault.fingerprint('sk-presented')).toBe(before.fingerprint('sk-presented'));
  await db.close();
});
