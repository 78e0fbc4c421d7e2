/** P25: a statement of SQLite cannot be interrupted, so the process exits without waiting for its thread. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runSql } from '../../apps/server/src/testing/any-table.ts';
import { isOnPostgres, openProductDatabase } from '../test-database.ts';
import { createProductFolder, readCpuSeconds, startProduct } from './start-product.ts';

/** CPU time after which the start is over and the check of the audit log has begun. */
const BUSY_SECONDS = 3;
/** Maximum milliseconds of a stop without a drain, on a busy machine. */
const STOP_MS = 10_000;
/** Replaces the audit log, which a thread reads soon after the start. */
const ENDLESS = `create view audit_entry as with recursive n(id) as (select 1 union all select id + 1 from n)
  select id, 0 as created_at, null as user_id, '' as action, '' as target, '{}' as detail, '' as address,
    '' as request_id, '' as hash from n`;

test.skipIf(isOnPostgres)('a stop does not wait for an endless statement', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-endless-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const folder = createProductFolder(dataDir);
  const db = await openProductDatabase(dataDir);
  await runSql(db, 'drop table audit_entry');
  await runSql(db, ENDLESS);
  await db.close();
  const product = await startProduct(folder, { drainSeconds: 0, variables: { LOG_LEVEL: 'warn' } });
  onTestFinished(() => void product.process.kill('SIGKILL'));
  let output = '';
  product.process.stdout?.on('data', (part) => {
    output += String(part);
  });
  const started = readCpuSeconds(product.process);
  const used = () => readCpuSeconds(product.process) - started;
  await expect.poll(used, { interval: 200 }).toBeGreaterThan(BUSY_SECONDS);
  const stoppedAt = performance.now();
  product.process.kill('SIGTERM');
  await product.exit;
  expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS);
  expect(product.process.signalCode).toBe('SIGKILL');
  expect(output).toContain('the process kills itself, because a thread is within a long statement');
});
