/**
 * Recovers at start. No request is running then, so every hold that is not lasting belongs to a dead process. A hold
 * with an unwritten settlement is ended by that settlement. Of the others, one with a checkpoint is charged by it;
 * the rest is released without a charge.
 */
import type { DatabaseSync } from 'node:sqlite';
import { blockWhileBusy } from '../db/sqlite/writer-lock-and-busy-retry.ts';
import type { Log } from '../platform/log.ts';
import { createCommitBatch } from './commit/commit-batch.ts';
import { isStorageFailure } from './commit/storage-failure.ts';
import type { Accounts } from './ledger-accounts.ts';
import type { Checkpoint, Hold, HoldSettlement } from './ledger-write-types.ts';
import { redateIfLate, settleInMemory } from './settle-in-memory.ts';

const NOTE = 'The gateway restarted during this response: charged up to its last checkpoint';

/** Holds that were ended at start. */
interface Recovered {
  settled: number;
  voided: number;
  /** Settlements that the ledger refuses. Their holds stay for an operator to examine. */
  refused: readonly HoldSettlement[];
}

/**
 * Ends the holds of an earlier process. Charges are dated now. A settlement that the ledger refuses is logged and
 * skipped, so that the gateway starts without it.
 * @param now UTC seconds
 * @param noted settlements that the process decided and could not write, also of lasting holds
 * @throws Error when the storage fails
 */
export function settleAbandonedHolds(
  connection: DatabaseSync,
  accounts: Accounts,
  now: number,
  noted: readonly HoldSettlement[],
  log: Log,
): Recovered {
  const rows = connection
    .prepare('select request_id, user_id, api_key_id, limited, amount, lasting, checkpoint from hold')
    .all();
  const known = new Map(noted.map((end) => [end.hold.requestId, end]));
  const ends = rows.flatMap((row) => {
    const decided = known.get(String(row['request_id']));
    if (decided === undefined && row['lasting'] === 1) return [];
    const end = decided === undefined ? settleFromCheckpoint(row, now) : { ...decided, hold: parseHold(row) };
    return settleInMemory(accounts, redateIfLate(end, now));
  });
  const failures = blockWhileBusy(connection, () => createCommitBatch(connection)(ends));
  for (const [movement, error] of failures) {
    if (isStorageFailure(error)) throw error;
    const request_id = 'hold' in movement ? movement.hold.requestId : undefined;
    log.error({ err: error, request_id }, 'a settlement of an earlier process is refused by the ledger');
  }
  if (failures.size > 0) accounts.forgetAll();
  const written = ends.filter((end) => !failures.has(end));
  const settled = written.filter(({ type }) => type === 'settle').length;
  return { settled, voided: written.length - settled, refused: ends.filter((end) => failures.has(end)) };
}

/** Reads the lasting holds of an earlier process, which tasks end. */
export function readLastingHolds(connection: DatabaseSync): Hold[] {
  const rows = connection
    .prepare('select request_id, user_id, api_key_id, limited, amount from hold where lasting = 1')
    .all();
  return rows.map(parseHold);
}

export function parseHold(row: Readonly<Record<string, unknown>>): Hold {
  return {
    requestId: String(row['request_id']),
    userId: Number(row['user_id']),
    apiKeyId: row['api_key_id'] === null ? null : Number(row['api_key_id']),
    limited: row['limited'] === 1,
    amount: Number(row['amount']),
  };
}

/**
 * Returns the settlement of an abandoned hold by its last checkpoint; without one, a release. `now` is UTC seconds.
 */
export function settleFromCheckpoint(row: Readonly<Record<string, unknown>>, now: number): HoldSettlement {
  const hold = parseHold(row);
  const { checkpoint } = row;
  if (typeof checkpoint !== 'string') return { type: 'void', hold, record: undefined };
  const { charge, record } = JSON.parse(checkpoint) as Checkpoint;
  return { type: 'settle', hold, charge, record: { ...record, created_at: now, content: NOTE } };
}
