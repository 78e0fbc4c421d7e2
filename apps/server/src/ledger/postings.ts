/** Ledger postings other than calls: top-ups, an administrator's corrections, key limits; and discrepancies. */
import type { Transaction } from 'kysely';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import type { Schema } from '../schema.ts';
import { type ImportedBalance, importAccount, importRecords } from './import-balances.ts';
import { emptyRecord, type Hold, type NewUsageRecord } from './ledger-write-types.ts';
import type { OpenHolds } from './open-holds.ts';
import { acknowledgeDiscrepancies, type LedgerDiscrepancy, raiseDiscrepancies } from './verify/discrepancies.ts';

/** Points that a user gains or loses apart from calls. */
export interface Posting {
  kind: 'top-up' | 'refund' | 'adjust' | 'gift';
  /** Reference of the cause; unique for each kind. */
  ref: string;
  userId: number;
  /** Points; negative to deduct. */
  amount: number;
  note: string;
  /** True to deduct points that are already spent or held. */
  mayLeaveDebt?: boolean;
  /** Client address of the caller that caused it; empty for the gateway itself. */
  address?: string;
}

export interface Postings {
  openUserAccount(userId: number): Promise<void>;
  /** @param used points spent in another installation */
  openKeyAccount(apiKeyId: number, userId: number, remaining: number, used?: number): Promise<void>;
  /** Opens a user's account with its balance and usage in another installation. */
  importAccount(account: ImportedBalance): Promise<void>;
  /** Adds records of calls that another installation has charged; no points move. */
  importRecords(records: readonly NewUsageRecord[]): Promise<void>;
  /**
   * Locks the accounts of several users in the order of commits. Must precede postings to more than one user, which would
   * otherwise deadlock with a commit that contains the same users.
   */
  lockUserAccounts(userIds: readonly number[]): Promise<void>;
  /**
   * Adds points to a user, or deducts them; also writes a usage record, so that screens list it among the calls.
   * @throws AppError `insufficient-balance` when the deduction exceeds the available points, `invalid-input` when the
   * balance would exceed the exact range, `conflict` when `kind` and `ref` were used before
   * @returns the new balance
   */
  post(move: Posting): Promise<number>;
  /**
   * Sets the remaining points of a limited key.
   * @throws AppError `invalid-input` when they exceed the exact range
   */
  setKeyRemaining(apiKeyId: number, userId: number, remaining: number): Promise<void>;
  /**
   * Keeps a request's hold beyond the end of the request or this process: from now on only `settleLasting` or
   * `releaseHold` ends it. A hold that another node has ended is reserved again, whatever the balance.
   * @throws Error when there is no such hold, or a repeated request has taken over its `Idempotency-Key`
   */
  keepHold(requestId: string): Promise<void>;
  /** Releases a lasting hold. @returns false when it had already ended */
  releaseHold(requestId: string): Promise<boolean>;
  /** Stops a user's spending for each new discrepancy. */
  raiseDiscrepancies(alarms: readonly LedgerDiscrepancy[]): Promise<void>;
  /** Allows a user to spend again with the current balance; known discrepancies are not raised again. */
  acknowledgeDiscrepancies(userId: number): Promise<void>;
}

/** 2 billion USD, so that sums of many balances stay exact. */
const BALANCE_MAX = 1_000_000_000_000_000;

/**
 * Records the touched accounts, so that they can be removed from memory.
 * @param open holds of this node's requests, which other nodes may have ended
 */
export function createPostings(clock: Clock, open?: Pick<OpenHolds, 'get'>) {
  const users = new Set<number>();
  const keys = new Set<number>();
  const lasting = new Set<string>();
  const givenBack = new Set<string>();
  const touched = { users, keys, lasting, givenBack };
  return {
    ...touched,
    within: (trx: Transaction<Schema>): Postings => createPostingsWithin(trx, clock, touched, open),
  };
}

interface Touched {
  users: Set<number>;
  keys: Set<number>;
  /** Requests whose hold became lasting. */
  lasting: Set<string>;
  /** Requests whose lasting hold was released. */
  givenBack: Set<string>;
}

function createPostingsWithin(
  trx: Transaction<Schema>,
  clock: Clock,
  { users, keys, lasting, givenBack }: Touched,
  open: Pick<OpenHolds, 'get'> | undefined,
): Postings {
  const setKeyRemaining = async (apiKeyId: number, userId: number, remaining: number): Promise<void> => {
    keys.add(apiKeyId);
    // Locks the row, so that concurrent charges cannot change it between the difference and the sum.
    const account = await trx
      .updateTable('key_account')
      .set((eb) => ({ remaining: eb.ref('remaining') }))
      .where('api_key_id', '=', apiKeyId)
      .returning('remaining')
      .executeTakeFirstOrThrow();
    const difference = remaining - account.remaining;
    if (difference === 0) return;
    // A key may have overspent: its difference to the largest safe integer could not be stored exactly.
    if (remaining > BALANCE_MAX)
      throw new AppError('invalid-input', `The quota of a token cannot exceed ${BALANCE_MAX} points`);
    await trx.updateTable('key_account').set({ remaining }).where('api_key_id', '=', apiKeyId).execute();
    await trx
      .insertInto('ledger_entry')
      .values({
        created_at: nowSeconds(clock),
        kind: 'key-limit',
        ref: newRequestId(),
        user_id: userId,
        api_key_id: apiKeyId,
        user_amount: 0,
        key_amount: difference,
        note: '',
      })
      .execute();
  };

  return {
    setKeyRemaining,
    async keepHold(requestId) {
      if (!(await markLasting(trx, requestId))) await reserveAgain(trx, nowSeconds(clock), open?.get(requestId));
      lasting.add(requestId);
    },
    async releaseHold(requestId) {
      const hold = await removeLasting(trx, requestId);
      if (hold === undefined) return false;
      users.add(hold.user_id);
      if (hold.api_key_id !== null) keys.add(hold.api_key_id);
      givenBack.add(requestId);
      return true;
    },
    async raiseDiscrepancies(alarms) {
      const raised = await raiseDiscrepancies(trx, alarms, nowSeconds(clock));
      for (const { userId } of raised) users.add(userId);
    },
    async acknowledgeDiscrepancies(userId) {
      users.add(userId);
      await acknowledgeDiscrepancies(trx, userId, nowSeconds(clock));
    },
    async openUserAccount(userId) {
      await trx
        .insertInto('user_account')
        .values({ user_id: userId, balance: 0, held: 0, used: 0, requests: 0 })
        .execute();
    },
    async importAccount(account) {
      users.add(account.userId);
      await importAccount(trx, nowSeconds(clock), account);
    },
    importRecords: (records) => importRecords(trx, records),
    async openKeyAccount(apiKeyId, userId, remaining, used = 0) {
      await trx.insertInto('key_account').values({ api_key_id: apiKeyId, remaining: 0, held: 0, used }).execute();
      await setKeyRemaining(apiKeyId, userId, remaining);
    },
    async lockUserAccounts(userIds) {
      for (const user_id of userIds.toSorted((a, b) => a - b)) await addToHeld(trx, { user_id, api_key_id: null }, 0);
    },
    post(move) {
      users.add(move.userId);
      return postPoints(trx, nowSeconds(clock), move);
    },
  };
}

/** @returns the new balance */
async function postPoints(
  trx: Transaction<Schema>,
  now: number,
  { kind, ref, userId, amount, note, mayLeaveDebt = false, address = '' }: Posting,
): Promise<number> {
  if (amount > 0) await checkBalanceLimit(trx, userId, amount);
  const account = await trx
    .updateTable('user_account')
    .set((eb) => ({ balance: eb('balance', '+', amount) }))
    .where('user_id', '=', userId)
    .$if(amount < 0 && !mayLeaveDebt, (query) =>
      query.where((eb) => eb(eb('balance', '-', eb.ref('held')), '>=', -amount)),
    )
    .returning('balance')
    .executeTakeFirst();
  if (account === undefined) throw await insufficientBalanceError(trx, userId, -amount);
  const entry = await trx
    .insertInto('ledger_entry')
    .values({ created_at: now, kind, ref, user_id: userId, api_key_id: null, user_amount: amount, key_amount: 0, note })
    .onConflict((conflict) => conflict.doNothing())
    .returning('ref')
    .executeTakeFirst();
  if (entry === undefined) throw new AppError('conflict', 'This ledger entry already exists');
  await trx.insertInto('usage_record').values(buildRecord({ kind, userId, amount, note, address }, now)).execute();
  return account.balance;
}

async function insufficientBalanceError(trx: Transaction<Schema>, userId: number, amount: number): Promise<AppError> {
  const { balance, held } = await trx
    .selectFrom('user_account')
    .select(['balance', 'held'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return new AppError(
    'insufficient-balance',
    `${amount} points cannot be deducted: only ${balance - held} of the balance are available.`,
  );
}

/** @returns false when there is no such hold */
async function markLasting(trx: Transaction<Schema>, requestId: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('hold')
    .set({ lasting: 1, node_id: null })
    .where('request_id', '=', requestId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Inserts a hold that another node has ended as a lasting one. Like a late charge, it may leave a debt, and is not
 * taken once a repeated request has replaced this one.
 * @throws Error
 */
async function reserveAgain(trx: Transaction<Schema>, created_at: number, hold: Hold | undefined): Promise<void> {
  if (hold?.endsWithNode !== true) throw new Error('a hold that does not exist cannot outlive its request');
  const { requestId: request_id, userId: user_id, apiKeyId: api_key_id, limited, amount, idempotencyKey } = hold;
  // Locks accounts first, as commits do, to avoid deadlocks.
  await addToHeld(trx, { user_id, api_key_id }, amount);
  if (idempotencyKey !== undefined)
    await trx
      .selectFrom('idempotency_key')
      .select('request_id')
      .where((eb) => eb.and({ ...idempotencyKey, request_id }))
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Error('a repeated request has replaced this one'));
  await trx
    .insertInto('hold')
    .values({ request_id, user_id, api_key_id, limited: Number(limited), amount, created_at, lasting: 1 })
    .execute();
}

/** Returns undefined when there is no lasting hold. */
async function removeLasting(trx: Transaction<Schema>, requestId: string) {
  const found = await trx
    .selectFrom('hold')
    .select(['user_id', 'api_key_id'])
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  // Locks accounts before holds, as commits do, to avoid deadlocks.
  await addToHeld(trx, found, 0);
  const hold = await trx
    .deleteFrom('hold')
    .where('request_id', '=', requestId)
    .where('lasting', '=', 1)
    .returning(['user_id', 'api_key_id', 'amount'])
    .executeTakeFirst();
  if (hold !== undefined) await addToHeld(trx, hold, -hold.amount);
  return hold;
}

/** Changes the held points, which also locks the accounts. */
async function addToHeld(
  trx: Transaction<Schema>,
  { user_id, api_key_id }: { user_id: number; api_key_id: number | null },
  amount: number,
): Promise<void> {
  await trx
    .updateTable('user_account')
    .set((eb) => ({ held: eb('held', '+', amount) }))
    .where('user_id', '=', user_id)
    .execute();
  if (api_key_id !== null)
    await trx
      .updateTable('key_account')
      .set((eb) => ({ held: eb('held', '+', amount) }))
      .where('api_key_id', '=', api_key_id)
      .execute();
}

/** @throws AppError `invalid-input` */
async function checkBalanceLimit(trx: Transaction<Schema>, userId: number, amount: number): Promise<void> {
  const { balance } = await trx
    .selectFrom('user_account')
    .select('balance')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (balance + amount > BALANCE_MAX)
    throw new AppError('invalid-input', `A balance cannot exceed ${BALANCE_MAX} points`);
}

const recordTypeByKind = { 'top-up': 'top-up', refund: 'top-up', adjust: 'manage', gift: 'system' } as const;

function buildRecord(
  { kind, userId, amount, note, address }: Omit<Required<Posting>, 'ref' | 'mayLeaveDebt'>,
  now: number,
): NewUsageRecord {
  return {
    ...emptyRecord,
    request_id: newRequestId(),
    created_at: now,
    type: recordTypeByKind[kind],
    user_id: userId,
    quota: amount,
    address,
    content: note,
  };
}
