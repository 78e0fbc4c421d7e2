/**
 * At start no request is on its way, so every open hold that does not outlive its request belongs to a process that
 * died. One with a checkpoint is charged what had been delivered by then; of the others nothing is known, and the doubt
 * goes to the user.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Accounts } from './accounts.ts';
import { prepareStatements } from './commit-statements.ts';
import { createCommitWriter } from './commit-writer.ts';
import { endInMemory } from './end-of-hold.ts';
import type { Checkpoint, End, Hold } from './movement.ts';

const NOTE =
  'The gateway restarted before this answer ended: charged for what had been delivered by its last checkpoint';

/** The charge is made now, and belongs to this hour and day. `now` in UTC seconds. */
export function endHoldsOfEarlierProcess(
  connection: DatabaseSync,
  accounts: Accounts,
  now: number,
): { settled: number; voided: number } {
  const rows = connection
    .prepare(
      'select request_id, user_id, api_key_id, limited, amount, checkpoint from hold where lasting = 0',
    )
    .all();
  const ends = rows.map((row) => endInMemory(accounts, endOfLeftHold(row, now)));
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

/** By its last checkpoint; without one, nothing is charged. `now` in UTC seconds. */
export function endOfLeftHold(row: Readonly<Record<string, unknown>>, now: number): End {
  const hold = leftHold(row);
  const { checkpoint } = row;
  if (typeof checkpoint !== 'string') return { type: 'void', hold, record: undefined };
  const { charge, record } = JSON.parse(checkpoint) as Checkpoint;
  return { type: 'settle', hold, charge, record: { ...record, created_at: now, content: NOTE } };
}
