/** Work that nobody asks for: at fixed intervals, one at a time, each failure logged and tried again next time. */

import { removeGoneWorks } from '../../artifacts/artifacts.ts';
import { removeOldBatches } from '../../batches/batches.ts';
import { askAboutRefunds, askProcessors } from '../../billing/orders/orders.ts';
import { refreshCatalogue } from '../../catalog/catalogue/catalogue.ts';
import { missingRates } from '../../catalog/prices/prices.ts';
import { attemptCounts, removeOldHours } from '../../channels/attempt-stats/attempt-stats.ts';
import { removeOldTests, runScheduledTests } from '../../channels/tests/channel-tests.ts';
import type { Context } from '../../context.ts';
import { removeOldTasks } from '../../tasks/tasks.ts';
import { summariseHours } from '../../usage/analytics/analytics.ts';
import { shipRecords, summariseDays, sumUpGroups } from '../../usage/usage-records/usage-records.ts';
import { removeOldDeliveries, startDeliveries } from '../alerts/alerts.ts';
import { safetyCounts } from '../content-safety/content-safety.ts';
import { resealSecrets } from '../data-keys/data-keys.ts';
import { removeOldMail, startMailing } from '../mail/mail.ts';
import { type Job, startSchedule } from '../scheduler/scheduler.ts';
import { checkCertificates, checkVersion } from '../system-info/system-info.ts';
import { startTelegram } from '../telegram/telegram.ts';
import { checkAuditLog } from './check-audit-log.ts';
import { checkBooks } from './check-books.ts';
import { limitWaits } from './limit-waits.ts';
import { makeBackup } from './make-backup.ts';
import { notifyLowBalances } from './notify-low-balances.ts';
import { raiseAlerts } from './raise-alerts.ts';
import { recoverChannels } from './recover-channels.ts';
import { removeOldConversations } from './remove-old-conversations.ts';
import { removeOldIdempotencyKeys } from './remove-old-idempotency-keys.ts';
import { removeOldRecords } from './remove-old-records.ts';
import { removeOldResponses } from './remove-old-responses.ts';
import { removeOldSessions } from './remove-old-sessions.ts';
import { storeStatements } from './store-statements.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

const jobs: readonly Job[] = [
  { name: 'ask-about-orders', everyMs: 10 * SECOND_MS, run: askProcessors },
  { name: 'ask-about-refunds', everyMs: 10 * SECOND_MS, run: askAboutRefunds },
  { name: 'recover-channels', everyMs: 5 * MINUTE_MS, run: recoverChannels },
  {
    name: 'write-channel-hours',
    everyMs: MINUTE_MS,
    onEachNode: true,
    run: (ctx) => attemptCounts(ctx).write(),
  },
  {
    name: 'write-safety-days',
    everyMs: MINUTE_MS,
    onEachNode: true,
    run: (ctx) => safetyCounts(ctx).write(),
  },
  {
    name: 'write-missing-rates',
    everyMs: MINUTE_MS,
    onEachNode: true,
    run: (ctx) => missingRates(ctx).write(),
  },
  { name: 'remove-old-channel-hours', everyMs: 60 * MINUTE_MS, atStart: true, run: removeOldHours },
  { name: 'check-books', everyMs: 60 * MINUTE_MS, atStart: true, run: checkBooks },
  { name: 'check-audit-log', everyMs: 60 * MINUTE_MS, atStart: true, run: checkAuditLog },
  { name: 'check-certificates', everyMs: 60 * MINUTE_MS, atStart: true, run: checkCertificates },
  { name: 'check-version', everyMs: 24 * 60 * MINUTE_MS, atStart: true, onEachNode: true, run: checkVersion },
  { name: 'refresh-catalogue', everyMs: 60 * MINUTE_MS, atStart: true, run: refreshCatalogue },
  { name: 'make-backup', everyMs: 10 * MINUTE_MS, atStart: true, run: makeBackup },
  { name: 'remove-old-idempotency-keys', everyMs: 60 * MINUTE_MS, run: removeOldIdempotencyKeys },
  { name: 'remove-old-responses', everyMs: 10 * MINUTE_MS, run: removeOldResponses },
  { name: 'remove-old-conversations', everyMs: 60 * MINUTE_MS, atStart: true, run: removeOldConversations },
  // At other times than the check of the books, which keeps months from going while it reads.
  { name: 'remove-old-records', everyMs: 47 * MINUTE_MS, atStart: true, run: removeOldRecords },
  { name: 'remove-old-tasks', everyMs: 60 * MINUTE_MS, atStart: true, run: removeOldTasks },
  { name: 'remove-old-batches', everyMs: 60 * MINUTE_MS, atStart: true, run: removeOldBatches },
  { name: 'remove-gone-works', everyMs: 10 * MINUTE_MS, atStart: true, run: removeGoneWorks },
  { name: 'remove-old-mail', everyMs: 60 * MINUTE_MS, run: removeOldMail },
  { name: 'remove-old-sessions', everyMs: 60 * MINUTE_MS, run: removeOldSessions },
  { name: 'reseal-secrets', everyMs: 10 * MINUTE_MS, atStart: true, run: resealSecrets },
  { name: 'limit-waits', everyMs: 10 * MINUTE_MS, atStart: true, run: limitWaits },
  { name: 'test-channels', everyMs: MINUTE_MS, run: runScheduledTests },
  { name: 'remove-old-tests', everyMs: 60 * MINUTE_MS, atStart: true, run: removeOldTests },
  { name: 'store-statements', everyMs: 60 * MINUTE_MS, atStart: true, run: storeStatements },
  { name: 'tell-low-balances', everyMs: 5 * MINUTE_MS, run: notifyLowBalances },
  { name: 'raise-alerts', everyMs: MINUTE_MS, run: raiseAlerts },
  { name: 'remove-old-deliveries', everyMs: 60 * MINUTE_MS, atStart: true, run: removeOldDeliveries },
  { name: 'ship-records', everyMs: 10 * SECOND_MS, run: shipRecords },
  { name: 'summarise-days', everyMs: 10 * MINUTE_MS, run: summariseDays },
  { name: 'sum-up-groups', everyMs: 10 * MINUTE_MS, run: sumUpGroups },
  { name: 'summarise-hours', everyMs: 10 * MINUTE_MS, atStart: true, run: summariseHours },
];

/** And the queues of mails and alerts, and the Telegram bot. Returns what stops them; it waits for what is running. */
export function startJobs(ctx: Context): () => Promise<void> {
  const stops = [startSchedule(ctx, jobs), startMailing(ctx), startDeliveries(ctx), startTelegram(ctx)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await writeLastCounts(ctx);
  };
}

/** No request runs any more that would be counted. */
async function writeLastCounts(ctx: Context): Promise<void> {
  for (const counts of [attemptCounts(ctx), safetyCounts(ctx)])
    await counts
      .write()
      .catch((error: unknown) => ctx.log.error({ err: error }, 'the final counters could not be written'));
}
