import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createVault, type DataKey } from './vault.ts';

const key = (id: number): DataKey => ({ id, secret: randomBytes(32) });
const masterKey = randomBytes(32);
const first = key(0);
const vault = createVault(masterKey, [first]);

describe('a sealed secret', () => {
  const sealed = vault.seal('channel-key', 'channel:1', 'sk-secret');

  test('opens for its purpose and row', () => {
    expect(vault.open('channel-key', 'channel:1', sealed)).toBe('sk-secret');
  });

  test('a sealed text hides its content and differs each time', () => {
    expect(sealed).not.toContain('secret');
    expect(vault.seal('channel-key', 'channel:1', 'sk-secret')).not.toBe(sealed);
  });

  test('opens for no other row, purpose or data key', () => {
    expect(() => vault.open('channel-key', 'channel:2', sealed)).toThrow();
    expect(() => vault.open('channel-proxy', 'channel:1', sealed)).toThrow();
    expect(() => createVault(masterKey, [key(0)]).open('channel-key', 'channel:1', sealed)).toThrow();
  });

  test('does not open when a bit has changed', () => {
    // Not the last character: not all of its bits are a part of the text.
    const flipped = sealed.replace(/.(?=.$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    expect(() => vault.open('channel-key', 'channel:1', flipped)).toThrow();
  });
});

describe('with several data keys', () => {
  const sealed = vault.seal('api-key', 'api_key:1', 'sk-secret');
  const ring = createVault(masterKey, [first, key(1)]);

  test('the newest key encrypts, and every key decrypts its own values', () => {
    const later = ring.seal('api-key', 'api_key:1', 'sk-later');
    expect(later).toMatch(/^v2\.1\.[\w-]+$/);
    expect(ring.open('api-key', 'api_key:1', later)).toBe('sk-later');
    expect(ring.open('api-key', 'api_key:1', sealed)).toBe('sk-secret');
    const next = ring.createKey(2);
    const other = createVault(masterKey, [first]);
    other.addKey(next);
    expect(other.newestKey).toBe(0);
    ring.addKey(next);
    expect(ring.newestKey).toBe(1);
    ring.activateKey(2);
    expect(ring.newestKey).toBe(2);
    const newest = ring.seal('api-key', 'api_key:1', 'x');
    expect(newest).toMatch(/^v2\.2\./);
    expect(other.open('api-key', 'api_key:1', newest)).toBe('x');
    ring.removeKey(1);
    expect(() => ring.open('api-key', 'api_key:1', later)).toThrow('data key 1, which no longer exists');
  });

  test('presented keys are still found by the hash of the first', () => {
    expect(ring.fingerprint('sk-presented')).toBe(vault.fingerprint('sk-presented'));
    expect(createVault(masterKey, [key(0)]).fingerprint('sk-presented')).not.toBe(vault.fingerprint('sk-presented'));
  });

  test('neither the first nor the newest can be removed', () => {
    expect(() => ring.removeKey(0)).toThrow('in use');
    expect(() => ring.removeKey(ring.newestKey)).toThrow('in use');
  });
});
