/**
 * Recovery at start. No request is running then, so every open hold that doesn't outlive its request belongs to a
 * process that died. A hold with an unwritten settlement is ended by that settlement. Of the others, one with a
 * checkpoint is charged what had been delivered by then; for the rest nothing is known, and nothing is charged.
 */
import type { DatabaseSync } from 'node:sqlite';
import { blockWhileBusy } from '../db/sqlite/writer-lock.ts';
import type { Log } from '../platform/log.ts';
import { createCommitBatch } from './commit/commit-batch.ts';
import { isStorageFailure } from './commit/storage-failure.ts';
import type { Accounts } from './ledger-accounts.ts';
import type { Checkpoint, Hold, HoldSettlement } from './ledger-write.ts';
import { redateIfLate, settleInMemory } from './settle-in-memory.ts';

const NOTE = 'The gateway restarted during this response: charged up to its last checkpoint';

/** Holds that were ended at start. */
interface Recovered {
  settled: number;
  voided: number;
  /** Settlements that the ledger refuses. Their holds stay; an operator has to examine them. */
  refused: readonly HoldSettlement[];
}

/**
 * Ends the holds of an earlier process. Charges are made now, and belong to this hour and day. A settlement that the ledger
 * refuses is logged and left out, so that the gateway starts without it.
 * @param now UTC seconds
 * @param noted ends that the process decided and could not write, also of holds that outlive their requests
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

/** The holds that an earlier process left for tasks to end. */
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
 * Returns the settlement of an abandoned hold by its last checkpoint; without one, nothing is charged. `now` in UTC
 * seconds.
 */
export function settleFromCheckpoint(row: Readonly<Record<string, unknown>>, now: number): HoldSettlement {
  const hold = parseHold(row);
  const { checkpoint } = row;
  if (typeof checkpoint !== 'string') return { type: 'void', hold, record: undefined };
  const { charge, record } = JSON.parse(checkpoint) as Checkpoint;
  return { type: 'settle', hold, charge, record: { ...record, created_at: now, content: NOTE } };
}
