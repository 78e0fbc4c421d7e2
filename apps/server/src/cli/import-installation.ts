import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { fillEmptyDatabase } from '../features/set-up/set-up.ts';
import { loadSettings } from '../features/settings/settings.ts';
import {
  openSourceTables,
  type ProductName,
  productNames,
  Report,
  readFamily,
  type TakeOver,
  takeOver,
} from '../imports/imports.ts';
import { openLedger } from '../ledger/ledger.ts';
import { openStorage } from '../open-storage.ts';
import { createChanges } from '../platform/changes.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLog } from '../platform/log.ts';
import type { Command } from './command.ts';

const ALL_DAYS = 36_500;

interface Order extends TakeOver {
  product: ProductName;
  from: string;
}

/** Refuses while a server runs: it would not know what came over. */
export const importInstallation: Command = {
  syntax: `${productNames.join('|')} --from <file or address> [--dry-run] [--logs <days>|all] [--name <name>]`,
  summary: 'takes another installation over; stop the server first',
  async run(config, parameters) {
    const order = readOrder(config, parameters);
    const report = new Report();
    const tables = await openSourceTables(order.from);
    try {
      const installation = await readFamily(tables, order.product, report);
      await inDataFolder(config, order.dryRun, async (folder) => {
        const { db, vault, close } = await openTarget(folder);
        try {
          const ledger = openLedger(db, systemClock, silentLog);
          try {
            const settings = await loadSettings(db.writer, vault, silentLog);
            await takeOver({ ledger, vault, clock: systemClock, settings }, installation, report, order);
          } finally {
            await ledger.close();
          }
        } finally {
          await close();
        }
      });
    } finally {
      await tables.close();
    }
    if (order.dryRun) console.log('Nothing was written: this was a dry run.\n');
    for (const line of report.lines()) console.log(line);
    return 0;
  },
};

function readOrder(config: Config, parameters: readonly string[]): Order {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      logs: { type: 'string', default: '0' },
      name: { type: 'string' },
    },
  });
  const [name] = positionals;
  const product = productNames.find((known) => known === name);
  if (product === undefined || positionals.length > 1)
    throw new Error(`Name what to take over: ${productNames.join(', ')}`);
  const from = values.from ?? config.importFrom;
  if (from === undefined) throw new Error('Say where it is: --from, or IMPORT_FROM in the environment');
  const logDays = values.logs === 'all' ? ALL_DAYS : Number(values.logs);
  if (!Number.isSafeInteger(logDays) || logDays < 0 || logDays > ALL_DAYS)
    throw new Error('--logs is a whole number of days, or all');
  const source = values.name ?? product;
  if (!/^[\w.-]{1,40}$/.test(source)) throw new Error('--name has letters, digits, dots and dashes only');
  return { product, from, source, dryRun: values['dry-run'], logDays };
}

/** A dry run leaves no data folder behind where there was none. */
async function inDataFolder(
  config: Config,
  dryRun: boolean,
  work: (config: Config) => Promise<void>,
): Promise<void> {
  if (!dryRun || existsSync(join(config.dataDir, 'switchyard.db'))) return work(config);
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-dry-run-'));
  try {
    await work({ ...config, dataDir });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function openTarget(config: Config) {
  const { folder, vault, db } = await openStorage(config, systemClock, silentLog);
  const close = async (): Promise<void> => {
    await db.close();
    folder.release();
  };
  try {
    await fillEmptyDatabase({ db, clock: systemClock, changes: createChanges() });
  } catch (error) {
    await close();
    throw error;
  }
  return { vault, db, close };
}
