/**
 * Imports other installations: a reader creates an `Installation`, and one writer stores it completely or not at all.
 * Imported rows are recorded, so that another run imports only new ones.
 */
import { settingDefinitions, settingFromText, settingToText } from '@switchyard/contract/operations/settings';
import { appendEntry } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { updateDayRollups } from '../../usage/usage-records/usage-records.ts';
import { type ImportRun, type ImportTarget, readImportMap } from './import-run-and-map.ts';
import type { ImportReport } from './report.ts';
import { requireSameInstallation } from './same-installation.ts';
import type { Installation } from './source-installation.ts';
import { writeChannels, writePrices } from './write-channels-and-prices.ts';
import { writeGroups } from './write-groups.ts';
import { writeKeys } from './write-keys.ts';
import { writeCodes, writeOrders } from './write-payment-history.ts';
import { writeLogs } from './write-usage-records.ts';
import { writeUsers } from './write-users.ts';

export type { ImportTarget } from './import-run-and-map.ts';
export { createProxyFetch, readLiteLlm } from './litellm.ts';
export { readFamily } from './one-api-family.ts';
export { ImportReport } from './report.ts';
export type { Installation } from './source-installation.ts';
export { type ProductName, productNames } from './source-installation.ts';
export { openSourceTables } from './source-tables.ts';

export interface ImportOptions {
  /** Operator's name for the installation; identifies what earlier runs imported. */
  source: string;
  /** Writes nothing, with the same report. */
  dryRun: boolean;
  /** Number of days of call records to import; 0: none. */
  logDays: number;
}

/** Error that rolls back the transaction of a dry run. */
class DryRunRollback extends Error {}

/** @throws if anything could not be written; then the import is rolled back */
export async function runImport(
  target: ImportTarget,
  installation: Installation,
  report: ImportReport,
  { source, dryRun, logDays }: ImportOptions,
): Promise<void> {
  try {
    await target.ledger.transaction(async (trx, moves) => {
      const map = await readImportMap(trx, source);
      const run: ImportRun = { target, trx, moves, map, report, now: nowSeconds(target.clock) };
      await requireSameInstallation(run, installation);
      const symbolOf = await writeGroups(run, installation);
      await writeUsers(run, installation.users, symbolOf);
      await writeKeys(run, installation.keys, symbolOf);
      await writeChannels(run, installation.channels, symbolOf);
      await writePrices(run, installation.prices);
      await writeCodes(run, installation.codes);
      await writeOrders(run, installation.orders);
      if (logDays > 0) await writeLogs(run, installation, logDays);
      proposeSettings(run, installation);
      if (dryRun) throw new DryRunRollback();
      await appendEntry(trx, target.vault, {
        created_at: run.now,
        user_id: null,
        action: 'cli.import',
        target: `installation:${source}`,
        detail: JSON.stringify({ users: report.counts('user').new, tokens: report.counts('key').new }),
        address: '',
        request_id: '',
      });
    });
  } catch (error) {
    if (error instanceof DryRunRollback) return;
    throw error;
  }
  // Until the imported days are summed up, the usage log shows only local charges. The job repeats a failed update.
  await updateDayRollups(target).catch(() => {});
}

/**
 * Settings with the same meaning in both products. They are only proposed, because the new site has a different name
 * until it replaces the old one.
 */
const sharedSettings = [
  'systemName',
  'logo',
  'footer',
  'notice',
  'about',
  'homePage',
  'topUpLink',
  'chatLink',
  'registerEnabled',
  'passwordRegister',
  'passwordLogin',
  'emailVerification',
  'emailDomainRestriction',
  'emailDomains',
  'quotaForNewUser',
  'quotaForInviter',
  'quotaForInvitee',
  'quotaPerUnit',
  'displayInCurrency',
  'preConsumedQuota',
  'retryTimes',
] as const;
const SHOWN_MAX = 200;

function proposeSettings({ target, report }: ImportRun, { options }: Installation): void {
  for (const name of sharedSettings) {
    const { option } = settingDefinitions[name];
    const text = options.get(option);
    const value = text === undefined ? undefined : toSettingValue(name, text);
    const here = settingToText(name, target.settings[name]);
    if (value === undefined || value === '' || value === here) continue;
    report.propose(`${option} = ${truncateValue(value)} (here: ${truncateValue(here)})`);
  }
}

/** Returns the text of a setting; undefined if the value does not fit the setting here. */
function toSettingValue(name: (typeof sharedSettings)[number], text: string): string | undefined {
  try {
    return settingToText(name, settingFromText(name, text));
  } catch {
    return undefined;
  }
}

function truncateValue(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
}
