/**
 * What requests occupy while they run: places among the concurrent requests of their token, user and address, and
 * memory for their bodies. Counted in this process.
 */
import type { Settings } from '@switchyard/contract/settings';
import type { Principal } from './authenticate.ts';
import type { Standing } from './limit-standing.ts';
import { RelayError } from './relay-error.ts';

export interface Place {
  /** Counts more bytes of the body, or of a session's message, or less of it. @throws RelayError `overloaded` when all bodies together would be too many */
  grow(bytes: number): void;
  /** Gives everything back. */
  leave(): void;
}

export interface Places {
  /** @param who nobody, where no key is asked for. @throws RelayError `rate_limit_exceeded` that names whose limit is reached */
  enter(who: Partial<Pick<Principal, 'key' | 'user'>>, address: string): Place;
  /** Places that are taken now. */
  readonly taken: number;
  /** Of all bodies that are held now. */
  readonly bodyBytes: number;
}

type Limits = Pick<Settings, 'concurrencyPerToken' | 'concurrencyPerUser' | 'concurrencyPerAddress'>;

/** A place is free when a running request ends, which nobody knows; a second is not long and not in a hurry. */
const RETRY_SECONDS = 1;
const BODY_RETRY_SECONDS = 5;

export function createPlaces(limits: () => Limits, bodiesMaxBytes: number): Places {
  const byKey = new Map<number, number>();
  const byUser = new Map<number, number>();
  const byAddress = new Map<string, number>();
  let bodyBytes = 0;
  let taken = 0;

  return {
    get taken() {
      return taken;
    },
    get bodyBytes() {
      return bodyBytes;
    },
    enter({ key, user }, address) {
      const { concurrencyPerToken, concurrencyPerUser, concurrencyPerAddress } = limits();
      if (key !== undefined)
        check(
          byKey.get(key.id),
          lower(key.concurrency, concurrencyPerToken),
          'token',
          `The token "${key.name}"`,
        );
      if (user !== undefined) check(byUser.get(user.id), concurrencyPerUser, 'user', 'Your account');
      check(byAddress.get(address), concurrencyPerAddress, 'address', `The address ${address}`);
      if (key !== undefined) add(byKey, key.id);
      if (user !== undefined) add(byUser, user.id);
      add(byAddress, address);
      taken += 1;
      let bytes = 0;
      return {
        grow(more) {
          if (bodyBytes + more > bodiesMaxBytes)
            throw new RelayError(
              'overloaded',
              'The gateway is reading too many large requests at the moment. Try again in a moment.',
              { retryAfterSeconds: BODY_RETRY_SECONDS },
            );
          bytes += more;
          bodyBytes += more;
        },
        leave() {
          bodyBytes -= bytes;
          taken -= 1;
          if (key !== undefined) remove(byKey, key.id);
          if (user !== undefined) remove(byUser, user.id);
          remove(byAddress, address);
        },
      };
    },
  };
}

/** Of two limits, where 0 means none. */
function lower(one: number, other: number): number {
  if (one === 0 || other === 0) return one + other;
  return Math.min(one, other);
}

function check(running: number | undefined, limit: number, owner: string, whose: string): void {
  if (limit === 0 || running === undefined || running < limit) return;
  const standing: Standing = {
    policy: `${owner}-concurrency`,
    unit: 'concurrent-requests',
    limit,
    remaining: 0,
    resetSeconds: RETRY_SECONDS,
  };
  throw new RelayError(
    'rate_limit_exceeded',
    `${whose} allows ${limit} requests at the same time, and all are running; a place is free when one of them ends.`,
    { retryAfterSeconds: RETRY_SECONDS, standing },
  );
}

function add<K>(counts: Map<K, number>, name: K): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function remove<K>(counts: Map<K, number>, name: K): void {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
