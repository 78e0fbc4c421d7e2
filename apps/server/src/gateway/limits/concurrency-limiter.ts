/**
 * Resources that requests occupy while they run: concurrency slots of their token, user and address, and memory for
 * the buffered parts of bodies and responses. Slots are counted across all nodes, memory per node.
 */
import type { Settings } from '@switchyard/contract/operations/settings';
import { toNetwork } from '../../platform/limits/rate-limit.ts';
import { type SharedLimits, unsharedLimits } from '../../platform/limits/shared-limits.ts';
import type { ClientResponse } from '../http/client-response.ts';
import type { RateLimitState } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { MemoryBudget, MemoryUse } from './memory-budget.ts';

export interface ConcurrencySlot {
  /**
   * Adds to the bytes that the request holds; a negative number subtracts. @throws RelayError `overloaded` when the
   * memory budget is used up
   */
  grow(bytes: number, use?: MemoryUse): void;
  /** Grows the bytes that the request holds to at least so many. @throws RelayError as `grow` does */
  growTo(bytes: number): void;
  /**
   * Releases the slot. A response that its client does not read stays in this process, so the memory is released only
   * after the reader has read it.
   * @param reader `noReader` if no response is sent
   * @param held by default, the concurrency count is released at once
   */
  release(reader: ResponseReader, held?: HeldUntilSent): void;
}

/** Receiver of a response; see `ClientResponse.waitUntilSent`. */
export type ResponseReader = Pick<ClientResponse, 'waitUntilSent'>;

/**
 * Parts of a slot that are held until the response has been read. Reads of stored content cost nothing, so only the
 * count limits how many responses a client leaves unread.
 */
export type HeldUntilSent = 'memory' | 'memory and count';

export const noReader: ResponseReader = { waitUntilSent: () => undefined };

export interface ConcurrencyLimiter {
  /**
   * @param memoryOwner user whose share of the memory budget is used, also by requests that occupy no slot of the user
   * @throws RelayError `rate_limit_exceeded` that names the owner of the reached limit
   */
  acquire(who: SlotOwner, address: string, memoryOwner?: number): Promise<ConcurrencySlot>;
  /** Returns a slot for the gateway's own work, which only the memory of the process limits. */
  openUnlimited(): ConcurrencySlot;
  /** Number of slots in use. */
  readonly inUse: number;
}

/** Empty for requests without a key. */
type SlotOwner = Partial<Pick<Principal, 'key' | 'user'>>;
type Limits = Pick<Settings, 'concurrencyPerToken' | 'concurrencyPerUser' | 'concurrencyPerAddress'>;

/** The end of a running request cannot be predicted; one second is a reasonable pause between retries. */
const RETRY_SECONDS = 1;

/** One of the counters of a concurrency slot. */
interface ConcurrencyCount {
  name: string;
  limit: number;
  owner: string;
  ownerLabel: string;
}

/** Number of running requests on this node. */
interface Count {
  running: number;
  /** True if other nodes know the counter. */
  isShared: boolean;
}

export function createConcurrencyLimiter(
  limits: () => Limits,
  memory: MemoryBudget,
  shared: SharedLimits = unsharedLimits,
): ConcurrencyLimiter {
  const counts = new Map<string, Count>();
  let taken = 0;

  const add = (name: string): void => {
    const count = counts.get(name) ?? { running: 0, isShared: false };
    count.running += 1;
    counts.set(name, count);
  };
  const remove = (names: readonly string[]): void => {
    const reported = new Map<string, number>();
    for (const name of names) {
      const count = counts.get(name);
      if (count === undefined) continue;
      count.running -= 1;
      if (count.isShared) reported.set(name, count.running);
      if (count.running === 0) counts.delete(name);
    }
    shared.reportConcurrencySlots(reported);
  };
  shared.setSlotSource(() => {
    const known = [...counts].filter(([, { isShared }]) => isShared);
    return new Map(known.map(([name, { running }]) => [name, running]));
  });

  /** Resolves with the limit that the new request, already counted, exceeds; undefined if there is none. */
  const tooMany = async (counters: readonly ConcurrencyCount[]): Promise<ConcurrencyCount | undefined> => {
    const limited = counters.filter(({ limit }) => limit > 0);
    const wants = limited.map(({ name, limit }) => ({ name, limit, usedSlots: counts.get(name)?.running ?? 0 }));
    if (shared.isUp === true && wants.length > 0) {
      for (const { name } of limited) {
        const count = counts.get(name);
        if (count !== undefined) count.isShared = true;
      }
      const answer = await shared.acquireConcurrencySlots(wants);
      if (answer !== undefined) return limited.find(({ name }) => name === answer.full);
    }
    const full = wants.find(({ usedSlots, limit }) => usedSlots > limit);
    return limited.find(({ name }) => name === full?.name);
  };

  const open = (names: readonly string[], memoryOwner?: number): ConcurrencySlot => {
    taken += 1;
    const held = memory.open(memoryOwner);
    return {
      grow: (bytes, use) => held.grow(bytes, use),
      growTo: (bytes) => held.growTo(bytes),
      release(reader, heldUntilSent = 'memory') {
        const releaseCount = (): void => {
          taken -= 1;
          remove(names);
        };
        const sent = reader.waitUntilSent();
        const keepsCount = sent !== undefined && heldUntilSent === 'memory and count';
        if (!keepsCount) releaseCount();
        if (sent === undefined) return held.release();
        void sent.then(() => {
          held.release();
          if (keepsCount) releaseCount();
        });
      },
    };
  };

  return {
    get inUse() {
      return taken;
    },
    async acquire(who, address, memoryOwner = who.user?.id) {
      const counters = listCounts(who, address, limits());
      const names = counters.map(({ name }) => name);
      // Counted before the shared limits are queried, so that concurrent requests count each other.
      for (const name of names) add(name);
      const full = await tooMany(counters);
      if (full !== undefined) {
        remove(names);
        throw createLimitError(full);
      }
      return open(names, memoryOwner);
    },
    openUnlimited: () => open([]),
  };
}

function listCounts({ key, user }: SlotOwner, address: string, limits: Limits): ConcurrencyCount[] {
  const counters: ConcurrencyCount[] = [];
  if (key !== undefined)
    counters.push({
      name: `token ${key.id}`,
      limit: lower(key.concurrency, limits.concurrencyPerToken),
      owner: 'token',
      ownerLabel: `the token "${key.name}"`,
    });
  if (user !== undefined)
    counters.push({
      name: `user ${user.id}`,
      limit: limits.concurrencyPerUser,
      owner: 'user',
      ownerLabel: 'your account',
    });
  const ownerLabel = `the address ${address}`;
  return [
    ...counters,
    { name: `address ${toNetwork(address)}`, limit: limits.concurrencyPerAddress, owner: 'address', ownerLabel },
  ];
}

/** Returns the lower of two limits, where 0 means none. */
function lower(one: number, other: number): number {
  if (one === 0 || other === 0) return one + other;
  return Math.min(one, other);
}

function createLimitError({ limit, owner, ownerLabel }: ConcurrencyCount): RelayError {
  const state: RateLimitState = {
    policy: `${owner}-concurrency`,
    unit: 'concurrent-requests',
    limit,
    remaining: 0,
    resetSeconds: RETRY_SECONDS,
  };
  return new RelayError(
    'rate_limit_exceeded',
    `Concurrency limit of ${limit} reached for ${ownerLabel}. Retry when a running request completes.`,
    { retryAfterSeconds: RETRY_SECONDS, rateLimitState: state },
  );
}
