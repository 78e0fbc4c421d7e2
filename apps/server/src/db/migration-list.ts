import type { Migration } from 'kysely/migration';
import { up as foundation } from './migrations/0001-foundation.ts';
import { up as priceVersions } from './migrations/0002-price-versions.ts';
import { up as budgets } from './migrations/0003-budgets.ts';
import { up as routing } from './migrations/0004-routing.ts';
import { up as deadlines } from './migrations/0005-deadlines.ts';
import { up as usageDays } from './migrations/0006-usage-days.ts';
import { up as accounts } from './migrations/0007-accounts.ts';
import { up as dataKeys } from './migrations/0008-data-keys.ts';
import { up as auditChain } from './migrations/0009-audit-chain.ts';
import { up as mail } from './migrations/0010-mail.ts';
import { up as money } from './migrations/0011-money.ts';
import { up as dialects } from './migrations/0012-dialects.ts';
import { up as channelLimits } from './migrations/0013-channel-limits.ts';
import { up as channelTests } from './migrations/0014-channel-tests.ts';
import { up as catalogue } from './migrations/0015-catalogue.ts';
import { up as scheduledTests } from './migrations/0016-scheduled-tests.ts';
import { up as fetchesAndOtherModels } from './migrations/0017-fetches-and-other-models.ts';
import { up as analytics } from './migrations/0018-analytics.ts';
import { up as impersonation } from './migrations/0019-impersonation.ts';
import { up as operations } from './migrations/0020-operations.ts';
import { up as conversations } from './migrations/0021-conversations.ts';
import { up as modelDetails } from './migrations/0022-model-details.ts';
import { up as tasks } from './migrations/0023-tasks.ts';
import { up as alerts } from './migrations/0024-alerts.ts';
import { up as telegramBot } from './migrations/0025-telegram-bot.ts';
import { up as contentSafety } from './migrations/0026-content-safety.ts';
import { up as taskCallbacks } from './migrations/0027-task-callbacks.ts';
import { up as batches } from './migrations/0028-batches.ts';
import { up as storedArtifacts } from './migrations/0029-stored-artifacts.ts';
import { up as vendorBatches } from './migrations/0030-vendor-batches.ts';
import { up as imports } from './migrations/0031-imports.ts';
import { up as nodes } from './migrations/0032-nodes.ts';
import { up as workOfSeveralNodes } from './migrations/0033-work-of-several-nodes.ts';
import { up as monthsOfRecords } from './migrations/0034-months-of-records.ts';
import { up as shippedRecords } from './migrations/0035-shipped-records.ts';
import { up as versionsOfNodes } from './migrations/0036-versions-of-nodes.ts';
import { up as coarseSlices } from './migrations/0037-coarse-slices.ts';
import { up as missingRates } from './migrations/0038-missing-rates.ts';
import { up as sitesOfCallbacks } from './migrations/0039-sites-of-callbacks.ts';
import { up as countsOfBatches } from './migrations/0040-counts-of-batches.ts';
import { up as idempotencyUsage } from './migrations/0041-idempotency-usage.ts';
import { up as keysDisabledByStaff } from './migrations/0042-keys-disabled-by-staff.ts';
import { up as liveKeys } from './migrations/0043-live-keys.ts';
import { up as keysThatChooseChannels } from './migrations/0044-keys-that-choose-channels.ts';
import { up as paymentsOfRefunds } from './migrations/0045-payments-of-refunds.ts';
import { up as piecesOfBatchLines } from './migrations/0046-pieces-of-batch-lines.ts';
import { up as pricesAndIndexes } from './migrations/0047-prices-and-indexes.ts';

/** Migrations in order. New ones are only appended. Databases record the keys, which never change. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
  '0002-price-versions': { up: priceVersions },
  '0003-budgets': { up: budgets },
  '0004-routing': { up: routing },
  '0005-deadlines': { up: deadlines },
  '0006-usage-days': { up: usageDays },
  '0007-accounts': { up: accounts },
  '0008-data-keys': { up: dataKeys },
  '0009-audit-chain': { up: auditChain },
  '0010-mail': { up: mail },
  '0011-money': { up: money },
  '0012-dialects': { up: dialects },
  '0013-channel-limits': { up: channelLimits },
  '0014-channel-tests': { up: channelTests },
  '0015-catalogue': { up: catalogue },
  '0016-scheduled-tests': { up: scheduledTests },
  '0017-fetches-and-other-models': { up: fetchesAndOtherModels },
  '0018-analytics': { up: analytics },
  '0019-impersonation': { up: impersonation },
  '0020-operations': { up: operations },
  '0021-conversations': { up: conversations },
  '0022-model-details': { up: modelDetails },
  '0023-tasks': { up: tasks },
  '0024-alerts': { up: alerts },
  '0025-telegram-bot': { up: telegramBot },
  '0026-content-safety': { up: contentSafety },
  '0027-task-callbacks': { up: taskCallbacks },
  '0028-batches': { up: batches },
  '0029-stored-works': { up: storedArtifacts },
  '0030-vendor-batches': { up: vendorBatches },
  '0031-imports': { up: imports },
  '0032-nodes': { up: nodes },
  '0033-work-of-several-nodes': { up: workOfSeveralNodes },
  '0034-months-of-records': { up: monthsOfRecords },
  '0035-shipped-records': { up: shippedRecords },
  '0036-versions-of-nodes': { up: versionsOfNodes },
  '0037-coarse-slices': { up: coarseSlices },
  '0038-missing-rates': { up: missingRates },
  '0039-sites-of-callbacks': { up: sitesOfCallbacks },
  '0040-counts-of-batches': { up: countsOfBatches },
  '0041-idempotency-usage': { up: idempotencyUsage },
  '0042-keys-disabled-by-staff': { up: keysDisabledByStaff },
  '0043-live-keys': { up: liveKeys },
  '0044-keys-that-choose-channels': { up: keysThatChooseChannels },
  '0045-payments-of-refunds': { up: paymentsOfRefunds },
  '0046-pieces-of-batch-lines': { up: piecesOfBatchLines },
  '0047-prices-and-indexes': { up: pricesAndIndexes },
};
