import type { Pool } from 'pg';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { parseHold } from '../abandoned-holds.ts';
import type { Budget } from '../budgets/read-budgets-and-charges.ts';
import { createAccounts, type Shortage } from '../ledger-accounts.ts';
import type { Hold } from '../ledger-write-types.ts';
import { listReferences } from './late-charge.ts';
import { readAccounts } from './locked-rows.ts';

/** Resolves with the limit that would refuse the hold now. */
export async function readShortage(pool: Pool, clock: Clock, hold: Hold): Promise<Shortage | undefined> {
  const rows = await readAccounts(pool, [hold], nowSeconds(clock));
  return createAccounts(rows, clock).findShortage(hold);
}

/** Reads points. */
export async function readAvailable(pool: Pool, userId: number): Promise<number> {
  const { rows } = await pool.query<{ available: number }>(
    'select balance - held as available from user_account where user_id = $1',
    [userId],
  );
  return rows[0]?.available ?? 0;
}

export async function readBudget(pool: Pool, userId: number, limitedKeyId: number | undefined): Promise<Budget> {
  const { rows } = await pool.query<{ rest: number; used: number }>(
    limitedKeyId === undefined
      ? 'select balance as rest, used from user_account where user_id = $1'
      : 'select remaining as rest, used from key_account where api_key_id = $1',
    [limitedKeyId ?? userId],
  );
  const { rest = 0, used = 0 } = rows[0] ?? {};
  return { total: rest + used, used };
}

/** Reads points; undefined when it was not charged. */
export async function readCharge(pool: Pool, requestId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ charge: number }>(
    "select sum(-user_amount)::bigint as charge from ledger_entry where kind = 'charge' and ref = any($1) having count(*) > 0",
    [listReferences(requestId)],
  );
  return rows[0]?.charge;
}

export async function readLastingHold(pool: Pool, requestId: string): Promise<Hold | undefined> {
  const { rows } = await pool.query<Record<string, unknown>>(
    'select request_id, user_id, api_key_id, limited, amount from hold where request_id = $1 and lasting = 1',
    [requestId],
  );
  return rows[0] === undefined ? undefined : parseHold(rows[0]);
}
