/** Checks of the whole site. SQL conditions are literally those of the partial indexes. */
import type { BellNotificationKind } from '@switchyard/contract/operations/bell';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { listAutoDisabledTargets } from '../alerts/alerts.ts';

const REFUND_SECONDS = 30 * 86_400;
const ROWS_MAX = 1_000;

/** Returns the automatically disabled channels. */
export async function checkDisabledChannels({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('channel')
    .select(['id', 'name'])
    .where(sql<boolean>`status = 'auto-disabled'`)
    .where('deleted_time', 'is', null)
    .orderBy('id')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'channels-disabled',
    rows.map(({ name }) => name),
    { state: rows.map(({ id }) => id).join() },
  );
}

export async function checkPaymentsToReview({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('payment_order')
    .select(['trade_no', 'created_time'])
    .where(sql<boolean>`review <> ''`)
    .orderBy('id', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'payments-review',
    rows.map(({ trade_no }) => trade_no),
    { since: rows[0]?.created_time ?? null },
  );
}

/** Returns the failed refunds of the last month, unless another one of the same order was begun since. */
export async function checkFailedRefunds({ db, clock }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('order_refund')
    .innerJoin('payment_order', 'payment_order.id', 'order_refund.order_id')
    .select(['payment_order.trade_no', 'order_refund.id', 'order_refund.created_time'])
    .where(sql<boolean>`order_refund.state = 'failed'`)
    // A dispute that was won is also a failed refund.
    .where('order_refund.is_dispute', '=', 0)
    .where('order_refund.created_time', '>', nowSeconds(clock) - REFUND_SECONDS)
    .where(
      sql<boolean>`not exists (select 1 from order_refund as later where later.order_id = order_refund.order_id
        and later.state <> 'failed' and later.created_time >= order_refund.created_time)`,
    )
    .orderBy('order_refund.created_time', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'refunds-failed',
    rows.map(({ trade_no }) => trade_no),
    { state: rows.map(({ id }) => id).join(), since: rows[0]?.created_time ?? null },
  );
}

/** Returns the users who are locked by an unacknowledged ledger discrepancy. */
export async function checkLedgerDiscrepancies({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('ledger_alarm')
    .innerJoin('user', 'user.id', 'ledger_alarm.user_id')
    .select(['user.username', 'ledger_alarm.problem', 'ledger_alarm.found_at'])
    .where('ledger_alarm.acknowledged_at', 'is', null)
    .orderBy('ledger_alarm.found_at', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings('books-differ', [...new Set(rows.map(({ username }) => username))], {
    state: rows.map(({ problem }) => problem).join('\n'),
    since: rows[0]?.found_at ?? null,
  });
}

export async function checkDisabledSiteTargets(ctx: Context): Promise<BellFinding[]> {
  return createFindings('site-destination-off', await listAutoDisabledTargets(ctx, null));
}

export async function checkFailedMails({ db }: Context): Promise<BellFinding[]> {
  const rows = await db.reader
    .selectFrom('mail')
    .select(['id', 'recipient', 'created_time'])
    .where('state', '=', 'failed')
    .orderBy('created_time', 'desc')
    .limit(ROWS_MAX)
    .execute();
  return createFindings(
    'mail-failed',
    rows.map(({ recipient }) => recipient),
    { state: rows[0]?.id ?? '', since: rows[0]?.created_time ?? null },
  );
}

/** Finding of a check, before dismissals of the caller are considered. */
export interface BellFinding {
  kind: BellNotificationKind;
  /** Text whose change makes a dismissed finding appear again. */
  state: string;
  count: number;
  /** Names of the affected objects; only the first few are shown. */
  names: readonly string[];
  /** UTC seconds; null if unknown. */
  since: number | null;
}

/** Returns no finding without names. @param more its state, if not the names */
export function createFindings(
  kind: BellNotificationKind,
  names: readonly string[],
  more: { state?: string; since?: number | null } = {},
): BellFinding[] {
  if (names.length === 0) return [];
  return [{ kind, state: names.join('\n'), count: names.length, names, since: null, ...more }];
}
