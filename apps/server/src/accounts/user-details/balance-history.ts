import { type BalanceEntry, ledgerKind, type userDetails } from '@switchyard/contract/accounts/user-details';
import type { UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';

type Query = RouteInput<(typeof userDetails)['balanceHistory']>['query'];
type History = RouteResponse<(typeof userDetails)['balanceHistory']>;

interface EntryRow {
  kind: string;
  ref: string;
  created_at: number;
  user_amount: number;
  note: string;
  balance_after: number;
}

/**
 * Reads the newest ledger entries after `before`. Balances are calculated backwards from the current one, in the same
 * statement, so that they are consistent; the rows follow an index, and only the needed ones are read. An
 * adjustment's reference begins with the id of its author.
 */
export async function readBalanceHistory(
  ctx: Context,
  userId: UserId,
  { before, size, charges }: Query,
): Promise<History> {
  const [kind = '', ref = ''] = splitId(before ?? '');
  const after =
    before === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(created_at, user_amount, kind, ref) < (select created_at, user_amount, kind, ref
          from ledger_entry where kind = ${kind} and ref = ${ref} and user_id = ${userId})`;
  const { rows } = await sql<EntryRow>`
    select kind, ref, created_at, user_amount, note, balance_after
    from (
      select kind, ref, created_at, user_amount, note,
        (select balance from user_account where user_id = ${userId}) + user_amount - sum(user_amount) over (
          order by created_at desc, user_amount desc, kind desc, ref desc rows unbounded preceding) as balance_after
      from ledger_entry where user_id = ${userId}
    ) as entry
    where ${after} and user_amount <> 0 and ${charges ? sql`true` : sql`kind <> 'charge'`}
    order by created_at desc, user_amount desc, kind desc, ref desc
    limit ${size + 1}`.execute(ctx.db.reader);
  const shown = rows.slice(0, size);
  const names = await findUsernames(ctx, shown);
  return { entries: shown.map((row) => present(row, names)), more: rows.length > size };
}

const parseAdjuster = ({ kind, ref }: EntryRow): number | undefined =>
  kind === 'adjust' && /^\d+:/.test(ref) ? Number.parseInt(ref, 10) : undefined;

async function findUsernames({ db }: Context, rows: readonly EntryRow[]): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(rows.flatMap((row) => parseAdjuster(row) ?? []));
  const users = await db.reader
    .selectFrom('user')
    .select(['id', 'username'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(users.map(({ id, username }) => [id, username]));
}

function splitId(id: string): string[] {
  const at = id.indexOf(':');
  return at === -1 ? [] : [id.slice(0, at), id.slice(at + 1)];
}

function present(row: EntryRow, names: ReadonlyMap<number, string>): BalanceEntry {
  const id = parseAdjuster(row);
  const username = id === undefined ? undefined : names.get(id);
  return {
    id: `${row.kind}:${row.ref}`,
    created_at: row.created_at,
    kind: ledgerKind.parse(row.kind),
    amount: toPoints(row.user_amount),
    balance_after: toPoints(row.balance_after),
    remark: row.note,
    by: id === undefined || username === undefined ? null : { id: id as UserId, username },
  };
}
