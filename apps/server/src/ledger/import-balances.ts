/** Imports balances and usage of users from another installation, as the first entries of their ledger. */
import { sql, type Transaction } from 'kysely';
import { newRequestId } from '../platform/http/request-id.ts';
import type { Schema } from '../schema.ts';
import { emptyRecord, type NewUsageRecord } from './ledger-write-types.ts';

/** Account in the other installation. */
export interface ImportedBalance {
  userId: number;
  /** Reference of the account in the other installation; each is imported once. */
  ref: string;
  /** Points; negative for a debt. */
  balance: number;
  used: number;
  requests: number;
  note: string;
}

/** Prefix of the references of all records that another installation has charged. */
const IMPORT_PREFIX = 'import:';
/** Condition on a usage record: the call was charged by this installation. */
export const isLocalCharge = sql<boolean>`request_id not like ${`${IMPORT_PREFIX}%`}`;

/** Opens the account; its balance is one ledger entry, and its earlier usage belongs to none. */
export async function importAccount(
  trx: Transaction<Schema>,
  now: number,
  { userId, ref, balance, used, requests, note }: ImportedBalance,
): Promise<void> {
  await trx
    .insertInto('user_account')
    .values({ user_id: userId, balance, held: 0, used, requests, used_before: used })
    .execute();
  if (balance === 0) return;
  await trx
    .insertInto('ledger_entry')
    .values({
      created_at: now,
      kind: 'opening',
      ref: `${IMPORT_PREFIX}${ref}`,
      user_id: userId,
      api_key_id: null,
      user_amount: balance,
      key_amount: 0,
      note,
    })
    .execute();
  await trx
    .insertInto('usage_record')
    .values({
      ...emptyRecord,
      request_id: newRequestId(),
      created_at: now,
      type: 'system',
      user_id: userId,
      quota: balance,
      content: note,
    })
    .execute();
}

/** Maximum rows in one statement. */
const ROWS_PER_STATEMENT = 200;

/** Imports records without changing balances or the dashboard's sums. */
export async function importRecords(trx: Transaction<Schema>, records: readonly NewUsageRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += ROWS_PER_STATEMENT)
    await trx
      .insertInto('usage_record')
      .values(
        records
          .slice(at, at + ROWS_PER_STATEMENT)
          .map((record) => ({ ...record, request_id: `${IMPORT_PREFIX}${record.request_id}` })),
      )
      .execute();
}
