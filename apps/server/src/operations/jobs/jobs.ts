/** Jobs that run at fixed intervals, one at a time. A failed job is logged and runs again at its next time. */

import { join } from 'node:path';
import type { Transaction } from 'kysely';
import { removeExpiredArtifacts } from '../../artifacts/artifacts.ts';
import { pollOrders, pollRefunds } from '../../billing/orders/orders.ts';
import { storeLastMonth } from '../../billing/statements/statements.ts';
import { refreshCatalogue } from '../../catalog/catalog-updates/catalog-updates.ts';
import { getMissingRates } from '../../catalog/prices/prices.ts';
import { getAttemptCounter } from '../../channels/attempt-stats/attempt-stats.ts';
import { runScheduledTests } from '../../channels/channel-tests/channel-tests.ts';
import { listAutoDisabledKeys, mustStayDisabled, recoverChannel } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { processItemsInChunks } from '../../db/process-in-chunks.ts';
import { findNewDiscrepancies, type LedgerDiscrepancy, verifyLedger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import { updateHourRollups } from '../../usage/analytics/analytics.ts';
import { exportToClickhouse, updateDayRollups, writeGroupRollups } from '../../usage/usage-records/usage-records.ts';
import { verifyAuditChain } from '../audit/audit.ts';
import { createScheduledBackup, readBackupSecrets } from '../backup/backup.ts';
import { getSafetyCounter } from '../content-safety/content-safety.ts';
import { reencryptSecrets } from '../data-keys/data-keys.ts';
import { startMailDelivery } from '../mail/mail.ts';
import { notifySite, startDeliveryQueue } from '../notifications/notifications.ts';
import { type Job, startSchedule } from '../scheduler/scheduler.ts';
import { checkCertificates, checkVersion } from '../system-info/system-info.ts';
import { startTelegram } from '../telegram/telegram.ts';
import { checkNotificationConditions, notifyLowBalances } from './check-notification-conditions.ts';
import { resetFutureDueTimes } from './reset-future-due-times.ts';
import { removeOldRecords, retentionJobs } from './retention.ts';

/**
 * Recomputes the ledger. A user with a discrepancy cannot spend until an administrator has acknowledged it; nothing
 * is repaired.
 */
export async function checkLedger(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const { alarms, problems } = await ctx.db.readLongRunning(verifyLedger);
  const difference = alarms.reduce((sum, alarm) => sum + Math.abs(alarm.difference), 0);
  ctx.metrics.booksDifference.set([], difference);
  ctx.metrics.booksProblems.set([], problems.length);
  const raised = await findNewDiscrepancies(ctx.db, alarms, stopping);
  if (raised.length === 0) return;
  const users = [...new Set(raised.map(({ userId }) => userId))];
  let isNotified = false;
  const raise = (chunk: readonly LedgerDiscrepancy[]): Promise<void> =>
    ctx.ledger.transaction(async (trx, moves) => {
      await moves.raiseDiscrepancies(chunk);
      // With the first chunk, so that an interruption between the chunks can't lose it.
      if (!isNotified) await notifyOfDiscrepancies(ctx, users, trx);
      isNotified = true;
    });
  // Before the users are locked, so that an interruption between the chunks can't lose it.
  ctx.log.error(
    { discrepancies: raised.length, users: users.length, first: raised.slice(0, LOGGED_MAX) },
    'the ledger check found discrepancies; their users are locked until an administrator acknowledges them',
  );
  await processItemsInChunks(ctx.db.machine, raised, RAISED_PER_CHUNK, raise, stopping);
}

async function notifyOfDiscrepancies(ctx: Context, users: readonly number[], trx: Transaction<Schema>): Promise<void> {
  const named = await trx.selectFrom('user').select('username').where('id', 'in', users.slice(0, NAMES_MAX)).execute();
  const usernames = named.map(({ username }) => username);
  await notifySite(ctx, 'books-differ', { usernames: usernames.join(', ') }, trx);
}

/** Verifies the audit log; nothing is repaired. @throws Error when it was modified outside of this server */
export async function checkAuditLog(ctx: Context): Promise<void> {
  const { entries, brokenId } = await verifyAuditChain(ctx);
  if (brokenId === null) return;
  ctx.log.error({ entries, broken_id: brokenId }, 'the audit log was modified outside of this server');
  throw new Error(`Entry ${brokenId} of the audit log was modified outside of this server`);
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Maximum usernames in a notification. */
const NAMES_MAX = 20;
/** Maximum discrepancies in a log line. */
const LOGGED_MAX = 20;
/** Discrepancies of a transaction, each of which is a statement. */
const RAISED_PER_CHUNK = 50;

const jobs: readonly Job[] = [
  { name: 'ask-about-orders', everyMs: 10 * SECOND_MS, run: pollOrders },
  { name: 'ask-about-refunds', everyMs: 10 * SECOND_MS, run: pollRefunds },
  { name: 'recover-channels', everyMs: 5 * MINUTE_MS, run: recoverChannels },
  { name: 'write-channel-hours', everyMs: MINUTE_MS, onEachNode: true, run: (ctx) => getAttemptCounter(ctx).write() },
  { name: 'write-safety-days', everyMs: MINUTE_MS, onEachNode: true, run: (ctx) => getSafetyCounter(ctx).write() },
  { name: 'write-missing-rates', everyMs: MINUTE_MS, onEachNode: true, run: (ctx) => getMissingRates(ctx).write() },
  { name: 'check-books', everyMs: 60 * MINUTE_MS, atStart: true, run: checkLedger },
  { name: 'check-audit-log', everyMs: 60 * MINUTE_MS, atStart: true, run: checkAuditLog },
  { name: 'check-certificates', everyMs: 60 * MINUTE_MS, atStart: true, run: checkCertificates },
  { name: 'check-version', everyMs: 24 * 60 * MINUTE_MS, atStart: true, onEachNode: true, run: checkVersion },
  { name: 'refresh-catalogue', everyMs: 60 * MINUTE_MS, atStart: true, run: refreshCatalogue },
  { name: 'make-backup', everyMs: 10 * MINUTE_MS, atStart: true, run: runScheduledBackup },
  ...retentionJobs,
  // Not at the times of the ledger check, whose long read would block the removal of months.
  { name: 'remove-old-records', everyMs: 47 * MINUTE_MS, atStart: true, run: removeOldRecords },
  { name: 'remove-gone-works', everyMs: 10 * MINUTE_MS, atStart: true, run: removeExpiredArtifacts },
  { name: 'reseal-secrets', everyMs: 10 * MINUTE_MS, atStart: true, run: reencryptSecrets },
  { name: 'limit-waits', everyMs: 10 * MINUTE_MS, atStart: true, run: resetFutureDueTimes },
  { name: 'test-channels', everyMs: MINUTE_MS, run: runScheduledTests },
  { name: 'store-statements', everyMs: 60 * MINUTE_MS, atStart: true, run: storeStatements },
  { name: 'tell-low-balances', everyMs: 5 * MINUTE_MS, run: notifyLowBalances },
  { name: 'raise-alerts', everyMs: MINUTE_MS, run: checkNotificationConditions },
  { name: 'ship-records', everyMs: 10 * SECOND_MS, run: exportToClickhouse },
  { name: 'summarise-days', everyMs: 10 * MINUTE_MS, run: updateDayRollups },
  { name: 'sum-up-groups', everyMs: 10 * MINUTE_MS, run: writeGroupRollups },
  { name: 'summarise-hours', everyMs: 10 * MINUTE_MS, atStart: true, run: updateHourRollups },
];

/**
 * Starts the jobs, the queues of mails and notifications, and the Telegram bot.
 * @returns a function that stops them, and waits for those that are running, for jobs a moment only
 */
export function startJobs(ctx: Context): () => Promise<void> {
  const stops = [startSchedule(ctx, jobs), startMailDelivery(ctx), startDeliveryQueue(ctx), startTelegram(ctx)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await flushCounters(ctx);
  };
}

/** Writes the counters once more, after the last request has ended. */
async function flushCounters(ctx: Context): Promise<void> {
  for (const counts of [getAttemptCounter(ctx), getSafetyCounter(ctx)])
    await counts
      .write()
      .catch((error: unknown) => ctx.log.error({ err: error }, 'the final counters could not be written'));
}

/** Stores last month's statements if the settings ask for them. */
export async function storeStatements(ctx: Context): Promise<void> {
  if (ctx.settings.monthlyStatements) await storeLastMonth(ctx);
}

/** @throws on PostgreSQL, so that operators do not rely on backups that are not made */
export async function runScheduledBackup(ctx: Context, stopping: AbortSignal, also?: 'not due'): Promise<void> {
  const { backupHours, backupHour, backupsKept } = ctx.settings;
  if (backupHours === 0 && also === undefined) return;
  const { engine } = ctx.db;
  if (engine.kind === 'postgres')
    throw new Error(
      'Scheduled backups do not support PostgreSQL. Turn them off, and use pg_dump or point-in-time recovery.',
    );
  const file = await createScheduledBackup(
    {
      databaseFile: engine.file,
      folder: join(ctx.config.dataDir, 'backups', 'scheduled'),
      secrets: readBackupSecrets(ctx.config),
      now: nowSeconds(ctx.clock),
      everyHours: backupHours,
      atHour: backupHour,
      keep: backupsKept,
    },
    stopping,
    also,
  );
  if (file !== undefined) ctx.log.info({ file }, 'made a backup');
}

/** Re-enables each auto-disabled channel and key that is usable again, if the settings allow it. */
export async function recoverChannels(ctx: Context, stopping?: AbortSignal): Promise<void> {
  if (!ctx.settings.automaticEnableChannel) return;
  const channels = await ctx.db.writer
    .selectFrom('channel')
    .select('id')
    .where('status', '=', 'auto-disabled')
    .where('deleted_time', 'is', null)
    .execute();
  const recover = async (id: number, keyId?: string): Promise<void> => {
    stopping?.throwIfAborted();
    if (!(await mustStayDisabled(ctx, id))) await recoverAndLog(ctx, id, keyId);
  };
  for (const { id } of channels) await recover(id);
  for (const { channelId, keyId } of await listAutoDisabledKeys(ctx)) await recover(channelId, keyId);
}

/** Logs a failed test instead of throwing, so that it does not prevent the others. */
async function recoverAndLog(ctx: Context, channel: number, key?: string): Promise<void> {
  try {
    const recovery = await recoverChannel(ctx, channel, key);
    ctx.log.info({ channel, key, ...recovery }, 'tested an auto-disabled channel or key');
  } catch (error) {
    ctx.log.error({ err: error, channel, key }, 'an auto-disabled channel or key could not be tested');
  }
}
