/**
 * Resolves the names that operators configure, by the C library, because it knows the hosts file and the search domains.
 * A look-up blocks a thread until the name servers respond, for ten seconds and more if they do not, and cannot be
 * cancelled. libuv runs two look-ups at a time (https://docs.libuv.org/en/v1.x/threadpool.html), those of the database
 * and of Redis among them: names that no name server resolves must not occupy both threads.
 */
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { createBoundedMap } from '../caches.ts';
import type { Clock } from '../clock.ts';
import type { ResolveName } from './public-resolver.ts';

/** Names of one installation: its vendors, proxies and services. */
const NAMES_MAX = 1_000;
/** Last known addresses are used this long after the name was last resolved. */
const STALE_MAX_MS = 3_600_000;
/** Wait after which the last known addresses are used. https://www.rfc-editor.org/rfc/rfc8767#section-5 */
const STALE_AFTER_MS = 1_800;
/** A result is reused for so many times the duration of its look-up: a name takes a quarter of its queue at most. */
const REUSE_FACTOR = 3;
const REUSE_MAX_MS = 30_000;

/** The look-up waited for others of this process for half of the time that the connection has. */
export class LookupQueueTimeout extends Error {
  readonly code = 'ERR_LOOKUP_QUEUE_TIMEOUT';

  constructor(host: string) {
    super(`The look-up of ${host} did not start in time, because other names are not resolved`);
    this.name = 'LookupQueueTimeout';
  }
}

interface Name {
  last: PendingLookup | undefined;
  /** The last look-up failed. */
  hasFailed: boolean;
  known: { addresses: LookupAddress[]; at: number } | undefined;
}

/** One look-up, shared by all connections to the host that begin meanwhile. Times are of `clock.elapsed()`. */
interface PendingLookup {
  result: Promise<LookupAddress[]>;
  queuedAt: number;
  isStarted: boolean;
  reusableUntil: number;
  /** Number of connections that wait for it. A look-up that has none when its turn comes is skipped. */
  waiting: number;
}

type ResolveWithSystem = (host: string) => Promise<LookupAddress[]>;
const lookUpWithSystem: ResolveWithSystem = (host) => lookup(host, { all: true, hints: ADDRCONFIG });

export function createSystemResolver(
  clock: Pick<Clock, 'after' | 'elapsed'>,
  lookUp: ResolveWithSystem = lookUpWithSystem,
): ResolveName {
  const names = createBoundedMap<string, Name>(NAMES_MAX);
  // One thread each. A known name has addresses to fall back on, so that nothing fails while its queue does not move.
  const queues = { known: new LookupQueue(), unknown: new LookupQueue() };

  const knownAddresses = ({ known }: Name): LookupAddress[] | undefined =>
    known !== undefined && clock.elapsed() - known.at <= STALE_MAX_MS ? known.addresses : undefined;

  const run = async (host: string, name: Name, own: PendingLookup): Promise<LookupAddress[]> => {
    const startedAt = clock.elapsed();
    if (own.waiting === 0) {
      own.reusableUntil = startedAt;
      throw new LookupQueueTimeout(host);
    }
    own.isStarted = true;
    try {
      const addresses = await lookUp(host);
      name.known = { addresses, at: clock.elapsed() };
      name.hasFailed = false;
      return addresses;
    } catch (error) {
      name.hasFailed = true;
      if (isNoSuchName(error)) name.known = undefined;
      throw error;
    } finally {
      const endedAt = clock.elapsed();
      own.reusableUntil = endedAt + Math.min(REUSE_FACTOR * (endedAt - startedAt), REUSE_MAX_MS);
    }
  };

  const begin = (host: string, name: Name): PendingLookup => {
    const own: PendingLookup = {
      result: Promise.resolve([]),
      queuedAt: clock.elapsed(),
      isStarted: false,
      reusableUntil: Number.POSITIVE_INFINITY,
      waiting: 0,
    };
    const queue = knownAddresses(name) === undefined ? queues.unknown : queues.known;
    own.result = queue.add(() => run(host, name, own), name.hasFailed);
    return own;
  };

  const waitFor = (host: string, own: PendingLookup, waitMs: number, stale: LookupAddress[] | undefined) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      own.waiting += 1;
      const timer = clock.after(waitMs, () => {
        if (stale === undefined && own.isStarted) return;
        own.waiting -= 1;
        if (stale === undefined) reject(new LookupQueueTimeout(host));
        else resolve(stale);
      });
      own.result
        .then(resolve, (error: unknown) => {
          if (stale === undefined || isNoSuchName(error)) reject(error);
          else resolve(stale);
        })
        .finally(() => timer.close());
    });

  return (host, connectMs) => {
    const key = host.toLowerCase();
    const name = names.get(key) ?? { last: undefined, hasFailed: false, known: undefined };
    names.set(key, name);
    const stale = knownAddresses(name);
    const now = clock.elapsed();
    if (name.last === undefined || name.last.reusableUntil <= now) name.last = begin(key, name);
    const own = name.last;
    if (stale === undefined) return waitFor(host, own, connectMs / 2, undefined);
    const waitMs = own.queuedAt + Math.min(STALE_AFTER_MS, connectMs / 2) - now;
    return waitMs <= 0 ? Promise.resolve(stale) : waitFor(host, own, waitMs, stale);
  };
}

/** Runs one look-up at a time. Names that failed wait until no other does, because they may take long again. */
class LookupQueue {
  readonly #others: (() => Promise<unknown>)[] = [];
  readonly #failed: (() => Promise<unknown>)[] = [];
  #isBusy = false;

  add(look: () => Promise<LookupAddress[]>, hasFailed: boolean): Promise<LookupAddress[]> {
    const { promise, resolve } = Promise.withResolvers<LookupAddress[]>();
    // Handled, so that a failure which nobody waits for ends nothing.
    promise.catch(() => {});
    const queue = hasFailed ? this.#failed : this.#others;
    queue.push(() => {
      const looking = look();
      resolve(looking);
      return looking;
    });
    if (!this.#isBusy) queueMicrotask(() => void this.#run());
    this.#isBusy = true;
    return promise;
  }

  async #run(): Promise<void> {
    for (;;) {
      const look = this.#others.shift() ?? this.#failed.shift();
      if (look === undefined) break;
      await look().catch(() => {});
    }
    this.#isBusy = false;
  }
}

function isNoSuchName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
}
