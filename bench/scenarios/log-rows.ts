/** The log screen on a database of ten million records: every filter that the screen offers, first page and totals. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../apps/server/src/db/db.ts';
import { summariseDays } from '../../apps/server/src/features/usage-records/usage-records.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { signIn, visitor } from '../../apps/server/src/testing/visitor.ts';
import { channelId, userId } from '../../packages/contract/src/ids.ts';
import type { RouteInput } from '../../packages/contract/src/route.ts';
import { usageRecords } from '../../packages/contract/src/usage-records.ts';
import { newProductFolder, type ProductFolder, startProduct } from '../../tests/faults/product.ts';
import type { Row } from '../report.ts';
import { quantile } from '../statistics.ts';

const DAYS = 90;
const DAY_SECONDS = 86_400;
const USERS = 300;
const ROUNDS = 12;
/** Prime, so that the made-up columns do not move in step with one another. */
const STRIDE = 2_654_435_761;

/** @param rowCount how many records the database holds */
export async function measureLogRows(folder: string, rowCount: number): Promise<Row[]> {
  const productFolder = newProductFolder(join(folder, 'log-rows'));
  await (await startProduct(productFolder)).stop('SIGTERM');
  const begun = performance.now();
  const now = await fillLog(productFolder, rowCount);
  const fillSeconds = Math.round((performance.now() - begun) / 1000);
  const product = await startProduct(productFolder);
  const { username, password } = productFolder.root;
  const log = visitor(product.url, await signIn(product.url, username, password)).api(usageRecords);
  const slowest = { p95: 0, filter: '' };
  for (const [name, filter] of filters(rowCount, now)) {
    const p95 = await p95Of(async () => {
      await Promise.all([log.list({ query: { size: 50, ...filter } }), log.totals({ query: filter })]);
    });
    console.log(`  ${name}: p95 ${p95.toFixed(0)} ms`);
    if (p95 > slowest.p95) Object.assign(slowest, { p95, filter: name });
  }
  await product.stop('SIGTERM');
  return [
    {
      what: `logs screen, ${rowCount / 1_000_000} million rows`,
      wanted: 'p95 ≤ 150 ms for any filter',
      measured: `slowest p95 ${slowest.p95.toFixed(0)} ms (${slowest.filter}), first page and totals together; filled in ${fillSeconds} s`,
      verdict: slowest.p95 <= 150 ? 'met' : 'missed',
    },
  ];
}

/**
 * Fills a product that has been started once and stands still.
 * @returns when the last call was, in UTC seconds
 */
export async function fillLog({ dataDir }: ProductFolder, rowCount: number): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const file = join(dataDir, 'switchyard.db');
  fill(file, rowCount, now);
  await summarise(file);
  return now;
}

async function p95Of(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return quantile(times, 0.95);
}

type Filter = RouteInput<(typeof usageRecords)['totals']>['query'];

function filters(rowCount: number, now: number): [string, Filter][] {
  const week = { start_timestamp: now - 40 * DAY_SECONDS, end_timestamp: now - 33 * DAY_SECONDS };
  return [
    ['no filter', {}],
    ['last hour', { start_timestamp: now - 3600 }],
    ['a week', week],
    ['user name', { username: 'user7' }],
    ['user id', { user_id: userId.parse(8) }],
    ['model', { model_name: 'model-3' }],
    ['rare model', { model_name: 'rare' }],
    ['channel', { channel_id: channelId.parse(4) }],
    ['token', { token_name: 'key9' }],
    ['request id', { request_id: `bench-${Math.floor(rowCount / 2)}` }],
    ['errors', { log_type: 'error' }],
    ['top-ups', { log_type: 'top-up' }],
    ['streams', { is_stream: true }],
    ['group', { group: 'vip' }],
    ['group that nobody used', { group: 'nobody' }],
    ['address', { source_ip: '10.0.9.1' }],
    ['rare address', { source_ip: '10.9.9.1' }],
    ['address that nobody used', { source_ip: '10.9.9.2' }],
    ['user, model and week', { ...week, user_id: userId.parse(8), model_name: 'model-3' }],
  ];
}

/** Made-up users, tokens and calls, written past the ledger: only what lists read. */
function fill(file: string, rowCount: number, now: number): void {
  const db = new DatabaseSync(file);
  db.exec('pragma synchronous = off; pragma cache_size = -200000; begin');
  db.exec(`with recursive n(i) as (select 2 union all select i + 1 from n where i < ${USERS})
    insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      created_time, last_login_time, last_login_ip)
    select i, 'user' || i, '', '', '', '', 'user', 'enabled', 'default', 0, 0, '' from n`);
  db.exec(`insert into user_account (user_id, balance, held, used, requests)
    select id, 0, 0, 0, 0 from "user" where id > 1`);
  db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${USERS})
    insert into api_key (id, user_id, name, key_hash, key_sealed, key_hint, status, created_time, accessed_time,
      expired_time, unlimited_quota, group_symbol, backup_group, api_rate, setting)
    select i, i, 'key' || i, 'hash' || i, '', '', 'enabled', 0, 0, -1, 1, '', '', 0, '{}' from n`);
  const detail = JSON.stringify({ attempts: [], receipt: { lines: [], note: 'x'.repeat(200) } });
  // Each user has three models, two channels and two addresses; x, y and z are made-up numbers for each row.
  db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rowCount}),
      m as (select i, (i * ${STRIDE}) % 1000003 as x, (i * 40503) % 999983 as y, (i * 69069) % 1000033 as z from n),
      c as (select *, x % ${USERS} as u from m)
    insert into usage_record (request_id, created_at, type, user_id, api_key_id, channel_id, model, group_symbol,
      quota, prompt_tokens, completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address,
      usage_source, content, detail)
    select 'bench-' || i, ${now - DAYS * DAY_SECONDS} + cast(i * ${DAYS * DAY_SECONDS}.0 / ${rowCount} as integer),
      iif(i % 100000 = 0, 'top-up', iif(y % 97 = 0, 'error', 'consume')), 1 + u, 1 + u,
      1 + (u + y % 2) % 10, iif(i % 500000 = 7, 'rare', 'model-' || ((u * 5 + z % 3) % 12)),
      iif(u % 5 = 0, 'vip', 'default'), z % 900, y % 4000, z % 800, 0, 500 + x % 9000, 100 + x % 900, z % 2,
      iif(i % 1000000 = 9, '10.9.9.1', '10.0.' || (u % 250) || '.' || (y % 2)), 'reported', '', '${detail}' from c`);
  db.exec(`insert into usage_hour (hour, user_id, model, channel_id, requests, errors, quota, prompt_tokens,
      completion_tokens, duration_ms)
    select created_at - created_at % 3600, user_id, model, channel_id, sum(type = 'consume'), sum(type = 'error'),
      sum(iif(type = 'consume', quota, 0)), sum(iif(type = 'consume', prompt_tokens, 0)),
      sum(iif(type = 'consume', completion_tokens, 0)), sum(iif(type = 'consume', duration_ms, 0))
    from usage_record where type in ('consume', 'error') group by 1, 2, 3, 4`);
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}

/** What the product does in the background once a day is over. */
async function summarise(file: string): Promise<void> {
  const db = await openDatabase(file);
  await summariseDays({ db, clock: systemClock });
  await db.close();
}
