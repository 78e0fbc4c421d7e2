/**
 * Envelope encryption of stored secrets, and the keyed hash by which presented keys are looked up. The newest data
 * key seals, and all of them open; a separate key is derived for each purpose, and the row's name is authenticated,
 * so that a ciphertext moved to another row does not open. A sealed text names its key: `v1.<payload>` for key 0,
 * `v2.<id>.<payload>` for later ones.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { unwrapKey, wrapKey } from './master-key.ts';
import { deriveKey, KEY_BYTES, openBox, sealBox } from './sealed-box.ts';

export type Purpose =
  | 'channel-key'
  | 'channel-header'
  | 'channel-proxy'
  | 'api-key'
  | 'mail'
  | 'one-time'
  | 'totp'
  | 'setting'
  | 'processor'
  | 'destination'
  | 'safety-rule'
  | 'redemption-code'
  | 'audit-head'
  | 'telegram-webhook'
  | 'master-key-check';

export interface DataKey {
  id: number;
  secret: Buffer;
}

export interface WrappedKey {
  id: number;
  sealed: string;
}

export interface Vault {
  /** @param row names the row of the secret, for instance `channel:7` */
  seal(purpose: Purpose, row: string, secret: string): string;
  /** @throws when the text was not sealed for this purpose and row by a key of this vault */
  open(purpose: Purpose, row: string, sealed: string): string;
  /** Returns the keyed hash for lookups, base64url. */
  fingerprint(secret: string): string;
  /** Id of the data key that seals. */
  readonly newestKey: number;
  /** Creates a new data key, wrapped for its row. */
  createKey(id: number): WrappedKey;
  /** Adds a key that opens from now on, and does not seal yet. @throws when another master key wrapped it */
  addKey(key: WrappedKey): void;
  /** Seals with this key from now on, unless a newer one already does. All nodes must have loaded it before. */
  activateKey(id: number): void;
  /** Removes an unused key; never the newest, nor key 0. */
  removeKey(id: number): void;
}

/** Returns the prefix of every text that this data key sealed. */
export function getSealPrefix(keyId: number): string {
  return keyId === 0 ? 'v1.' : `v2.${keyId}.`;
}

/** @param keys at least key 0 */
export function createVault(masterKey: Buffer, keys: readonly DataKey[]): Vault {
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]));
  const derived = new Map<string, KeyObject>();
  const secretOf = (id: number): Buffer => {
    const secret = secrets.get(id);
    if (secret === undefined)
      throw new Error(`A stored secret was encrypted with data key ${id}, which no longer exists`);
    return secret;
  };
  const keyFor = (id: number, purpose: Purpose): KeyObject => {
    const name = `${id} ${purpose}`;
    const key = derived.get(name) ?? deriveKey(secretOf(id), `seal:${purpose}`);
    derived.set(name, key);
    return key;
  };
  // Always derived from key 0: presented secrets are stored as this hash only, and cannot be hashed again.
  const pepper = deriveKey(secretOf(0), 'fingerprint');
  let newest = Math.max(...secrets.keys());
  return {
    seal(purpose, row, secret) {
      return getSealPrefix(newest) + sealBox(keyFor(newest, purpose), row, Buffer.from(secret));
    },
    open(purpose, row, sealed) {
      const { id, payload } = parse(sealed);
      return openBox(keyFor(id, purpose), row, payload).toString('utf8');
    },
    fingerprint: (secret) => createHmac('sha256', pepper).update(secret).digest('base64url'),
    get newestKey() {
      return newest;
    },
    createKey(id) {
      return { id, sealed: wrapKey(masterKey, id, randomBytes(KEY_BYTES)) };
    },
    addKey({ id, sealed }) {
      secrets.set(id, unwrapKey(masterKey, id, sealed));
    },
    activateKey(id) {
      newest = Math.max(newest, id);
    },
    removeKey(id) {
      if (id === 0 || id === newest) throw new Error(`Data key ${id} is in use`);
      secrets.delete(id);
      for (const name of derived.keys()) if (name.startsWith(`${id} `)) derived.delete(name);
    },
  };
}

function parse(sealed: string): { id: number; payload: string } {
  const match = /^(?:v1|v2\.(\d+))\.([\w-]+)$/.exec(sealed);
  if (match === null) throw new Error('A stored secret has an unknown format');
  return { id: Number(match[1] ?? 0), payload: match[2] ?? '' };
}

export function areSecretsEqual(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
