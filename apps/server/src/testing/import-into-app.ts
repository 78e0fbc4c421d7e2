/** Imports another installation into a test's app, like the command. */

import type { Context } from '../context.ts';
import {
  type ImportOptions,
  ImportReport,
  openSourceTables,
  type ProductName,
  readFamily,
  runImport,
} from '../tools/importers/importers.ts';

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
