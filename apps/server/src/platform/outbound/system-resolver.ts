/**
 * Resolves names that operators configure, by the C library, which knows the hosts file and the search domains. A
 * lookup blocks a thread until the name servers respond, ten seconds and more if they don't, and cannot be cancelled.
 * libuv runs two lookups at a time (https://docs.libuv.org/en/v1.x/threadpool.html), including those of the database
 * and Redis: unresolvable names must not occupy both threads.
 */
import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { createBoundedMap } from '../caches.ts';
import type { Clock } from '../clock.ts';
import type { ResolveName } from './public-resolver.ts';

/** Maximum names of one installation: its vendors, proxies and services. */
const NAMES_MAX = 1_000;
/** Last known addresses are used this long after the name was last resolved. */
const STALE_MAX_MS = 3_600_000;
/** Wait after which the last known addresses are used. https://www.rfc-editor.org/rfc/rfc8767#section-5 */
const STALE_AFTER_MS = 1_800;
/**
 * A result is reused for this many times the duration of its lookup, so that a name takes at most a quarter of its
 * queue's time.
 */
const REUSE_FACTOR = 3;
const REUSE_MAX_MS = 30_000;

/** The lookup waited for other lookups for half of the connection's time limit. */
export class DnsQueueTimeoutError extends Error {
  readonly code = 'ERR_LOOKUP_QUEUE_TIMEOUT';

  constructor(host: string) {
    super(`The DNS lookup of ${host} did not start in time because other lookups are still pending`);
    this.name = 'DnsQueueTimeoutError';
  }
}

interface Name {
  last: PendingLookup | undefined;
  /** True if the last lookup failed. */
  hasFailed: boolean;
  known: { addresses: LookupAddress[]; at: number } | undefined;
}

/** One lookup, shared by all concurrent connections to the host. Times are of `clock.elapsed()`. */
interface PendingLookup {
  result: Promise<LookupAddress[]>;
  queuedAt: number;
  isStarted: boolean;
  reusableUntil: number;
  /** Number of connections that wait for it. A lookup without any is skipped. */
  waiting: number;
}

type ResolveWithSystem = (host: string) => Promise<LookupAddress[]>;
const lookUpWithSystem: ResolveWithSystem = (host) => lookup(host, { all: true, hints: ADDRCONFIG });

export function createSystemResolver(
  clock: Pick<Clock, 'after' | 'elapsed'>,
  lookUp: ResolveWithSystem = lookUpWithSystem,
): ResolveName {
  const names = createBoundedMap<string, Name>(NAMES_MAX);
  // One thread each. Known names have earlier addresses as a fallback while their queue is blocked.
  const queues = { known: new LookupQueue(), unknown: new LookupQueue() };

  const knownAddresses = ({ known }: Name): LookupAddress[] | undefined =>
    known !== undefined && clock.elapsed() - known.at <= STALE_MAX_MS ? known.addresses : undefined;

  const run = async (host: string, name: Name, own: PendingLookup): Promise<LookupAddress[]> => {
    const startedAt = clock.elapsed();
    if (own.waiting === 0) {
      own.reusableUntil = startedAt;
      throw new DnsQueueTimeoutError(host);
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
        if (stale === undefined) reject(new DnsQueueTimeoutError(host));
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

/** Runs one lookup at a time. Names that failed before run last, because they may block again. */
class LookupQueue {
  readonly #others: (() => Promise<unknown>)[] = [];
  readonly #failed: (() => Promise<unknown>)[] = [];
  #isBusy = false;

  add(look: () => Promise<LookupAddress[]>, hasFailed: boolean): Promise<LookupAddress[]> {
    const { promise, resolve } = Promise.withResolvers<LookupAddress[]>();
    // Marked as handled, so that an unawaited failure does not end the process.
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

const descriptorCodes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** Returns whether the process, or the machine, has no descriptor left for a connection or a file. */
export function isDescriptorShortage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && descriptorCodes.has(error.code);
}

/**
 * Returns whether this process could not connect for lack of a descriptor, or of a thread that resolves the name. No
 * server is at fault then.
 */
export function isLocalResourceShortage(error: unknown): boolean {
  return isDescriptorShortage(error) || error instanceof DnsQueueTimeoutError;
}
