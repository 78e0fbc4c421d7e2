/**
 * Envelope encryption of stored secrets, and the keyed hash by which presented keys are looked up.
 * The master key never enters the database. A data key is derived for each purpose; the row's name is
 * authenticated, so that a ciphertext moved to another row does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Purpose =
  | 'channel-key'
  | 'channel-header'
  | 'channel-proxy'
  | 'api-key'
  | 'audit-head'
  | 'master-key-check';

export interface Vault {
  /** @param row names the row that the secret belongs to, for instance `channel:7` */
  seal(purpose: Purpose, row: string, secret: string): string;
  /** @throws when the text was not sealed by this master key for this purpose and row */
  open(purpose: Purpose, row: string, sealed: string): string;
  /** Keyed hash for look-ups, base64url. */
  fingerprint(secret: string): string;
}

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createVault(masterKey: Buffer): Vault {
  const pepper = derive(masterKey, 'fingerprint');
  const keys = new Map<Purpose, Buffer>();
  const keyFor = (purpose: Purpose): Buffer => {
    const known = keys.get(purpose) ?? derive(masterKey, `seal:${purpose}`);
    keys.set(purpose, known);
    return known;
  };
  return {
    seal(purpose, row, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce).setAAD(Buffer.from(row));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open(purpose, row, sealed) {
      const [version, payload = ''] = sealed.split('.');
      if (version !== VERSION) throw new Error('A stored secret has an unknown format');
      const bytes = Buffer.from(payload, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(row))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
    fingerprint: (secret) => createHmac('sha256', pepper).update(secret).digest('base64url'),
  };
}

function derive(masterKey: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `switchyard:${info}`, 32));
}

const KEY_BYTES = 32;

/**
 * The master key from the environment, else from `master.key` in the data folder, which is made with mode 0600 on
 * the first start.
 * @throws when the key is not 32 bytes, or others can read the file
 */
export function loadMasterKey(dataDir: string, fromEnvironment: string | undefined): Buffer {
  if (fromEnvironment !== undefined) return parseKey(fromEnvironment, 'MASTER_KEY');
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others; run: chmod 600 ${file}`);
  }
  return parseKey(readFileSync(file, 'utf8').trim(), file);
}

function parseKey(text: string, source: string): Buffer {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error(`${source} must be ${KEY_BYTES} bytes as base64 or hex`);
  return bytes;
}

export function equalSecrets(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
