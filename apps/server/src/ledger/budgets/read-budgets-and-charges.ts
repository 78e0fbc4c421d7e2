import type { DatabaseSync } from 'node:sqlite';

export interface Budget {
  total: number;
  used: number;
}

export function createBudgetReader(
  connection: DatabaseSync,
): (userId: number, limitedKeyId: number | undefined) => Budget {
  const ofKey = connection.prepare('select remaining as rest, used from key_account where api_key_id = ?');
  const ofUser = connection.prepare('select balance as rest, used from user_account where user_id = ?');
  return (userId, limitedKeyId) => {
    const row = limitedKeyId === undefined ? ofUser.get(userId) : ofKey.get(limitedKeyId);
    const used = Number(row?.['used'] ?? 0);
    return { total: Number(row?.['rest'] ?? 0) + used, used };
  };
}

export function createChargeReader(connection: DatabaseSync): (requestId: string) => number | undefined {
  const select = connection.prepare("select user_amount from ledger_entry where kind = 'charge' and ref = ?");
  return (requestId) => {
    const row = select.get(requestId);
    // Subtracted from zero, so that a free call yields 0 instead of -0.
    return row === undefined ? undefined : 0 - Number(row['user_amount']);
  };
}
