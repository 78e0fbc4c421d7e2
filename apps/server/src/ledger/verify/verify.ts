/** Recomputes every balance from the ledger. Reports discrepancies, and never repairs them. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import { isLocalCharge } from '../import-balances.ts';
import type { LedgerDiscrepancy } from './discrepancies.ts';

export interface LedgerReport {
  users: number;
  entries: number;
  /** One message per discrepancy; empty when there are none. */
  problems: string[];
  /** Discrepancies by user. */
  alarms: LedgerDiscrepancy[];
}

/**
 * Maximum discrepancies reported per user, newest first, so that those after an acknowledged one are included. A lost
 * month of records causes millions, too many to hold in memory.
 */
const CHARGES_MAX = 20;

interface Mismatch {
  id: number | string;
  user_id: number | null;
  stored: number;
  computed: number;
}

/** Owner of a key according to its entries; only evaluated for discrepancies. */
const ownerOfKey = sql`(select user_id from ledger_entry o where o.api_key_id = a.api_key_id limit 1)`;

/**
 * Each comparison is a single statement, so that it sees a consistent state during writes. Full joins compare both
 * directions, since an account may be missing.
 */
const comparisons: Readonly<Record<string, ReturnType<typeof sql<Mismatch>>>> = {
  'balance of user': sql<Mismatch>`
    select coalesce(a.user_id, e.user_id) as id, coalesce(a.user_id, e.user_id) as user_id,
      coalesce(a.balance, 0) as stored, coalesce(e.total, 0) as computed
    from user_account a full join (select user_id, sum(user_amount) as total from ledger_entry group by user_id) e on e.user_id = a.user_id
    where coalesce(a.balance, 0) <> coalesce(e.total, 0)`,
  'held points of user': sql<Mismatch>`
    select coalesce(a.user_id, h.user_id) as id, coalesce(a.user_id, h.user_id) as user_id,
      coalesce(a.held, 0) as stored, coalesce(h.total, 0) as computed
    from user_account a full join (select user_id, sum(amount) as total from hold group by user_id) h on h.user_id = a.user_id
    where coalesce(a.held, 0) <> coalesce(h.total, 0)`,
  'used points of user': sql<Mismatch>`
    select a.user_id as id, a.user_id, a.used as stored, a.used_before + coalesce(e.total, 0) as computed
    from user_account a left join (
      select user_id, -sum(user_amount) as total from ledger_entry where kind = 'charge' group by user_id
    ) e on e.user_id = a.user_id
    where a.used <> a.used_before + coalesce(e.total, 0)`,
  'remaining points of token': sql<Mismatch>`
    select a.api_key_id as id, ${ownerOfKey} as user_id, a.stored, a.computed from (
      select coalesce(k.api_key_id, e.api_key_id) as api_key_id, coalesce(k.remaining, 0) as stored, coalesce(e.total, 0) as computed
      from key_account k full join (
        select api_key_id, sum(key_amount) as total from ledger_entry where api_key_id is not null group by api_key_id
      ) e on e.api_key_id = k.api_key_id
      where coalesce(k.remaining, 0) <> coalesce(e.total, 0)
    ) a`,
  'held points of token': sql<Mismatch>`
    select a.api_key_id as id, ${ownerOfKey} as user_id, a.stored, a.computed from (
      select coalesce(k.api_key_id, h.api_key_id) as api_key_id, coalesce(k.held, 0) as stored, coalesce(h.total, 0) as computed
      from key_account k full join (
        select api_key_id, sum(amount) as total from hold where api_key_id is not null group by api_key_id
      ) h on h.api_key_id = k.api_key_id
      where coalesce(k.held, 0) <> coalesce(h.total, 0)
    ) a`,
  'points by day of token': sql<Mismatch>`
    select a.api_key_id as id, ${ownerOfKey} as user_id, a.stored, a.computed from (
      select coalesce(d.api_key_id, e.api_key_id) as api_key_id, coalesce(d.used, 0) as stored, coalesce(e.used, 0) as computed
      from key_day d full join (
        select api_key_id, created_at - created_at % 86400 as day, -sum(user_amount) as used from ledger_entry
        where kind = 'charge' and api_key_id is not null group by 1, 2
      ) e on e.api_key_id = d.api_key_id and e.day = d.day
      where coalesce(d.used, 0) <> coalesce(e.used, 0)
    ) a`,
  // An administrator may have deleted old records: only charges after the oldest remaining record need one. Imported
  // records have no charges.
  'charge against its usage record,': sql<Mismatch>`
    select id, user_id, stored, computed from (
      select e.ref as id, e.user_id, -e.user_amount as stored, coalesce(r.quota, 0) as computed,
        row_number() over (partition by e.user_id order by e.created_at desc, e.ref) as nth
      from ledger_entry e left join usage_record r on r.request_id = e.ref and r.type = 'consume'
      where e.kind = 'charge' and (r.id is null or r.quota <> -e.user_amount)
        and e.created_at > (
          select min(created_at) from usage_record where type = 'consume' and ${isLocalCharge}
        )
    ) d where nth <= ${CHARGES_MAX}`,
  // Usage that was delivered and recorded must have been charged. Users without any charge have imported records.
  'usage record against its charge,': sql<Mismatch>`
    select id, user_id, stored, computed from (
      select r.request_id as id, r.user_id, 0 as stored, r.quota as computed,
        row_number() over (partition by r.user_id order by r.created_at desc, r.request_id) as nth
      from usage_record r left join ledger_entry e on e.kind = 'charge' and e.ref = r.request_id
      where r.type = 'consume' and r.quota <> 0 and e.ref is null and ${isLocalCharge}
        and exists (select 1 from ledger_entry c where c.kind = 'charge' and c.user_id = r.user_id)
    ) d where nth <= ${CHARGES_MAX}`,
};

/** Compares without writing; amounts are points. */
export async function verifyLedger(db: Kysely<Schema>): Promise<LedgerReport> {
  const problems: string[] = [];
  const alarms: LedgerDiscrepancy[] = [];
  for (const [what, comparison] of Object.entries(comparisons)) {
    const { rows } = await comparison.execute(db);
    for (const { id, user_id, stored, computed } of rows) {
      problems.push(`${what} ${id}: stored ${stored}, computed ${computed}`);
      if (user_id !== null) alarms.push({ userId: user_id, problem: `${what} ${id}`, difference: stored - computed });
    }
  }
  const count = async (table: 'user_account' | 'ledger_entry'): Promise<number> => {
    const row = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return row.count;
  };
  return { users: await count('user_account'), entries: await count('ledger_entry'), problems, alarms };
}
