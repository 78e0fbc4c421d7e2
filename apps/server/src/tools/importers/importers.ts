/**
 * Takes other installations over: a reader makes an `Installation` of what is there, and one writer brings it in, all of
 * it or nothing. What came over is noted, so that another run brings only what is new.
 */
import { appendEntry } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { summariseDays } from '../../usage/usage-records/usage-records.ts';
import type { Installation } from './installation.ts';
import { proposeSettings } from './proposals.ts';
import type { Report } from './report.ts';
import { type Run, readImportMap, type Target } from './run.ts';
import { writeGroups } from './write-groups.ts';
import { writeCodes, writeOrders } from './write-history.ts';
import { writeKeys } from './write-keys.ts';
import { writeLogs } from './write-logs.ts';
import { writeChannels, writePrices } from './write-offers.ts';
import { writeUsers } from './write-users.ts';

export { createAskProxy } from './ask-proxy.ts';
export { readFamily } from './family.ts';
export type { Installation } from './installation.ts';
export { readLiteLlm } from './litellm.ts';
export { type ProductName, productNames } from './product-names.ts';
export { Report } from './report.ts';
export type { Target } from './run.ts';
export { openSourceTables } from './source-tables.ts';

export interface TakeOver {
  /** Operator's name for the installation; identifies what earlier runs imported. */
  source: string;
  /** Writes nothing, and reports the same. */
  dryRun: boolean;
  /** Number of days of call records to import; 0: none. */
  logDays: number;
}

/** Ends the transaction of a dry run. */
class NothingIsWritten extends Error {}

/** @throws when something could not be written; nothing is then */
export async function takeOver(
  target: Target,
  installation: Installation,
  report: Report,
  { source, dryRun, logDays }: TakeOver,
): Promise<void> {
  try {
    await target.ledger.transaction(async (trx, moves) => {
      const map = await readImportMap(trx, source);
      const run: Run = { target, trx, moves, map, report, now: nowSeconds(target.clock) };
      const symbolOf = await writeGroups(run, installation);
      await writeUsers(run, installation.users, symbolOf);
      await writeKeys(run, installation.keys, symbolOf);
      await writeChannels(run, installation.channels, symbolOf);
      await writePrices(run, installation.prices);
      await writeCodes(run, installation.codes);
      await writeOrders(run, installation.orders);
      if (logDays > 0) await writeLogs(run, installation, logDays);
      proposeSettings(run, installation);
      if (dryRun) throw new NothingIsWritten();
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
    if (error instanceof NothingIsWritten) return;
    throw error;
  }
  // Of days that are not added up the log finds only what was charged here. What fails is done by the job, once there is one.
  await summariseDays(target).catch(() => {});
}
