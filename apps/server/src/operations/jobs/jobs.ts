/** Jobs that run at fixed intervals, one at a time. A failed job is logged and runs again at its next time. */

import { removeExpiredArtifacts } from '../../artifacts/artifacts.ts';
import { pollOrders, pollRefunds } from '../../billing/orders/orders.ts';
import { refreshCatalogue } from '../../catalog/catalogue/catalogue.ts';
import { getMissingRates } from '../../catalog/prices/prices.ts';
import { getAttemptCounter } from '../../channels/attempt-stats/attempt-stats.ts';
import { runScheduledTests } from '../../channels/tests/channel-tests.ts';
import type { Context } from '../../context.ts';
import { updateHourRollups } from '../../usage/analytics/analytics.ts';
import { exportToClickhouse, updateDayRollups, writeGroupRollups } from '../../usage/usage-records/usage-records.ts';
import { startDeliveryQueue } from '../alerts/alerts.ts';
import { getSafetyCounter } from '../content-safety/content-safety.ts';
import { reencryptSecrets } from '../data-keys/data-keys.ts';
import { startMailDelivery } from '../mail/mail.ts';
import { type Job, startSchedule } from '../scheduler/scheduler.ts';
import { checkCertificates, checkVersion } from '../system-info/system-info.ts';
import { startTelegram } from '../telegram/telegram.ts';
import { checkAuditLog, checkLedger } from './check-ledger.ts';
import { checkNotificationConditions, notifyLowBalances } from './check-notification-conditions.ts';
import { recoverChannels } from './recover-channels.ts';
import { resetFutureDueTimes } from './reset-future-due-times.ts';
import { removeOldRecords, retentionJobs } from './retention.ts';
import { runScheduledBackup } from './run-scheduled-backup.ts';
import { storeStatements } from './store-statements.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

const jobs: readonly Job[] = [
  { name: 'ask-about-orders', everyMs: 10 * SECOND_MS, run: pollOrders },
  { name: 'ask-about-refunds', everyMs: 10 * SECOND_MS, run: pollRefunds },
  { name: 'recover-channels', everyMs: 5 * MINUTE_MS, run: recoverChannels },
  {
    name: 'write-channel-hours',
    everyMs: MINUTE_MS,
    onEachNode: true,
    run: (ctx) => getAttemptCounter(ctx).write(),
  },
  {
    name: 'write-safety-days',
    everyMs: MINUTE_MS,
    onEachNode: true,
    run: (ctx) => getSafetyCounter(ctx).write(),
  },
  {
    name: 'write-missing-rates',
    everyMs: MINUTE_MS,
    onEachNode: true,
    run: (ctx) => getMissingRates(ctx).write(),
  },
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
 * @returns a function that stops them, and waits for those that are running
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
