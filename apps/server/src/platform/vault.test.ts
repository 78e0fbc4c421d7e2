import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createVault, loadMasterKey } from './vault.ts';

const vault = createVault(randomBytes(32));

describe('a sealed secret', () => {
  const sealed = vault.seal('channel-key', 'channel:1', 'sk-secret');

  test('opens for its purpose and row', () => {
    expect(vault.open('channel-key', 'channel:1', sealed)).toBe('sk-secret');
  });

  test('does not show what it holds, and looks different each time', () => {
    expect(sealed).not.toContain('secret');
    expect(vault.seal('channel-key', 'channel:1', 'sk-secret')).not.toBe(sealed);
  });

  test('opens for no other row, purpose or master key', () => {
    expect(() => vault.open('channel-key', 'channel:2', sealed)).toThrow();
    expect(() => vault.open('channel-proxy', 'channel:1', sealed)).toThrow();
    expect(() => createVault(randomBytes(32)).open('channel-key', 'channel:1', sealed)).toThrow();
  });

  test('does not open when a bit has changed', () => {
    // Not the last character: not all of its bits are a part of the text.
    const flipped = sealed.replace(/.(?=.$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    expect(() => vault.open('channel-key', 'channel:1', flipped)).toThrow();
  });
});

describe('the master key', () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'switchyard-key-'));

  test('is made at the first start, readable by its owner only, and stays the same', () => {
    const path = folder();
    const first = loadMasterKey(path, undefined);
    expect(statSync(join(path, 'master.key')).mode & 0o777).toBe(0o600);
    expect(loadMasterKey(path, undefined)).toEqual(first);
  });

  test('is refused when others can read its file', () => {
    const path = folder();
    loadMasterKey(path, undefined);
    chmodSync(join(path, 'master.key'), 0o644);
    expect(() => loadMasterKey(path, undefined)).toThrow('chmod 600');
  });

  test('is taken from the environment as base64 or hex, and refused at any other length', () => {
    const key = randomBytes(32);
    expect(loadMasterKey('/nowhere', key.toString('base64'))).toEqual(key);
    expect(loadMasterKey('/nowhere', key.toString('hex'))).toEqual(key);
    expect(() => loadMasterKey('/nowhere', 'too short')).toThrow('32 bytes');
  });

  test('is refused when its file holds something else', () => {
    const path = folder();
    writeFileSync(join(path, 'master.key'), 'hello', { mode: 0o600 });
    expect(() => loadMasterKey(path, undefined)).toThrow('32 bytes');
  });
});
