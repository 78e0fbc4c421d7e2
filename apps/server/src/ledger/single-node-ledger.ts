/**
 * Ledger of a single node, which caches every balance: memory decides at once, and the next commit writes the
 * decision.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Database, SqliteEngine } from '../db/open-database.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { createRepeatedErrorLog, type Log } from '../platform/log.ts';
import { readLastingHolds, settleAbandonedHolds } from './abandoned-holds.ts';
import { createChannelSpend } from './budgets/channel-spend.ts';
import { createPeriodUsageReader } from './budgets/period-usage.ts';
import { createBudgetReader, createChargeReader } from './budgets/read-budgets-and-charges.ts';
import { createGroupCommit, type GroupCommit } from './commit/group-commit.ts';
import { openOutbox } from './commit/outbox.ts';
import { commitWrite } from './commit/submit-write.ts';
import { createTransactions } from './commit/transactions.ts';
import { type AccountRows, type Accounts, createAccounts } from './ledger-accounts.ts';
import type { HoldResult, Ledger } from './ledger-interface.ts';
import { createLedgerRequestMethods } from './ledger-request-methods.ts';
import type { Hold } from './ledger-write-types.ts';
import { createOpenHolds, type OpenHolds, rejectDoubtfulHold } from './open-holds.ts';
import { createExcessHold, redateIfLate, settleInMemory } from './settle-in-memory.ts';
import { createSettlements, type SettlementMemory, type Settlements } from './settlements.ts';

/**
 * Size of the outbox, for several thousand settlements: all that are pending when a disk is full. New requests are
 * refused then.
 */
const OUTBOX_BYTES = 4_194_304;

export function openSingleNodeLedger(
  { writer, machine }: Database,
  engine: SqliteEngine,
  clock: Clock,
  log: Log,
  dataDir: string,
): Ledger {
  const { connection } = engine;
  const accounts = createAccounts(readAccountRows(connection, clock), clock);
  const channels = createChannelSpend(connection, clock);
  const journal = openOutbox(dataDir, log, OUTBOX_BYTES);
  const noted = new Set(journal.pending.map(({ hold }) => hold.requestId));
  const ended = settleAbandonedHolds(connection, accounts, nowSeconds(clock), journal.pending, log);
  journal.setAside(ended.refused.filter(({ hold }) => noted.has(hold.requestId)));
  if (journal.pending.length > 0) journal.clear();
  if (ended.settled + ended.voided > 0)
    log.warn(
      { settled: ended.settled, voided: ended.voided },
      'settled the holds of requests that an earlier process did not finish',
    );

  const commits = createGroupCommit(engine, clock, machine);
  const open = createOpenHolds(readLastingHolds(connection), clock);
  const transactions = createTransactions(writer, clock, commits, accounts, open);
  const logError = createRepeatedErrorLog(log, clock);
  const ends = createSettlements(createMemory(accounts, clock), commits, {
    timers: clock,
    log,
    logError,
    outbox: journal,
  });
  const readBudget = createBudgetReader(connection);
  const readCharge = createChargeReader(connection);

  const holds = createHolds(accounts, commits, ends, open, clock);
  const { end, ...requests } = createLedgerRequestMethods({ commits, ends, open, channels, logError });

  let isForgetting = false;
  /** Empties a full memory once everything is committed: until then, it knows decisions that the rows lack. */
  const limitMemory = (): void => {
    if (isForgetting || !accounts.isFull) return;
    isForgetting = true;
    void commits.flush(() => {
      accounts.forgetAll();
      isForgetting = false;
    });
  };

  return {
    ...requests,

    async hold(hold) {
      limitMemory();
      const isHeld = open.get(hold.requestId) !== undefined;
      while (transactions.running !== undefined) await transactions.running;
      return isHeld ? holds.raise(hold) : holds.first(hold);
    },

    findShortage: async (hold) => accounts.findShortage(hold),

    async settleLasting(requestId, record, charge, ordered) {
      const hold = open.take(requestId, true);
      const more = hold && createExcessHold(hold, charge);
      const isShort = more !== undefined && accounts.findShortage(more) !== undefined;
      const last = isShort && ordered !== undefined ? ordered : { charge, record };
      await end(hold, last.record, last.charge);
      // Another call may have taken the hold, whose settlement is being written.
      if (hold === undefined) await commits.flush();
      return ends.unwrittenCharge(requestId) ?? readCharge(requestId);
    },
    resume: async (requestId) => open.resume(requestId),
    transaction: (work) => transactions.run(work),

    readAvailable: async (userId) => accounts.getAvailable(userId),
    readBudget: async (userId, limitedKeyId) => readBudget(userId, limitedKeyId),
    getChannelSpend: (channelId, period) => channels.usedIn(channelId, period),
    readCharge: async (requestId) => ends.unwrittenCharge(requestId) ?? readCharge(requestId),

    // SQLite has a single node.
    confirmHolds: () => undefined,
    onLeaseLost() {},

    get openHolds() {
      return open.running;
    },

    async close() {
      await transactions.running;
      ends.close();
      await commits.flush();
      await commits.sync();
      await commits.close();
      journal.close();
    },
  };
}

function createMemory(accounts: Accounts, clock: Clock): SettlementMemory {
  return {
    settle: (end) => settleInMemory(accounts, end),
    retry: (end) => redateIfLate(end, nowSeconds(clock)),
    forget({ userId, apiKeyId }) {
      accounts.forgetUser(userId);
      if (apiKeyId !== null) accounts.forgetKey(apiKeyId);
    },
    forgetAll: () => accounts.forgetAll(),
  };
}

function createHolds(
  accounts: Accounts,
  commits: GroupCommit,
  ends: Settlements,
  open: OpenHolds,
  clock: Clock,
): Record<'first' | 'raise', (hold: Hold) => Promise<HoldResult>> {
  const first = async (hold: Hold): Promise<HoldResult> => {
    const short = accounts.findShortage(hold);
    if (short !== undefined) return { held: false, ...short };
    accounts.reserve(hold, 1);
    await commitWrite(commits, { type: 'hold', hold, createdAt: nowSeconds(clock) }, (error) =>
      ends.revert(hold, error),
    );
    open.set(hold);
    return { held: true };
  };
  const raise = async (hold: Hold): Promise<HoldResult> => {
    const before = open.get(hold.requestId);
    if (before === undefined || hold.amount <= before.amount) return { held: true };
    rejectDoubtfulHold(before);
    const more = { ...hold, amount: hold.amount - before.amount };
    const short = accounts.findShortage(more);
    if (short !== undefined) return { held: false, ...short };
    accounts.reserve(more, 1);
    open.set(hold);
    await commitWrite(commits, { type: 'raise', hold, by: more.amount }, () => {
      accounts.forgetAll();
      open.markDoubtful(before);
    });
    return { held: true };
  };
  return { first, raise };
}

/** Reads account rows synchronously on the writing connection. */
function readAccountRows(connection: DatabaseSync, clock: Clock): AccountRows {
  const selectUser = connection.prepare(
    `select balance, held, exists (
       select 1 from ledger_alarm where ledger_alarm.user_id = user_account.user_id and acknowledged_at is null
     ) as alarmed from user_account where user_id = ?`,
  );
  const selectKey = connection.prepare('select remaining, held from key_account where api_key_id = ?');
  const readUse = createPeriodUsageReader(connection);
  return {
    user(userId) {
      const row = selectUser.get(userId);
      if (row === undefined) return undefined;
      return { balance: Number(row['balance']), held: Number(row['held']), hasDiscrepancy: row['alarmed'] === 1 };
    },
    key(apiKeyId) {
      const row = selectKey.get(apiKeyId);
      if (row === undefined) return undefined;
      const use = readUse(apiKeyId, nowSeconds(clock));
      return { remaining: Number(row['remaining']), held: Number(row['held']), use };
    },
  };
}
