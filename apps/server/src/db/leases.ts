/**
 * Leases for work that only one node may do at a time. A node renews its lease by the database's clock until it
 * stops; afterwards another node may acquire it. A single node acquires every lease.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { startRepeating } from '../platform/timeouts-and-intervals.ts';
import type { Schema } from '../schema.ts';
import type { Database } from './database-handle.ts';

const LEASE_MS = 15_000;
/** Milliseconds that a node has to stop after it failed to renew a lease, before another node may begin. */
const STOP_MS = 3_000;
const RENEW_MS = 4_000;
/** Maximum delay until a lease is due again. A longer one comes from a clock that was ahead, and is ignored. */
const DELAY_MAX_MS = 3_600_000;

export interface Lease {
  name: string;
  /** Aborted when the lease was not renewed in time. */
  lost: AbortSignal;
  /**
   * Returns false as soon as another node may hold the lease, even in a process that was paused and has not run its
   * timers yet.
   */
  isHeld(): boolean;
  /** @param dueInMs time after acquisition until the lease is due again, at most one hour */
  release(dueInMs?: number): Promise<void>;
}

export interface LeaseState {
  isHeld: boolean;
  /** Milliseconds until it is due. */
  dueInMs: number;
}

export interface Leases {
  /** True if there may be other nodes. */
  isShared: boolean;
  /** @param also includes leases that are not due yet @returns the leases that this node acquired */
  acquire(names: readonly string[], also?: 'not due'): Promise<Lease[]>;
  /** Returns the states of leases that are held or not due yet; empty if this node is alone. */
  readStates(names: readonly string[]): Promise<ReadonlyMap<string, LeaseState>>;
  /**
   * Returns the names of held leases with a prefix, read within a transaction, and removes those of dead nodes. Empty
   * if this node is alone.
   */
  listHeldWithin(trx: Transaction<Schema>, prefix: string): Promise<string[]>;
  /**
   * Acquires a lease within a transaction. @returns a function that begins to renew it, to be called after the commit
   * @throws Error if a node holds it
   */
  acquireWithin(trx: Transaction<Schema>, name: string): Promise<() => Lease>;
  close(): Promise<void>;
}

export function openLeases({ engine, machine }: Pick<Database, 'engine' | 'machine'>, log: Log): Leases {
  return engine.kind === 'sqlite' ? localLeases : createSharedLeases(engine.pool, log, machine);
}

const createLocalLease = (name: string): Lease => ({
  name,
  lost: new AbortController().signal,
  isHeld: () => true,
  release: async () => {},
});

const localLeases: Leases = {
  isShared: false,
  acquire: async (names) => names.map(createLocalLease),
  readStates: async () => new Map(),
  listHeldWithin: async () => [],
  acquireWithin: async (_trx, name) => () => createLocalLease(name),
  close: async () => {},
};

interface HeldLease {
  lease: Lease;
  loss: AbortController;
  /** Stopwatch time in milliseconds. */
  renewedAt: number;
}

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

// Sorted by name, so that nodes do not deadlock.
const TAKE = `insert into lease (name, holder, held_until, rest_until)
  select wanted, $1::text, ${NOW} + ${LEASE_MS}, 0 from (select unnest($2::text[]) as wanted order by 1) as all_wanted
  on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
    where lease.held_until <= ${NOW} and (lease.rest_until not between ${NOW} and ${NOW} + ${DELAY_MAX_MS} or $3::boolean)
  returning name`;
const RENEW = `update lease set held_until = ${NOW} + ${LEASE_MS}
  where name = any ($2::text[]) and holder = $1 and held_until > ${NOW} returning name`;
const REST = `update lease set held_until = 0, rest_until = ${NOW} + $3::bigint where holder = $1 and name = $2`;
const FREE = 'delete from lease where holder = $1 and name = any ($2::text[])';
const STATES = `select name, held_until > ${NOW} as is_held,
    case when rest_until between ${NOW} and ${NOW} + ${DELAY_MAX_MS} then rest_until - ${NOW} else 0 end as rest_ms
  from lease where name = any ($1::text[])`;

const FORGET = `delete from lease where starts_with(name, $1) and held_until <= ${NOW}`;
const HELD = `select name from lease where starts_with(name, $1) and held_until > ${NOW}`;

function createSharedLeases(pool: Pool, log: Log, machine: Clock): Leases {
  const holder = `${hostname()}:${process.pid} ${randomUUID()}`;
  const held = new Map<string, HeldLease>();

  /** Returns the time of the oldest renewal with which this node still holds a lease. */
  const oldestRenewal = (): number => machine.elapsed() - LEASE_MS + STOP_MS;
  const lose = ({ lease, loss }: HeldLease): void => {
    if (held.get(lease.name)?.lease === lease) held.delete(lease.name);
    log.warn({ lease: lease.name }, 'this node lost a lease and stops the work that it covers');
    loss.abort();
  };
  const hold = (name: string, takenAt: number): Lease => {
    const loss = new AbortController();
    const lease: Lease = {
      name,
      lost: loss.signal,
      isHeld() {
        const one = held.get(name);
        if (one?.lease !== lease) return false;
        // The loss is final: work that has stopped must never find its lease held again.
        if (one.renewedAt < oldestRenewal()) lose(one);
        return !loss.signal.aborted;
      },
      async release(restMs) {
        if (held.get(name)?.lease !== lease) return;
        held.delete(name);
        const rest = restMs === undefined ? 0 : takenAt + restMs - machine.elapsed();
        await (restMs === undefined
          ? pool.query(FREE, [holder, [name]])
          : pool.query(REST, [holder, name, Math.min(DELAY_MAX_MS, Math.max(0, Math.round(rest)))])
        ).catch((error: unknown) =>
          log.warn({ err: error, lease: name }, 'a lease could not be released and will expire'),
        );
      },
    };
    held.set(name, { lease, loss, renewedAt: takenAt });
    return lease;
  };
  const renew = async (): Promise<void> => {
    const before = machine.elapsed();
    const all = [...held.values()];
    if (all.length === 0) return;
    const { rows } = await pool.query<{ name: string }>(RENEW, [holder, all.map(({ lease }) => lease.name)]);
    const renewed = new Set(rows.map(({ name }) => name));
    for (const one of all) {
      if (renewed.has(one.lease.name)) one.renewedAt = before;
      else if (held.get(one.lease.name) === one) lose(one);
    }
  };
  const renewals = startRepeating(machine, RENEW_MS, renew, (error) =>
    log.error({ err: error }, 'leases could not be renewed'),
  );
  const watcher = machine.every(STOP_MS / 3, () => {
    for (const one of held.values()) if (one.renewedAt < oldestRenewal()) lose(one);
  });

  return {
    isShared: true,
    async acquire(names, also) {
      const free = names.filter((name) => !held.has(name));
      if (free.length === 0) return [];
      const takenAt = machine.elapsed();
      const { rows } = await pool.query<{ name: string }>(TAKE, [holder, free, also === 'not due']);
      return rows.map(({ name }) => hold(name, takenAt));
    },
    async readStates(names) {
      const { rows } = await pool.query<{ name: string; is_held: number; rest_ms: number }>(STATES, [names]);
      return new Map(rows.map((row) => [row.name, { isHeld: row.is_held === 1, dueInMs: row.rest_ms }]));
    },
    async listHeldWithin(trx, prefix) {
      await trx.executeQuery(CompiledQuery.raw(FORGET, [prefix]));
      const { rows } = await trx.executeQuery<{ name: string }>(CompiledQuery.raw(HELD, [prefix]));
      return rows.map(({ name }) => name);
    },
    async acquireWithin(trx, name) {
      const takenAt = machine.elapsed();
      const { rows } = await trx.executeQuery(CompiledQuery.raw(TAKE, [holder, [name], true]));
      if (rows.length === 0) throw new Error(`A node already holds the lease ${name}`);
      // A renewal before the commit would find no lease and count as a loss.
      return () => hold(name, takenAt);
    },
    async close() {
      watcher.close();
      await renewals.stop();
      const names = [...held.keys()];
      held.clear();
      await pool.query(FREE, [holder, names]).catch(() => {});
    },
  };
}
