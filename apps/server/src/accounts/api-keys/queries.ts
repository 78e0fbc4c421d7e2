import type { ApiKeyStatus } from '@switchyard/contract/wire-enums';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { getPeriodStart } from '../../ledger/ledger.ts';
import type { Schema } from '../../schema.ts';

/** Selects keys with their accounts, for this folder. `now` is UTC seconds. */
export function selectKeys(db: Kysely<Schema>, now: number) {
  const usedSince = (start: number) =>
    sql<number>`(select coalesce(sum(key_day.used), 0) from key_day
      where key_day.api_key_id = api_key.id and key_day.day >= ${start})`;
  return db
    .selectFrom('api_key')
    .innerJoin('key_account', 'key_account.api_key_id', 'api_key.id')
    .where('api_key.deleted_time', 'is', null)
    .selectAll('api_key')
    .select(['key_account.remaining', 'key_account.used'])
    .select(usedSince(getPeriodStart('day', now)).as('used_day'))
    .select(usedSince(getPeriodStart('week', now)).as('used_week'))
    .select(usedSince(getPeriodStart('month', now)).as('used_month'));
}

export type KeyRow = Awaited<ReturnType<ReturnType<typeof selectKeys>['executeTakeFirstOrThrow']>>;

type KeyQuery = SelectQueryBuilder<Schema, 'api_key' | 'key_account', object>;

/** Filters by status. Expired and exhausted are not stored, but derived from the clock and the account. */
export function whereStatus<Q extends KeyQuery>(query: Q, status: ApiKeyStatus, now: number): Q {
  const expired = sql<boolean>`(api_key.expired_time <> -1 and api_key.expired_time <= ${now})`;
  const exhausted = sql<boolean>`(api_key.unlimited_quota = 0 and key_account.remaining <= 0)`;
  switch (status) {
    case 'disabled':
      return query.where('api_key.status', '<>', 'enabled') as Q;
    case 'expired':
      return query.where('api_key.status', '=', 'enabled').where(expired) as Q;
    case 'exhausted':
      return query.where('api_key.status', '=', 'enabled').where(sql<boolean>`not ${expired}`).where(exhausted) as Q;
    case 'enabled':
      return query
        .where('api_key.status', '=', 'enabled')
        .where(sql<boolean>`not ${expired}`)
        .where(sql<boolean>`not ${exhausted}`) as Q;
  }
}

export function deriveKeyStatus(row: KeyRow, now: number): ApiKeyStatus {
  if (row.status !== 'enabled') return 'disabled';
  if (row.expired_time !== -1 && row.expired_time <= now) return 'expired';
  return row.unlimited_quota === 0 && row.remaining <= 0 ? 'exhausted' : 'enabled';
}
