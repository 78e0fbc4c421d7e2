/** Rows that one commit on PostgreSQL needs, read and locked before its decisions. */
import type { ClientBase } from 'pg';
import { createUsageFromDays, getPeriodStart } from '../budgets/period-usage.ts';
import type { Value } from '../commit/commit-statements.ts';
import type { AccountRows } from '../ledger-accounts.ts';
import type { Hold, LedgerWrite } from '../ledger-write-types.ts';
import { type EarlierCharge, findSuperseded, readCharged } from './late-charge.ts';

export interface LockedRows {
  accounts: AccountRows;
  /** Reserved points of each hold that a write ends; without holds that had already ended. */
  endedHolds: ReadonlyMap<string, number>;
  /** Holds that a write raises, and that have not ended. */
  raisableHolds: ReadonlySet<string>;
  /** Charges of this node's requests whose holds other nodes have settled. */
  earlierCharges: ReadonlyMap<string, EarlierCharge>;
  /** Requests of this node whose holds other nodes have settled, and that a repeated request has replaced. */
  superseded: ReadonlySet<string>;
}

/** Locks accounts first, then holds, each ordered by id, so that commits cannot deadlock. */
export async function lockRows(client: ClientBase, batch: readonly LedgerWrite[], now: number): Promise<LockedRows> {
  const holds = batch.flatMap((movement) => ('hold' in movement ? [movement.hold] : []));
  const accounts = await readAccounts(client, holds, now, 'for update');
  const requestsOf = (...types: LedgerWrite['type'][]): string[] =>
    batch.flatMap((movement) => (types.includes(movement.type) && 'hold' in movement ? [movement.hold.requestId] : []));
  const ended = await select(
    client,
    `delete from hold where request_id in (
       select request_id from hold where request_id = any($1::text[])
         and (lasting = 0 or not request_id = any($2::text[])) order by request_id for update
     ) returning request_id, amount`,
    requestsOf('settle', 'void'),
    releasedByRequest(batch),
  );
  const raised = await select(
    client,
    'select request_id from hold where request_id = any($1::text[]) order by request_id for update',
    requestsOf('raise'),
  );
  const amounts = new Map(ended.map((row) => [String(row['request_id']), Number(row['amount'])]));
  const late = batch.flatMap((movement) =>
    movement.type === 'settle' && movement.hold.endsWithNode === true && !amounts.has(movement.hold.requestId)
      ? [movement.hold]
      : [],
  );
  const superseded = await findSuperseded(client, late);
  return {
    accounts,
    endedHolds: amounts,
    superseded,
    earlierCharges: await readCharged(
      client,
      late.map(({ requestId }) => requestId),
    ),
    raisableHolds: new Set(raised.map((row) => String(row['request_id']))),
  };
}

/**
 * Returns the ids of requests that release their own hold. They must not release a lasting one: it belongs to a task,
 * by a commit whose result the request did not learn.
 */
function releasedByRequest(batch: readonly LedgerWrite[]): string[] {
  return batch.flatMap((movement) =>
    movement.type === 'void' && movement.hold.endsWithNode !== undefined ? [movement.hold.requestId] : [],
  );
}

/** Reads the accounts of the holds. @param now UTC seconds */
export async function readAccounts(
  client: Pick<ClientBase, 'query'>,
  holds: readonly Hold[],
  now: number,
  lock: 'for update' | '' = '',
): Promise<AccountRows> {
  const users = await select(
    client,
    `select user_id, balance, held, exists (
       select 1 from ledger_alarm where ledger_alarm.user_id = user_account.user_id and acknowledged_at is null
     ) as alarmed
     from user_account where user_id = any($1::bigint[]) order by user_id ${lock}`,
    holds.map(({ userId }) => userId),
  );
  const keyIds = holds.flatMap(({ apiKeyId }) => (apiKeyId === null ? [] : [apiKeyId]));
  const keys = await select(
    client,
    `select api_key_id, remaining, held from key_account where api_key_id = any($1::bigint[]) order by api_key_id ${lock}`,
    keyIds,
  );
  const days = await select(
    client,
    'select api_key_id, day, used from key_day where api_key_id = any($1::bigint[]) and day >= $2',
    holds.flatMap(({ apiKeyId, budgets }) => (apiKeyId === null || budgets === undefined ? [] : [apiKeyId])),
    Math.min(getPeriodStart('week', now), getPeriodStart('month', now)),
  );
  const userRows = new Map(users.map((row) => [Number(row['user_id']), row]));
  const keyRows = new Map(keys.map((row) => [Number(row['api_key_id']), row]));
  return {
    user(userId) {
      const row = userRows.get(userId);
      if (row === undefined) return undefined;
      return { balance: Number(row['balance']), held: Number(row['held']), hasDiscrepancy: row['alarmed'] === 1 };
    },
    key(apiKeyId) {
      const row = keyRows.get(apiKeyId);
      if (row === undefined) return undefined;
      const ofKey = days.filter((day) => Number(day['api_key_id']) === apiKeyId);
      const use = createUsageFromDays(
        ofKey.map((day) => ({ day: Number(day['day']), used: Number(day['used']) })),
        now,
      );
      return { remaining: Number(row['remaining']), held: Number(row['held']), use };
    },
  };
}

type Row = Record<string, unknown>;

/** Skips the query without ids. */
async function select(
  client: Pick<ClientBase, 'query'>,
  text: string,
  ids: readonly Value[],
  ...more: (Value | readonly Value[])[]
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const { rows } = await client.query<Row>(text, [[...new Set(ids)], ...more]);
  return rows;
}
