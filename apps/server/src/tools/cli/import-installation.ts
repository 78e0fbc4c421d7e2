import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillEmptyDatabase } from '../../accounts/set-up/set-up.ts';
import type { Config } from '../../config.ts';
import { getDatabaseFile } from '../../db/open-database.ts';
import { notifyAllTopics } from '../../db/postgres/change-broadcast.ts';
import { openLedger } from '../../ledger/ledger.ts';
import { openStorage } from '../../open-storage.ts';
import { loadSettings } from '../../operations/settings/settings.ts';
import { createChanges } from '../../platform/change-subscriptions.ts';
import { escapeControlCharacters } from '../../platform/escape-terminal-text.ts';
import { silentLog } from '../../platform/log.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import {
  createProxyFetch,
  type ImportOptions,
  ImportReport,
  type Installation,
  openSourceTables,
  productNames,
  readFamily,
  readLiteLlm,
  runImport,
} from '../importers/importers.ts';
import { type Command, readParameters, requireNoRunningServer } from './command-and-database-access.ts';

const ALL_DAYS = 36_500;

const LITELLM = 'litellm';
const sources = [...productNames, LITELLM] as const;

interface ImportOrder extends ImportOptions {
  product: (typeof sources)[number];
  from: string;
}

/** Imports another installation. Rejected while a server runs, because it would not notice the imported rows. */
export const importCommand: Command = {
  syntax: `${sources.join('|')} --from <file or address> [--dry-run] [--logs <days>|all] [--name <name>]`,
  summary: 'imports another installation; stop the server first',
  async run(config, parameters) {
    const order = readImportOptions(config, parameters);
    const report = new ImportReport();
    const source = await openSource(config, order);
    try {
      const installation = await source.read(report);
      await withDataFolder(config, order.dryRun, async (folder) => {
        const { db, vault, clock, changes, close } = await openTarget(folder);
        try {
          const ledger = await openLedger(db, clock, silentLog, folder.dataDir);
          try {
            const settings = await loadSettings(db.writer, vault, silentLog);
            await runImport({ db, ledger, vault, clock, changes, settings }, installation, report, order);
            // A node may have started during the import and read the earlier rows.
            if (!order.dryRun && db.engine.kind === 'postgres') await notifyAllTopics(db.engine.pool);
          } finally {
            await ledger.close();
          }
        } finally {
          await close();
        }
      });
    } finally {
      await source.close();
    }
    if (order.dryRun) console.log('Nothing was written: this was a dry run.\n');
    // Users of the other installation chose their names.
    for (const line of report.lines()) console.log(escapeControlCharacters(line));
    return 0;
  },
};

function readImportOptions(config: Config, parameters: readonly string[]): ImportOrder {
  const { values, positionals } = readParameters(
    parameters,
    {
      from: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      logs: { type: 'string', default: '0' },
      name: { type: 'string' },
    },
    1,
  );
  const [name] = positionals;
  const product = sources.find((known) => known === name);
  if (product === undefined) throw new Error(`Name the product to import from: ${sources.join(', ')}`);
  const from = values.from ?? config.importFrom;
  if (from === undefined) throw new Error('Name the source: --from, or IMPORT_FROM in the environment');
  const logDays = values.logs === 'all' ? ALL_DAYS : Number(values.logs);
  if (!Number.isSafeInteger(logDays) || logDays < 0 || logDays > ALL_DAYS)
    throw new Error('--logs must be a whole number of days, or all');
  const source = values.name ?? product;
  if (!/^[\w.-]{1,40}$/.test(source)) throw new Error('--name can contain only letters, digits, dots and dashes');
  if (product === LITELLM && logDays > 0) throw new Error('The logs of a LiteLLM proxy cannot be imported');
  return { product, from, source, dryRun: values['dry-run'], logDays };
}

interface ImportSourceReader {
  read(report: ImportReport): Promise<Installation>;
  close(): Promise<void>;
}

async function openSource(config: Config, { product, from }: ImportOrder): Promise<ImportSourceReader> {
  if (product === LITELLM) return openProxy(config, from);
  const tables = await openSourceTables(from);
  return { read: (report) => readFamily(tables, product, report), close: () => tables.close() };
}

/** Opens the proxy. The operator named its address, so it may be internal. */
function openProxy({ importKey, outboundAllow }: Config, from: string): ImportSourceReader {
  if (importKey === undefined) throw new Error('Set IMPORT_KEY to the master key of the proxy');
  if (!URL.canParse(from) || !/^https?:$/.test(new URL(from).protocol))
    throw new Error('The address of a LiteLLM proxy must begin with https:// or http://');
  const outbound = createOutbound([...outboundAllow, new URL(from).hostname]);
  const ask = createProxyFetch(outbound, from, importKey);
  return { read: (report) => readLiteLlm(ask, report), close: () => outbound.close() };
}

/** Runs work with the data folder. A dry run without a database uses a temporary folder and removes it. */
async function withDataFolder(config: Config, dryRun: boolean, work: (config: Config) => Promise<void>): Promise<void> {
  if (!dryRun || config.databaseUrl !== undefined || existsSync(getDatabaseFile(config.dataDir))) return work(config);
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-dry-run-'));
  try {
    await work({ ...config, dataDir });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function openTarget(config: Config) {
  const { folder, vault, db, clock } = await openStorage(config, silentLog, { isPatient: true });
  const changes = createChanges(db.machine, silentLog);
  const close = async (): Promise<void> => {
    changes.close();
    await db.close();
    folder.release();
  };
  try {
    await requireNoRunningServer(db);
    await fillEmptyDatabase({ db, clock, changes });
  } catch (error) {
    await close();
    throw error;
  }
  return { vault, db, clock, changes, close };
}
