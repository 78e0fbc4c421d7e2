/**
 * Recovery at start. No request is running then, so every open hold that doesn't outlive its request belongs to a
 * process that died. A hold with an unwritten settlement is ended by that settlement. Of the others, one with a
 * checkpoint is charged what had been delivered by then; for the rest nothing is known, and nothing is charged.
 */
import type { DatabaseSync } from 'node:sqlite';
import { prepareStatements } from './commit/commit-statements.ts';
import { createCommitWriter } from './commit/commit-writer.ts';
import type { Accounts } from './ledger-accounts.ts';
import type { Checkpoint, End, Hold } from './ledger-entry.ts';
import { endInMemory, inTime } from './settle-in-memory.ts';

const NOTE = 'The gateway restarted during this response: charged up to its last checkpoint';

/**
 * Charges are made now, and belong to this hour and day.
 * @param now UTC seconds
 * @param noted ends that the process decided and could not write, also of holds that outlive their requests
 */
export function endHoldsOfEarlierProcess(
  connection: DatabaseSync,
  accounts: Accounts,
  now: number,
  noted: readonly End[],
): { settled: number; voided: number } {
  const rows = connection
    .prepare('select request_id, user_id, api_key_id, limited, amount, lasting, checkpoint from hold')
    .all();
  const known = new Map(noted.map((end) => [end.hold.requestId, end]));
  const ends = rows.flatMap((row) => {
    const decided = known.get(String(row['request_id']));
    if (decided === undefined && row['lasting'] === 1) return [];
    const end = decided === undefined ? endOfLeftHold(row, now) : { ...decided, hold: leftHold(row) };
    return endInMemory(accounts, inTime(end, now));
  });
  connection.exec('begin immediate');
  createCommitWriter(prepareStatements(connection))(ends);
  connection.exec('commit');
  const settled = ends.filter(({ type }) => type === 'settle').length;
  return { settled, voided: ends.length - settled };
}

/** The holds that an earlier process left for tasks to end. */
export function readLastingHolds(connection: DatabaseSync): Hold[] {
  const rows = connection
    .prepare('select request_id, user_id, api_key_id, limited, amount from hold where lasting = 1')
    .all();
  return rows.map(leftHold);
}

export function leftHold(row: Readonly<Record<string, unknown>>): Hold {
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
export function endOfLeftHold(row: Readonly<Record<string, unknown>>, now: number): End {
  const hold = leftHold(row);
  const { checkpoint } = row;
  if (typeof checkpoint !== 'string') return { type: 'void', hold, record: undefined };
  const { charge, record } = JSON.parse(checkpoint) as Checkpoint;
  return { type: 'settle', hold, charge, record: { ...record, created_at: now, content: NOTE } };
}
