/**
 * Hashes passwords with Argon2id as PHC strings, by the parameters of the OWASP password storage cheat sheet (19 MiB,
 * 2 passes, 1 lane).
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError, fieldError } from '../http/app-error.ts';
import { isLegacyHash, verifyLegacyHash } from './legacy-password-hash.ts';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const HASH_BYTES = 32;
const WAITING_MAX = 8;

/**
 * Lane of a password hash. At most one hash runs and eight wait in each lane, so that a flood of sign-ins cannot take
 * the relay's CPU, and strangers cannot block users who have signed in before.
 */
export type HashQueue = 'strangers' | 'known';

function createQueue() {
  let running = false;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running) {
      if (waiting.length >= WAITING_MAX) {
        throw new AppError('too-many-requests', 'Too many sign-ins at once. Try again in a moment.', {
          retryAfterSeconds: 1,
        });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running = true;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running = false;
      else next();
    }
  };
}

const queues: Readonly<Record<HashQueue, ReturnType<typeof createQueue>>> = {
  strangers: createQueue(),
  known: createQueue(),
};

function derive(password: string, salt: Buffer, memory: number, passes: number, lanes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2(
      'argon2id',
      { message: Buffer.from(password), nonce: salt, memory, passes, parallelism: lanes, tagLength: HASH_BYTES },
      (error, hash) => (error === null ? resolve(Buffer.from(hash)) : reject(error)),
    );
  });
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export function hashPassword(password: string, lane: HashQueue = 'strangers'): Promise<string> {
  return queues[lane](async () => {
    const salt = randomBytes(16);
    const hash = await derive(password, salt, MEMORY_KIB, PASSES, PARALLELISM);
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${base64(salt)}$${base64(hash)}`;
  });
}

/**
 * Returns false for a wrong password and for an invalid hash; the same work is done for both.
 * @param otherOld any user's old hash: with it the work for every other hash is that of an old one, too
 */
export function verifyPassword(
  password: string,
  phc: string,
  lane: HashQueue = 'strangers',
  otherOld?: string,
): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc);
  const [memory, passes, lanes] = parts === null ? [MEMORY_KIB, PASSES, PARALLELISM] : parts.slice(1, 4).map(Number);
  const salt = Buffer.from(parts?.[4] ?? 'c3dpdGNoeWFyZC1ub25l', 'base64');
  return queues[lane](async () => {
    const hash = await derive(password, salt, memory ?? MEMORY_KIB, passes ?? PASSES, lanes ?? PARALLELISM);
    const isOld = isLegacyHash(phc);
    const old = isOld ? phc : otherOld;
    const matchesOld = old !== undefined && (await verifyLegacyHash(password, old));
    if (isOld) return matchesOld;
    const expected = Buffer.from(parts?.[5] ?? '', 'base64');
    return expected.length === hash.length && timingSafeEqual(expected, hash);
  });
}

const commonPasswords = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n'),
);

export function isPasswordCommon(password: string): boolean {
  return commonPasswords.has(password.toLowerCase());
}

/** @throws AppError for the field `password` */
export function checkPasswordIsUncommon(password: string): void {
  if (!isPasswordCommon(password)) return;
  throw fieldError('password', 'common', 'This password is too common. Choose another one.');
}
