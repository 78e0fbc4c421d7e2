/**
 * P34: `verify` recomputes everything: balances from the ledger, charges from their receipts. What is wrong by one point
 * is found and named, and stays as it is.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { newProductFolder, type ProductFolder, setUpProduct, startProduct } from './product.ts';
import { changeDatabase, repeatCharge } from './repeat-charge.ts';
import { measured, pick } from './tier.ts';

const CHARGES = pick(50_000, 1_000_000);
const DAYS = 60;
/** Of a machine that does nothing else; `npm test` shares it. */
const VERIFY_MS = pick(60_000, 10_000);
const CLI = join(import.meta.dirname, '../../apps/server/src/cli.ts');

const work = mkdtempSync(join(tmpdir(), 'switchyard-p34-'));
let upstream: ScriptedUpstream;
let folder: ProductFolder;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = newProductFolder(join(work, 'data'));
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
  repeatCharge(folder.dataDir, CHARGES, DAYS);
}, 300_000);
afterAll(async () => {
  await upstream.close();
  rmSync(work, { recursive: true, force: true });
});

const change = (statements: string): void => changeDatabase(folder.dataDir, statements);

function verify(): { code: number | null; output: string; ms: number } {
  const from = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'verify'], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder.dataDir },
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}`, ms: performance.now() - from };
}

test(`${CHARGES} charges are recomputed within ${VERIFY_MS / 1000} s, and agree`, {
  timeout: 300_000,
}, () => {
  const { code, output, ms } = verify();
  expect(output).toContain(`${CHARGES + 1} receipts`);
  expect(output).toContain(', 0 problems');
  expect(code).toBe(0);
  measured('P34', `${CHARGES + 1} charges with their receipts recomputed in ${(ms / 1000).toFixed(1)} s`);
  expect(ms).toBeLessThan(VERIFY_MS);
});

test.each([
  ['a balance', 'update user_account set balance = balance + 1 where user_id = 1', 'balance of user 1'],
  ['points used', 'update user_account set used = used - 1 where user_id = 1', 'used points of user 1'],
  [
    'a record',
    `update usage_record set quota = quota + 1 where request_id = 'again-${CHARGES}'`,
    `charge against its usage record, again-${CHARGES}`,
  ],
])(
  '%s that is wrong by one point is named, and stays as it is',
  { timeout: 300_000 },
  (_what, wrong, name) => {
    change(wrong);
    for (let times = 0; times < 2; times += 1) {
      const { code, output } = verify();
      expect(output).toContain(name);
      expect(code).toBe(1);
    }
    change(wrong.replace(/([+-]) 1/, (_all, sign: string) => (sign === '+' ? '- 1' : '+ 1')));
    expect(verify().code).toBe(0);
  },
);
