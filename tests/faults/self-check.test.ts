/**
 * P34: `verify` recomputes everything: balances from the ledger, charges from their receipts. A discrepancy of one
 * point is found and named, and not changed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { duplicateCharge, runOnDatabase } from './repeat-charge.ts';
import {
  buildCliArguments,
  createProductFolder,
  type ProductFolder,
  setUpProduct,
  startProduct,
} from './start-product.ts';

const CHARGES = pick(10_000, 50_000, 1_000_000);
const DAYS = 60;
/** CPU time, which does not depend on the machine's other work. */
const VERIFY_SECONDS = 10;
const PRINT_CPU_TIME =
  "data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();console.error('cpu',user+system)})";

const work = mkdtempSync(join(tmpdir(), 'switchyard-p34-'));
let upstream: ScriptedUpstream;
let folder: ProductFolder;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(join(work, 'data'));
  const product = await startProduct(folder, { variables: { DATABASE_URL: '' } });
  const { key } = await setUpProduct(product, folder, upstream.url, ['tokens-*']);
  const response = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tokens-10', messages: [{ role: 'user', content: 'two words' }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
  await product.stop('SIGTERM');
  duplicateCharge(folder.dataDir, CHARGES, DAYS);
});
afterAll(async () => {
  await upstream.close();
  rmSync(work, { recursive: true, force: true });
});

const change = (statements: string): void => runOnDatabase(folder.dataDir, statements);

function verify(): { code: number | null; output: string; cpuSeconds: number } {
  const parameters = ['--import', PRINT_CPU_TIME, ...buildCliArguments(['verify'])];
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    env: { PATH: process.env['PATH'], DATA_DIR: folder.dataDir },
    encoding: 'utf8',
  });
  const cpuSeconds = Number(/^cpu (\d+)$/m.exec(stderr)?.[1]) / 1e6;
  return { code: status, output: `${stdout}${stderr}`, cpuSeconds };
}

test(`${CHARGES} charges are recomputed within ${VERIFY_SECONDS} s, and agree`, { timeout: 300_000 }, () => {
  const { code, output, cpuSeconds } = verify();
  expect(output).toContain(`${CHARGES + 1} receipts`);
  expect(output).toContain(', 0 problems');
  expect(code).toBe(0);
  reportMeasurement(
    'P34',
    `${CHARGES + 1} charges with their receipts recomputed in ${cpuSeconds.toFixed(1)} s of CPU`,
  );
  expect(cpuSeconds).toBeLessThan(VERIFY_SECONDS);
});

test.each([
  ['a balance', 'update user_account set balance = balance + 1 where user_id = 1', 'balance of user 1'],
  ['points used', 'update user_account set used = used - 1 where user_id = 1', 'used points of user 1'],
  [
    'a record',
    `update usage_record set quota = quota + 1 where request_id = 'again-${CHARGES}'`,
    `charge against its usage record, again-${CHARGES}`,
  ],
])('%s that is wrong by one point is named, and not changed', { timeout: 300_000 }, (_what, wrong, name) => {
  change(wrong);
  for (let times = 0; times < 2; times += 1) {
    const { code, output } = verify();
    expect(output).toContain(name);
    expect(code).toBe(1);
  }
  change(wrong.replace(/([+-]) 1/, (_all, sign: string) => (sign === '+' ? '- 1' : '+ 1')));
});

test('everything agrees again after the points are corrected', () => {
  expect(verify()).toMatchObject({ code: 0, output: expect.stringContaining(', 0 problems') });
});
