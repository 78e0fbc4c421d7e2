/**
 * P28: a backup contains everything acknowledged before it began, regardless of concurrent calls. It is complete or
 * absent, and a restored backup passes the ledger's verification.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { isOnPostgres } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { startLoad } from './relay-load.ts';
import {
  buildCliArguments,
  createProductFolder,
  type ProductFolder,
  setUpProduct,
  startProduct,
} from './start-product.ts';

const KILLS = pick(3, 12, 200);
const BACKUPS = pick(2, 4, 50);
const CLIENTS = 8;
const BIG_BYTES = pick(15_000_000, 40_000_000, 1_000_000_000);
const COMMAND_MS = 600_000;

const work = mkdtempSync(join(tmpdir(), 'switchyard-p28-'));
let upstream: ScriptedUpstream;
let folder: ProductFolder;
let key: string;
let homes = 0;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  folder = createProductFolder(join(work, 'data'));
  const product = await startProduct(folder);
  ({ key } = await setUpProduct(product, folder, upstream.url, ['tokens-*', 'status-*']));
  await product.stop('SIGTERM');
});
beforeEach((context) => {
  if (isOnPostgres) context.skip('pg_dump makes backups of PostgreSQL');
});
afterAll(async () => {
  await upstream.close();
  rmSync(work, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  output: string;
  ms: number;
  /** Milliseconds for which an unfinished file existed. */
  writingMs: number;
}

const LOOK_MS = 2;

/**
 * @param target folder of the backup
 * @param killAfterMs time after the first write; infinite if the backup may finish
 */
function command(
  parameters: readonly string[],
  target?: string,
  killAfterMs = Number.POSITIVE_INFINITY,
): Promise<Ended> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, buildCliArguments(parameters), {
    env: { PATH: process.env['PATH'], DATA_DIR: folder.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const timer = systemTimers.after(COMMAND_MS, () => child.kill('SIGKILL'));
  let [wroteFrom, writingMs] = [Number.POSITIVE_INFINITY, 0];
  const looking = systemTimers.every(LOOK_MS, () => {
    if (target === undefined || leftIn(folder.dataDir) + leftIn(target) === 0) return;
    wroteFrom = Math.min(wroteFrom, performance.now());
    writingMs = performance.now() - wroteFrom;
    if (writingMs >= killAfterMs) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      timer.close();
      looking.close();
      resolve({ code, output, ms: performance.now() - startedAt, writingMs });
    });
  });
}

/** Creates a folder with the master key and the content of the backup. */
async function restored(file: string): Promise<{ home: string; ms: number }> {
  homes += 1;
  const home = join(work, `home-${homes}`);
  mkdirSync(home);
  copyFileSync(join(folder.dataDir, 'master.key'), join(home, 'master.key'));
  const { code, output, ms } = await command(['restore', file, '--to', home]);
  expect(code, output).toBe(0);
  expect(output).toContain(', 0 problems');
  return { home, ms };
}

function chargesIn(home: string): Map<string, number> {
  const connection = new DatabaseSync(join(home, 'switchyard.db'), { readOnly: true });
  const rows = connection.prepare("select ref, user_amount as amount from ledger_entry where kind = 'charge'").all();
  connection.close();
  return new Map(rows.map(({ ref, amount }) => [String(ref), -Number(amount)]));
}

test(`${BACKUPS} backups under load contain every charge that was acknowledged before them`, async () => {
  const product = await startProduct(folder);
  const load = startLoad(product.url, key, CLIENTS, 1);
  let acknowledged = 0;
  for (let nth = 0; nth < BACKUPS; nth += 1) {
    const answeredCount = load.answered.length;
    await expect.poll(() => load.answered.length, { interval: 5 }).toBeGreaterThan(answeredCount + CLIENTS);
    const before = [...load.answered];
    const { code, output } = await command(['backup', '--to', join(work, `under-load-${nth}`)]);
    expect(code, output).toBe(0);
    const { home } = await restored(join(work, `under-load-${nth}`));
    const charges = chargesIn(home);
    const missing = before.filter(({ requestId, expected }) => (charges.get(requestId) ?? 0) !== expected);
    expect(missing).toEqual([]);
    acknowledged = before.length;
    rmSync(home, { recursive: true });
  }
  await product.stop('SIGKILL');
  await load.ended;
  expect(acknowledged).toBeGreaterThan(CLIENTS);
  reportMeasurement(
    'P28',
    `${BACKUPS} backups beside ${CLIENTS} clients, each restored and verified: 0 of up to ${acknowledged} acknowledged charges missing`,
  );
});

/** Adds records of failed calls without charges until the database has the given size. */
function makeBig(): number {
  const database = join(folder.dataDir, 'switchyard.db');
  const connection = new DatabaseSync(database);
  connection.exec(`
    begin;
    create temp table template as select * from usage_record where type = 'consume' limit 1;
    update template set id = null, type = 'error', quota = 0;`);
  const vary = connection.prepare("update template set detail = json_object('noise', hex(randomblob(800)))");
  const insert = connection.prepare('insert into usage_record select * from template');
  for (let bytes = 0; bytes < BIG_BYTES; bytes += 2_000) {
    vary.run();
    insert.run();
  }
  connection.exec('commit; pragma wal_checkpoint(truncate)');
  connection.close();
  return statSync(database).size;
}

test(`${KILLS} × kill -9 during a backup leave no file that looks complete, and the next run cleans up`, async () => {
  const size = makeBig();
  const target = join(work, 'killed');
  mkdirSync(target);
  const whole = await command(['backup', '--to', target], target);
  expect(whole.code, whole.output).toBe(0);
  const { ms } = await restored(join(target, readdirSync(target)[0] ?? ''));
  reportMeasurement(
    'P28',
    `a database of ${megabytes(size)}: backed up in ${seconds(whole.ms)}, restored and verified in ${seconds(ms)}`,
  );
  rmSync(target, { recursive: true });
  mkdirSync(target);
  let unfinished = 0;
  for (let round = 0; round < KILLS; round += 1) {
    await command(['backup', '--to', `${target}/`], target, whole.writingMs * momentOf(round));
    if (leftIn(folder.dataDir) + leftIn(target) > 0) unfinished += 1;
  }
  expect(unfinished).toBeGreaterThan(0);
  const last = await command(['backup', '--to', `${target}/`]);
  expect(last.code, last.output).toBe(0);
  expect(leftIn(folder.dataDir) + leftIn(target)).toBe(0);
  for (const name of readdirSync(target)) {
    const { code, output } = await command(['verify', join(target, name)]);
    expect(code, output).toBe(0);
  }
  reportMeasurement(
    'P28',
    `${KILLS} × kill -9 during a backup of ${megabytes(size)}, ${unfinished} of them while it wrote: whole or not there`,
  );
});

const leftIn = (where: string): number =>
  readdirSync(where).filter((name) => name.includes('.tmp') || name.endsWith('.partial')).length;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;
