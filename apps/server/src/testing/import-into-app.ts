/** Imports other products' installations into a test's app, like the command, and checks the rows. */

import { expect } from 'vitest';
import type { Context } from '../context.ts';
import { verifyLedger } from '../ledger/ledger.ts';
import {
  type ImportOptions,
  ImportReport,
  openSourceTables,
  type ProductName,
  readFamily,
  runImport,
} from '../tools/importers/importers.ts';
import type { SourceRows } from './source-database.ts';
import { newApiRows, OLD_KEY, oneApiRows, oneHubRows } from './source-rows.ts';

export async function importIntoApp(
  { ctx }: { ctx: Context },
  from: string,
  product: ProductName,
  { dryRun = false, source = product, logDays = 36_500 }: Partial<ImportOptions> = {},
): Promise<ImportReport> {
  const report = new ImportReport();
  const tables = await openSourceTables(from);
  try {
    const installation = await readFamily(tables, product, report);
    await runImport(ctx, installation, report, { source, dryRun, logDays });
  } finally {
    await tables.close();
  }
  return report;
}

/** Installation of each other product. */
export const sampleInstallations: Readonly<Record<ProductName, SourceRows>> = {
  'one-hub': oneHubRows('https://93.184.215.14'),
  'done-hub': oneHubRows('https://93.184.215.14'),
  'one-api': oneApiRows('https://93.184.215.14'),
  'new-api': newApiRows('https://93.184.215.14'),
};

/** Asserts the imported rows, which are the same for every product and engine. */
export async function checkImportedRows({ ctx }: { ctx: Context }, report: ImportReport): Promise<void> {
  const { writer } = ctx.db;
  expect(report.counts('user')).toEqual({ read: 7, new: 6, known: 0, skipped: 1 });
  expect(report.counts('key')).toEqual({ read: 6, new: 4, known: 0, skipped: 2 });
  expect(report.targetBalance).toBe(report.sourceBalance);
  expect(report.sourceBalance).toBe(107_649_333n);
  expect(report.differences).toEqual([]);
  expect((await verifyLedger(writer)).problems).toEqual([]);
  expect(
    await writer
      .selectFrom('user')
      .innerJoin('user_account', 'user_account.user_id', 'user.id')
      .select(['user.id', 'username', 'role', 'status', 'group_symbol', 'inviter_id', 'balance', 'used', 'requests'])
      .orderBy('user.id')
      .execute(),
  ).toMatchObject([
    { id: 1, username: 'root', role: 'root', status: 'enabled', balance: 100_000_000 },
    { id: 2, username: 'alice', group_symbol: 'vip', inviter_id: 1, balance: 7_654_321, used: 1_234, requests: 56 },
    { id: 3, username: 'debtor', status: 'disabled', balance: -5_000 },
    { id: 4, username: 'ab-4', inviter_id: null },
    { id: 5, username: 'ALICE-5', role: 'user', group_symbol: 'default', balance: 0 },
    { id: 7, username: 'with-space', balance: 12 },
  ]);
  const keys = await writer
    .selectFrom('api_key')
    .innerJoin('key_account', 'key_account.api_key_id', 'api_key.id')
    .select(['name', 'key_hash', 'status', 'expired_time', 'unlimited_quota', 'remaining', 'used', 'setting'])
    .orderBy('api_key.id')
    .execute();
  expect(keys).toMatchObject([
    { key_hash: ctx.vault.fingerprint(`sk-${OLD_KEY}`), status: 'enabled', unlimited_quota: 1, expired_time: -1 },
    { name: 'x'.repeat(30), remaining: 4_000, used: 6_000, unlimited_quota: 0, expired_time: 4_102_444_800 },
    { status: 'enabled', expired_time: 1_600_000_000 },
    { status: 'disabled' },
  ]);
  expect(JSON.parse(keys[1]?.setting ?? '')).toMatchObject({
    limits: { limit_model_setting: { enabled: true }, limits_ip_setting: { enabled: true } },
  });
  const logs = await writer.selectFrom('usage_record').selectAll().where('type', '=', 'consume').execute();
  expect(logs).toMatchObject([{ user_id: 2, model: 'gpt-4o', created_at: 1_700_000_000 }]);
}
