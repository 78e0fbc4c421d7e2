/** Takes another installation over as the command does, into a test's app. */

import type { Context } from '../context.ts';
import {
  openSourceTables,
  type ProductName,
  Report,
  readFamily,
  type TakeOver,
  takeOver,
} from '../tools/importers/importers.ts';

export async function bringInstallation(
  { ctx }: { ctx: Context },
  from: string,
  product: ProductName,
  { dryRun = false, source = product, logDays = 36_500 }: Partial<TakeOver> = {},
): Promise<Report> {
  const report = new Report();
  const tables = await openSourceTables(from);
  try {
    const installation = await readFamily(tables, product, report);
    await takeOver(ctx, installation, report, { source, dryRun, logDays });
  } finally {
    await tables.close();
  }
  return report;
}
