import type { DatabaseSync } from 'node:sqlite';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { createPeriodUsageReader } from './budgets/period-usage.ts';
import type { AccountRows } from './ledger-accounts.ts';

/** Reads synchronously on the writing connection. */
export function readAccountRows(connection: DatabaseSync, clock: Clock): AccountRows {
  const selectUser = connection.prepare(
    `select balance, held, exists (
       select 1 from ledger_alarm where ledger_alarm.user_id = user_account.user_id and acknowledged_at is null
     ) as alarmed from user_account where user_id = ?`,
  );
  const selectKey = connection.prepare('select remaining, held from key_account where api_key_id = ?');
  const readUse = createPeriodUsageReader(connection);
  return {
    user(userId) {
      const row = selectUser.get(userId);
      if (row === undefined) return undefined;
      return {
        balance: Number(row['balance']),
        held: Number(row['held']),
        hasDiscrepancy: row['alarmed'] === 1,
      };
    },
    key(apiKeyId) {
      const row = selectKey.get(apiKeyId);
      if (row === undefined) return undefined;
      const use = readUse(apiKeyId, nowSeconds(clock));
      return { remaining: Number(row['remaining']), held: Number(row['held']), use };
    },
  };
}
