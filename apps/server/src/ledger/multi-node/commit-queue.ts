/**
 * Commits on PostgreSQL. Writes that arrive during a commit wait for the next, so that they share a transaction's
 * cost. Each commit locks its accounts, decides by their rows, writes, and reports its results afterwards.
 */
import type { ClientBase, Pool } from 'pg';
import { type Clock, nowSeconds, sleep, type Timers } from '../../platform/clock.ts';
import { collectStatements } from '../commit/commit-statements.ts';
import type { CommitObserver, WriteCommitter } from '../commit/group-commit.ts';
import { isRolledBack, isStorageFailure, isTransient } from '../commit/storage-failure.ts';
import { createCommitWriter } from '../commit/write-commit-rows.ts';
import { createAccounts, type Shortage } from '../ledger-accounts.ts';
import type { LedgerWrite } from '../ledger-write-types.ts';
import { chargeInMemory, redateIfLate, settleInMemory } from '../settle-in-memory.ts';
import { createLateCharge } from './late-charge.ts';
import { type LockedRows, lockRows } from './locked-rows.ts';

/**
 * Limit that a hold exceeds, or `MissingHold` if the hold had already ended, with or without the charge being taken;
 * undefined if it is written.
 */
export type CommitResult = Shortage | MissingHold | undefined;
export type MissingHold = 'gone' | 'charged late';

export type CommitQueue = WriteCommitter<CommitResult>;

interface Waiting {
  movement: LedgerWrite;
  decision?: CommitResult;
  done(error: Error | undefined, decision?: CommitResult): void;
}

/** Also used by the capacity model. */
export const BATCH_MAX = 500;
/** While one commit waits for the disk, another one collects writes. */
export const COMMITS_AT_ONCE = 2;
/** Minimum number of waiting writes for a second concurrent commit. */
export const SECOND_COMMIT_MIN = BATCH_MAX / 10;
/**
 * Maximum attempts at a transaction that the database ended, because of a deadlock or because this process was busy.
 */
const TRIES_MAX = 10;
const TRY_AGAIN_MS = 20;

interface Clocks {
  clock: Clock;
  /** Real timers, for waits on the database. */
  machine: Timers;
}

/** @param onMissingHold called for a charge whose hold had already ended */
export function createCommitQueue(
  pool: Pool,
  times: Clocks,
  onMissingHold: (end: Extract<LedgerWrite, { type: 'settle' }>, how: MissingHold) => void,
): CommitQueue {
  let waiting: Waiting[] = [];
  let running = 0;
  let watch: CommitObserver | undefined;
  /** Uncommitted writes, and the flushes that wait for some of them. */
  const undone = new Set<Waiting>();
  let flushes: { left: Set<Waiting>; resolve: () => void }[] = [];

  const finish = (batch: readonly Waiting[]): void => {
    for (const one of batch) undone.delete(one);
    flushes = flushes.filter(({ left, resolve }) => {
      for (const one of batch) left.delete(one);
      if (left.size === 0) resolve();
      return left.size > 0;
    });
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      const began = performance.now();
      const failed = await commitAndNotify(pool, times, batch);
      for (const { movement, decision } of batch)
        if (typeof decision === 'string' && movement.type === 'settle') onMissingHold(movement, decision);
      watch?.committed(batch.length - failed, failed, performance.now() - began);
      finish(batch);
    }
    running -= 1;
  };

  return {
    get waiting() {
      return waiting.length;
    },
    observe(told) {
      watch = told;
    },
    add(movement, done) {
      const one = { movement, done };
      waiting.push(one);
      undone.add(one);
      if (running === COMMITS_AT_ONCE || (running > 0 && waiting.length < SECOND_COMMIT_MIN)) return;
      running += 1;
      setImmediate(() => void work());
    },
    async flush(then) {
      if (undone.size > 0) await new Promise<void>((resolve) => flushes.push({ left: new Set(undone), resolve }));
      then?.();
    },
  };
}

/** Never rejects. A failed write does not affect the others. @returns number of failed writes */
async function commitAndNotify(pool: Pool, times: Clocks, batch: readonly Waiting[]): Promise<number> {
  try {
    const decisions = await commit(
      pool,
      times,
      batch.map(({ movement }) => movement),
    );
    for (const one of batch) {
      one.decision = decisions.get(one.movement);
      one.done(undefined, one.decision);
    }
    return 0;
  } catch (error) {
    if (batch.length > 1 && !isStorageFailure(error)) {
      let failed = 0;
      for (const one of batch) failed += await commitAndNotify(pool, times, [one]);
      return failed;
    }
    const failure = error instanceof Error ? error : new Error('The commit failed', { cause: error });
    for (const one of batch) one.done(failure);
    return batch.length;
  }
}

async function commit(
  pool: Pool,
  { clock, machine }: Clocks,
  batch: readonly LedgerWrite[],
): Promise<Map<LedgerWrite, CommitResult>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(pool, (client) => commitWithin(client, clock, batch));
    } catch (error) {
      if (!isRolledBack(error) || tries === TRIES_MAX) throw error;
      await sleep(machine, TRY_AGAIN_MS * tries * Math.random());
    }
  }
}

async function inTransaction<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error('The commit failed', { cause: error });
    // A hanging connection would not answer a rollback either.
    if (!isBroken(failure)) await client.query('rollback').catch(() => {});
    throw failure;
  } finally {
    // A possibly broken connection is not returned to the pool.
    client.release(isBroken(failure) ? failure : undefined);
  }
}

const isBroken = (error: unknown): boolean => isStorageFailure(error) && !isTransient(error);

async function commitWithin(
  client: ClientBase,
  clock: Clock,
  batch: readonly LedgerWrite[],
): Promise<Map<LedgerWrite, CommitResult>> {
  const rows = await lockRows(client, batch, nowSeconds(clock));
  const { decisions, movements } = decide(rows, clock, batch);
  const collected = collectStatements(rows);
  createCommitWriter(collected.statements)(movements);
  await collected.write(client);
  return decisions;
}

/** Decides the writes in their order of arrival; each sees the effects of the earlier ones. */
function decide(
  rows: LockedRows,
  clock: Clock,
  batch: readonly LedgerWrite[],
): { decisions: Map<LedgerWrite, CommitResult>; movements: LedgerWrite[] } {
  const accounts = createAccounts(rows.accounts, clock);
  const ended = new Map(rows.endedHolds);
  const decisions = new Map<LedgerWrite, CommitResult>();
  const movements: LedgerWrite[] = [];
  const now = nowSeconds(clock);
  const take = (movement: LedgerWrite): void => void movements.push(movement);
  for (const movement of batch) {
    if (movement.type === 'hold' || movement.type === 'raise') {
      const { hold } = movement;
      if (movement.type === 'raise' && !rows.raisableHolds.has(hold.requestId)) {
        decisions.set(movement, 'gone');
        continue;
      }
      const wanted = movement.type === 'hold' ? hold : { ...hold, amount: movement.by };
      const short = accounts.findShortage(wanted);
      decisions.set(movement, short);
      if (short !== undefined) continue;
      accounts.reserve(wanted, 1);
      take(movement);
    } else if (movement.type === 'settle' || movement.type === 'void') {
      const end = redateIfLate(movement, now);
      const { hold } = end;
      const amount = ended.get(hold.requestId);
      ended.delete(hold.requestId);
      if (amount !== undefined) take(settleInMemory(accounts, { ...end, hold: { ...hold, amount } }));
      else {
        const late =
          end.type === 'settle' && hold.endsWithNode === true && !rows.superseded.has(hold.requestId)
            ? createLateCharge(end, rows.earlierCharges.get(hold.requestId))
            : undefined;
        decisions.set(movement, late === undefined ? 'gone' : 'charged late');
        if (late !== undefined) take(chargeInMemory(accounts, late));
      }
    } else take(movement);
  }
  return { decisions, movements };
}
