/**
 * At start no request is on its way, so every open hold belongs to a process that died. One with a checkpoint is
 * charged what had been delivered by then; of the others nothing is known, and the doubt goes to the user.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { createCommitWriter } from './commit-writer.ts';
import type { Checkpoint, Movement } from './movement.ts';

const NOTE =
  'The gateway restarted before this answer ended: charged for what had been delivered by its last checkpoint';

export function endHoldsOfEarlierProcess(connection: DatabaseSync): { settled: number; voided: number } {
  const rows = connection
    .prepare('select request_id, user_id, api_key_id, limited, amount, checkpoint from hold')
    .all();
  const movements = rows.map(endOf);
  connection.exec('begin immediate');
  createCommitWriter(connection)(movements);
  connection.exec('commit');
  const settled = movements.filter(({ type }) => type === 'settle').length;
  return { settled, voided: movements.length - settled };
}

function endOf(row: Record<string, SQLOutputValue>): Movement {
  const hold = {
    requestId: String(row['request_id']),
    userId: Number(row['user_id']),
    apiKeyId: row['api_key_id'] === null ? null : Number(row['api_key_id']),
    limited: row['limited'] === 1,
    amount: Number(row['amount']),
  };
  if (row['checkpoint'] === null) return { type: 'void', hold, record: undefined };
  const { charge, record } = JSON.parse(String(row['checkpoint'])) as Checkpoint;
  return { type: 'settle', hold, charge, record: { ...record, content: NOTE } };
}
