import { hash, randomBytes } from 'node:crypto';
import { createBoundedMap } from '../../platform/caches.ts';
import type { Clock } from '../../platform/clock.ts';
import { formatRetryAdvice } from '../../platform/http/app-error.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Snapshot, UserState } from './snapshot.ts';

const OTHER = 'other';

/**
 * Returns a function that maps a model to a metric label of bounded cardinality: its own name if a channel offers it,
 * the `prefix*` if a channel offers that, else `other`.
 */
export function createModelLabel(snapshot: Snapshot): (model: string) => string {
  let version = -1;
  let named = new Set<string>();
  /** Longest first. */
  let beginnings: string[] = [];
  const read = (): void => {
    version = snapshot.channelsVersion;
    const all = new Set(snapshot.channels().flatMap(({ models }) => models));
    named = new Set([...all].filter((model) => !model.endsWith('*')));
    beginnings = [...all]
      .filter((model) => model.endsWith('*'))
      .map((model) => model.slice(0, -1))
      .toSorted((a, b) => b.length - a.length);
  };
  return (model) => {
    if (version !== snapshot.channelsVersion) read();
    if (named.has(model)) return model;
    const beginning = beginnings.find((one) => model.startsWith(one));
    return beginning === undefined ? OTHER : `${beginning}*`;
  };
}

const DAY_MS = 86_400_000;
const NAMES_PER_DAY = 1_000;
const USERS_MAX = 1_000;

export type LimitModelNames = (user: Pick<UserState, 'id' | 'role'>, model: string) => void;

/**
 * Limits the different names by which a user calls models that only a `prefix*` covers: each name has its own rows in
 * the rollups, which are never deleted, and its own lines in reports. Administrators are not limited.
 * @throws RelayError from the returned function
 */
export function createModelNameLimit(
  clock: Pick<Clock, 'elapsed'>,
  labelOf: (model: string) => string,
): LimitModelNames {
  const used = createBoundedMap<number, { since: number; names: Set<number> }>(USERS_MAX);
  return ({ id, role }, model) => {
    const label = labelOf(model);
    if (label === model || label === OTHER || role !== 'user') return;
    const now = clock.elapsed();
    const known = used.get(id);
    const { since, names } =
      known !== undefined && now - known.since < DAY_MS ? known : { since: now, names: new Set<number>() };
    used.set(id, { since, names });
    const name = hashName(model);
    if (names.size < NAMES_PER_DAY || names.has(name)) return void names.add(name);
    const seconds = Math.ceil((since + DAY_MS - now) / 1000);
    throw new RelayError(
      'rate_limit_exceeded',
      `You have called models by ${NAMES_PER_DAY} different names within a day that this gateway lists only as ${label}. ${formatRetryAdvice(seconds)}`,
      { retryAfterSeconds: seconds },
    );
  };
}

/** Secret of this process: whoever knew it could choose names with the same hash. */
const hashKey = randomBytes(16).toString('hex');

/** Returns 53 bits of a keyed hash: the names themselves would take much memory. */
function hashName(name: string): number {
  const digest = hash('sha256', hashKey + name, 'buffer');
  return digest.readUInt32LE(0) * 2 ** 21 + (digest.readUInt32LE(4) >>> 11);
}
