import { randomBytes } from 'node:crypto';
import fs, { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  createKeyFile,
  hasMasterKey,
  loadMasterKey,
  loadMasterKeys,
  loadOldMasterKey,
  replaceKeyFile,
  unwrapKey,
  wrapKey,
} from './master-key.ts';

const from = (dataDir: string, masterKey?: string) => ({ dataDir, masterKey, masterKeyOld: undefined });

describe('the master key', () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'switchyard-key-'));

  test('creates the master key at the first start, readable by its owner only, and keeps it', () => {
    const path = folder();
    createKeyFile(path);
    const first = loadMasterKey(from(path));
    expect(statSync(join(path, 'master.key')).mode & 0o777).toBe(0o600);
    expect(loadMasterKey(from(path))).toEqual(first);
  });

  test('creates the master key whole or not at all, and never replaces one', () => {
    const path = folder();
    const writing = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw new Error('the machine stops here');
    });
    syncBuiltinESMExports();
    try {
      expect(() => createKeyFile(path)).toThrow('the machine stops here');
    } finally {
      writing.mockRestore();
      syncBuiltinESMExports();
    }
    expect(hasMasterKey(from(path))).toBe(false);
    createKeyFile(path);
    const key = loadMasterKey(from(path));
    createKeyFile(path);
    expect(loadMasterKey(from(path))).toEqual(key);
    expect(readdirSync(path)).toEqual(['master.key']);
  });

  test('refuses a master key when others can read its file', () => {
    const path = folder();
    createKeyFile(path);
    chmodSync(join(path, 'master.key'), 0o644);
    expect(() => loadMasterKey(from(path))).toThrow('chmod 600');
  });

  test('takes the master key from the environment as base64 or hex, and refuses any other length', () => {
    const key = randomBytes(32);
    expect(loadMasterKey(from('/nowhere', key.toString('base64')))).toEqual(key);
    expect(loadMasterKey(from('/nowhere', key.toString('hex')))).toEqual(key);
    expect(() => loadMasterKey(from('/nowhere', 'too short'))).toThrow('32 bytes');
  });

  test('names the file or the variable of the master key', () => {
    const path = folder();
    createKeyFile(path);
    expect(loadMasterKeys(from(path)).source).toBe(join(path, 'master.key'));
    expect(loadMasterKeys(from(path, randomBytes(32).toString('hex'))).source).toBe('MASTER_KEY');
  });

  test('refuses a master key file with any other content', () => {
    const path = folder();
    writeFileSync(join(path, 'master.key'), 'hello', { mode: 0o600 });
    expect(() => loadMasterKey(from(path))).toThrow('32 bytes');
  });

  test('replaces the master key atomically: a half-written file is neither read nor in the way', () => {
    const path = folder();
    createKeyFile(path);
    const first = loadMasterKey(from(path));
    for (const left of ['master.key.new', 'master.key.old.new']) writeFileSync(join(path, left), 'half');
    expect(loadOldMasterKey(from(path))).toBeUndefined();
    replaceKeyFile(path);
    expect(loadOldMasterKey(from(path))).toEqual(first);
    expect(statSync(join(path, 'master.key.old')).mode & 0o777).toBe(0o600);
    expect(loadMasterKey(from(path))).not.toEqual(first);
  });

  test('gives way to a new one, and stays beside it as the old one', () => {
    const path = folder();
    createKeyFile(path);
    const before = loadMasterKey(from(path));
    replaceKeyFile(path);
    expect(loadMasterKey(from(path))).not.toEqual(before);
    expect(loadOldMasterKey(from(path))).toEqual(before);
    expect(statSync(join(path, 'master.key')).mode & 0o777).toBe(0o600);
    replaceKeyFile(path);
    expect(loadOldMasterKey(from(path))).not.toEqual(before);
  });
});

test('a wrapped data key opens with its master key and in its row only', () => {
  const [masterKey, secret] = [randomBytes(32), randomBytes(32)];
  const wrapped = wrapKey(masterKey, 3, secret);
  expect(unwrapKey(masterKey, 3, wrapped)).toEqual(secret);
  expect(() => unwrapKey(masterKey, 4, wrapped)).toThrow();
  expect(() => unwrapKey(randomBytes(32), 3, wrapped)).toThrow();
});
