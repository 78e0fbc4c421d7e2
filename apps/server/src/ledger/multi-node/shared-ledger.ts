/**
 * Ledger of several nodes, none of which caches balances: the transaction that writes a hold decides it by the rows
 * that it has locked. Writes, arithmetic and rows are those of the single-node ledger.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Database, PostgresEngine } from '../../db/open-database.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { createRepeatedErrorLog, type Log } from '../../platform/log.ts';
import type { Schema } from '../../schema.ts';
import { parseHold } from '../abandoned-holds.ts';
import type { Budget } from '../budgets/read-budgets-and-charges.ts';
import { openOutbox } from '../commit/outbox.ts';
import { toUnavailable } from '../commit/storage-failure.ts';
import { commitWrite } from '../commit/submit-write.ts';
import { createAccounts, type Shortage } from '../ledger-accounts.ts';
import type { HoldResult, Ledger } from '../ledger-interface.ts';
import { createLedgerRequestMethods } from '../ledger-request-methods.ts';
import type { Hold, HoldSettlement } from '../ledger-write-types.ts';
import { createOpenHolds, type OpenHolds, rejectDoubtfulHold } from '../open-holds.ts';
import { createPostings } from '../postings.ts';
import { createExcessHold } from '../settle-in-memory.ts';
import { createSettlements, type SettlementMemory, type Settlements } from '../settlements.ts';
import { type CommitQueue, type CommitResult, createCommitQueue, type MissingHold } from './commit-queue.ts';
import { listReferences } from './late-charge.ts';
import { readAccounts } from './locked-rows.ts';
import { joinNodes, type NodeLease } from './node-lease.ts';
import { createSharedSpend } from './shared-channel-spend.ts';

/** Placeholder: all decisions use the rows. */
const noCache: SettlementMemory = { settle: (end) => end, retry: (end) => end, forget() {}, forgetAll() {} };

export async function openSharedLedger(
  { writer, machine }: Database,
  engine: PostgresEngine,
  clock: Clock,
  log: Log,
  dataDir: string,
): Promise<Ledger> {
  const { pool } = engine;
  const commits = createCommitQueue(pool, { clock, machine }, (end, how) => {
    reportLateCharge(pool, end, how, log).catch((error: unknown) =>
      log.error({ err: error, request_id: end.hold.requestId }, 'a late settlement could not be checked'),
    );
  });
  const journal = openOutbox(dataDir, log);
  const logError = createRepeatedErrorLog(log, clock);
  const ends = createSettlements(noCache, commits, { timers: clock, log, logError, outbox: journal });
  const channels = await createSharedSpend(pool, { clock, machine, log, flushed: () => commits.flush() });
  const node = await joinNodes(engine, { clock, machine, log }, (end) =>
    commitWrite(commits, end).then((decision) => {
      // Another node may have ended the hold first.
      if (end.type === 'settle' && decision !== 'gone') channels.add(end.record);
    }),
  );
  const open = createOpenHolds([], clock);
  for (const end of journal.pending) ends.resume(end);

  const holds = createHolds(commits, ends, open, { clock, node });
  const { end, ...requests } = createLedgerRequestMethods({ commits, ends, open, channels, logError });

  return {
    ...requests,

    async hold(hold) {
      // A lasting hold may have been taken by a node that is gone.
      const before = hold.lasting === true ? await readLastingHold(pool, hold.requestId) : open.get(hold.requestId);
      return before === undefined ? holds.first(hold) : holds.raise(hold, before);
    },

    async findShortage(hold) {
      // A hold whose release is being written must count as released.
      await commits.flush();
      return readShortage(pool, clock, hold);
    },

    async settleLasting(requestId, record, charge, ordered) {
      const hold = await readLastingHold(pool, requestId);
      const more = hold && createExcessHold(hold, charge);
      const isShort = more !== undefined && (await readShortage(pool, clock, more)) !== undefined;
      const last = isShort && ordered !== undefined ? ordered : { charge, record };
      await end(hold, last.record, last.charge);
      // Another call, possibly on another node, may have ended it first.
      return ends.unwrittenCharge(requestId) ?? (await readCharge(pool, requestId));
    },

    async resume(requestId) {
      const hold = await readLastingHold(pool, requestId);
      if (hold !== undefined) open.set(hold);
    },

    async transaction(work) {
      const moves = createPostings(clock, open);
      // As on a single node, the transaction must see earlier writes.
      await commits.flush();
      const result = await inTransaction(writer, (trx) => work(trx, moves.within(trx)));
      for (const requestId of moves.lasting) open.take(requestId);
      return result;
    },

    async readAvailable(userId) {
      // A release that is being written must count.
      await commits.flush();
      return readAvailable(pool, userId);
    },
    readBudget: (userId, limitedKeyId) => readBudget(pool, userId, limitedKeyId),
    getChannelSpend: (channelId, period) => channels.usedIn(channelId, period),
    readCharge: async (requestId) => ends.unwrittenCharge(requestId) ?? (await readCharge(pool, requestId)),

    confirmHolds: () => node.confirm(),
    onLeaseLost: (callback) => node.onLeaseLost(callback),

    get openHolds() {
      return open.running;
    },

    async close() {
      ends.close();
      await commits.flush();
      await channels.close();
      await node.leave();
    },
  };
}

function createHolds(
  commits: CommitQueue,
  ends: Settlements,
  open: OpenHolds,
  { clock, node }: { clock: Clock; node: NodeLease },
) {
  const first = async (hold: Hold): Promise<HoldResult> => {
    const movement = { type: 'hold', hold, createdAt: nowSeconds(clock), nodeId: node.id() } as const;
    const answer = toHoldResult(await commitWrite(commits, movement, (error) => ends.revert(hold, error)));
    if (answer.held && hold.lasting !== true) open.set({ ...hold, endsWithNode: hold.isSentAgain !== true });
    return answer;
  };
  const raise = async (hold: Hold, before: Hold): Promise<HoldResult> => {
    if (hold.amount <= before.amount) return { held: true };
    rejectDoubtfulHold(before);
    const by = hold.amount - before.amount;
    const decision = await commitWrite(commits, { type: 'raise', hold, by }, () => open.markDoubtful(before));
    const answer = toHoldResult(decision);
    if (answer.held && open.get(hold.requestId) !== undefined) open.set({ ...hold, endsWithNode: before.endsWithNode });
    return answer;
  };
  return { first, raise };
}

/**
 * Reports a settlement without a hold: of a node that lost its lease, or of a dead node, whose charges may have
 * been written before.
 */
async function reportLateCharge(
  pool: Pool,
  { hold: { requestId }, charge }: Extract<HoldSettlement, { type: 'settle' }>,
  how: MissingHold,
  log: Log,
): Promise<void> {
  if (how === 'charged late') {
    log.warn({ request_id: requestId, charge }, 'charged a response whose hold had been settled by another node');
    return;
  }
  const charged = await readCharge(pool, requestId);
  if (charged === charge) return;
  log.warn(
    { request_id: requestId, charge, charged: charged ?? 0 },
    'a settlement arrived after another node had settled its hold; its charge was not applied',
  );
}

/** @throws AppError `unavailable` when another node has ended the hold, because it considered this node dead */
function toHoldResult(decision: CommitResult): HoldResult {
  if (typeof decision === 'string')
    throw new AppError('unavailable', 'The gateway was interrupted while it reserved the cost of this request. Retry.');
  return decision === undefined ? { held: true } : { held: false, ...decision };
}

/** @throws AppError `unavailable` when the storage fails */
async function inTransaction<T>(writer: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  try {
    return await writer.transaction().execute(work);
  } catch (error) {
    throw toUnavailable(error);
  }
}

/** Resolves with the limit that would refuse the hold now. */
async function readShortage(pool: Pool, clock: Clock, hold: Hold): Promise<Shortage | undefined> {
  const rows = await readAccounts(pool, [hold], nowSeconds(clock));
  return createAccounts(rows, clock).findShortage(hold);
}

/** Reads points. */
async function readAvailable(pool: Pool, userId: number): Promise<number> {
  const { rows } = await pool.query<{ available: number }>(
    'select balance - held as available from user_account where user_id = $1',
    [userId],
  );
  return rows[0]?.available ?? 0;
}

async function readBudget(pool: Pool, userId: number, limitedKeyId: number | undefined): Promise<Budget> {
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
async function readCharge(pool: Pool, requestId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ charge: number }>(
    "select sum(-user_amount)::bigint as charge from ledger_entry where kind = 'charge' and ref = any($1) having count(*) > 0",
    [listReferences(requestId)],
  );
  return rows[0]?.charge;
}

async function readLastingHold(pool: Pool, requestId: string): Promise<Hold | undefined> {
  const { rows } = await pool.query<Record<string, unknown>>(
    'select request_id, user_id, api_key_id, limited, amount from hold where request_id = $1 and lasting = 1',
    [requestId],
  );
  return rows[0] === undefined ? undefined : parseHold(rows[0]);
}
