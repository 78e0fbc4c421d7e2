/** Enabled tokens of an owner that do not work, or will stop soon. */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { getPeriodStart, PERIODS } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';

const EXPIRES_SOON_SECONDS = 7 * 86_400;

interface NamedKey {
  id: number;
  name: string;
}

/** @returns tokens whose quota or budget is used up, and those that expire within a week */
export async function listKeysNeedingAttention(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: number,
): Promise<{ spent: NamedKey[]; expiring: (NamedKey & { at: number })[] }> {
  const now = nowSeconds(ctx.clock);
  const own = selectEnabledKeys(ctx, now).where('api_key.user_id', '=', userId);
  const [spent, expiring] = await Promise.all([
    own.where(isKeyExhausted(now)).execute(),
    own
      .where('api_key.expired_time', '>', now)
      .where('api_key.expired_time', '<=', now + EXPIRES_SOON_SECONDS)
      .select('api_key.expired_time as at')
      .execute(),
  ]);
  return { spent, expiring };
}

/**
 * Returns the query of the keys of all users whose quota or budget is used up, without keys that never had a quota. It
 * selects no column yet.
 */
export function queryExhaustedKeys(ctx: Pick<Context, 'db' | 'clock'>) {
  const now = nowSeconds(ctx.clock);
  return selectEnabledKeys(ctx, now).clearSelect().where('key_account.used', '>', 0).where(isKeyExhausted(now));
}

const selectEnabledKeys = ({ db }: Pick<Context, 'db'>, now: number) =>
  db.reader
    .selectFrom('api_key')
    .innerJoin('key_account', 'key_account.api_key_id', 'api_key.id')
    .where('api_key.deleted_time', 'is', null)
    .where('api_key.status', '=', 'enabled')
    .where((eb) => eb.or([eb('api_key.expired_time', '=', -1), eb('api_key.expired_time', '>', now)]))
    .select(['api_key.id', 'api_key.name'])
    .orderBy('api_key.id');

const isKeyExhausted = (now: number) =>
  sql<boolean>`(${isQuotaExhausted} or ${sql.join(
    PERIODS.map((period) => isBudgetExhausted(period, now)),
    sql` or `,
  )})`;

const isQuotaExhausted = sql<boolean>`(api_key.unlimited_quota = 0 and key_account.remaining <= 0)`;

/** Returns the condition; usage is only summed for a token with a budget. */
function isBudgetExhausted(period: (typeof PERIODS)[number], now: number): RawBuilder<boolean> {
  const budget = sql`cast(json_extract(api_key.setting, ${`$.limits.budgets.${period}`}) as bigint)`;
  return sql<boolean>`(${budget} is not null and ${budget} <= (select coalesce(sum(key_day.used), 0)
    from key_day where key_day.api_key_id = api_key.id and key_day.day >= ${getPeriodStart(period, now)}))`;
}
