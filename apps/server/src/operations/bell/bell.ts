/** Notifications in the console's bell, derived from the current state; only dismissals are stored. */
import { type BellNotification, type BellNotificationKind, DISMISSED_DAYS } from '@switchyard/contract/operations/bell';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { bellChecks } from './bell-checks.ts';

const NAMES_MAX = 3;
const DISMISSAL_KEY_LENGTH = 32;
const SECONDS_PER_DAY = 86_400;

export async function listBellNotifications(ctx: Context, caller: Caller): Promise<BellNotification[]> {
  const findings = await Promise.all(
    bellChecks.filter(([right]) => hasAccess(caller, right)).map(([, source]) => source(ctx, caller)),
  );
  const dismissed = await readDismissals(ctx, caller);
  return findings.flat().map(({ kind, state, count, names, since }) => {
    const mark = ctx.vault.fingerprint(`notice ${kind} ${state}`).slice(0, DISMISSAL_KEY_LENGTH);
    const seen = dismissed.get(kind) === mark;
    return { kind, mark, seen, count, names: names.slice(0, NAMES_MAX), since };
  });
}

/** Reads the active dismissals; that of an announcement lasts while its text is the same. */
async function readDismissals(ctx: Context, { userId }: Caller): Promise<Map<BellNotificationKind, string>> {
  const rows = await ctx.db.writer
    .selectFrom('notice_seen')
    .select(['kind', 'mark', 'seen_time'])
    .where('user_id', '=', userId)
    .execute();
  const oldest = nowSeconds(ctx.clock) - DISMISSED_DAYS * SECONDS_PER_DAY;
  return new Map(
    rows
      .filter(({ kind, seen_time }) => kind === 'announcement' || seen_time > oldest)
      .map(({ kind, mark }) => [kind, mark]),
  );
}

export async function dismissBellNotifications(
  ctx: Context,
  { userId }: Caller,
  dismissed: readonly Pick<BellNotification, 'kind' | 'mark'>[],
): Promise<void> {
  const seen_time = nowSeconds(ctx.clock);
  await ctx.db.writer.transaction().execute(async (trx) => {
    for (const { kind, mark } of dismissed)
      await trx
        .insertInto('notice_seen')
        .values({ user_id: userId, kind, mark, seen_time })
        .onConflict((conflict) => conflict.columns(['user_id', 'kind']).doUpdateSet({ mark, seen_time }))
        .execute();
  });
}
