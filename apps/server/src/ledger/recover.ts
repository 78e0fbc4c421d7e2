/** At start no request is on its way, so every open hold belongs to a process that died. */
import type { DatabaseSync } from 'node:sqlite';

/** Nothing that was delivered before the end is known any more; the doubt goes to the user. Returns how many. */
export function releaseHoldsOfEarlierProcess(connection: DatabaseSync): number {
  connection.exec('begin immediate');
  const released = Number(connection.prepare('delete from hold').run().changes);
  if (released > 0) connection.exec('update user_account set held = 0; update key_account set held = 0');
  connection.exec('commit');
  return released;
}
