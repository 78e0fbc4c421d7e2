/** Ten million records, or another number, the same ones in SQLite and in PostgreSQL. */
import { DatabaseSync } from 'node:sqlite';
import { getDatabaseFile, isPostgres, openDatabase } from '../../apps/server/src/db/open-database.ts';
import { ensureRecordMonth } from '../../apps/server/src/db/record-partitions.ts';
import { createChanges } from '../../apps/server/src/platform/change-subscriptions.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { openPostgresPool } from '../../apps/server/src/testing/database-server.ts';
import { updateHourRollups } from '../../apps/server/src/usage/analytics/analytics.ts';
import { updateDayRollups, writeGroupRollups } from '../../apps/server/src/usage/usage-records/usage-records.ts';
import type { ProductFolder } from '../../tests/faults/start-product.ts';

export const DAY_SECONDS = 86_400;
const DAYS = 90;
const USERS = 300;
/** Prime, so that the made-up columns do not repeat together. */
const STRIDE = 2_654_435_761;

/**
 * Fills a product that has been started once and is stopped.
 * @returns time of the last call, UTC seconds
 */
export async function fillLog(
  { dataDir }: ProductFolder,
  rowCount: number,
  place = getDatabaseFile(dataDir),
): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  await (isPostgres(place) ? fillPostgres : fillFile)(place, rowCount, now);
  await summarise(place);
  return now;
}

async function fillFile(file: string, rowCount: number, now: number): Promise<void> {
  const db = new DatabaseSync(file);
  db.exec('pragma synchronous = off; pragma cache_size = -200000; begin');
  const numbers = (from: number, to: number): string => `select ${from} union all select i + 1 from n where i < ${to}`;
  for (const statement of fillStatements(rowCount, now, numbers)) db.exec(statement);
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}

async function fillPostgres(url: string, rowCount: number, now: number): Promise<void> {
  const db = await openDatabase(url);
  for (let day = 0; day <= DAYS; day += 1) await ensureRecordMonth(db, now - day * DAY_SECONDS);
  await db.close();
  const pool = openPostgresPool(url);
  const numbers = (from: number, to: number): string => `select generate_series(${from}::bigint, ${to})`;
  await pool.query(`begin; ${fillStatements(rowCount, now, numbers).join(';')}; commit`);
  // As happens automatically when rows are inserted one by one.
  await pool.query('vacuum analyze');
  await pool.end();
}

/** Made-up users, tokens and calls, written without the ledger: only what lists read. */
function fillStatements(rowCount: number, now: number, numbers: (from: number, to: number) => string): string[] {
  const detail = JSON.stringify({ attempts: [], receipt: { lines: [], note: 'x'.repeat(200) } });
  return [
    `with recursive n(i) as (${numbers(2, USERS)})
    insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      created_time, last_login_time, last_login_ip)
    select i, 'user' || i, '', '', '', '', 'user', 'enabled', 'default', 0, 0, '' from n`,
    `insert into user_account (user_id, balance, held, used, requests)
    select id, 0, 0, 0, 0 from "user" where id > 1`,
    `with recursive n(i) as (${numbers(1, USERS)})
    insert into api_key (id, user_id, name, key_hash, key_sealed, key_hint, status, created_time, accessed_time,
      expired_time, unlimited_quota, group_symbol, backup_group, api_rate, setting)
    select i, i, 'key' || i, 'hash' || i, '', '', 'enabled', 0, 0, -1, 1, '', '', 0, '{}' from n`,
    // Each user has three models, two channels and two addresses; x, y and z are made-up numbers for each row.
    `with recursive n(i) as (${numbers(1, rowCount)}),
      m as (select i, (i * ${STRIDE}) % 1000003 as x, (i * 40503) % 999983 as y, (i * 69069) % 1000033 as z from n),
      c as (select *, x % ${USERS} as u from m)
    insert into usage_record (request_id, created_at, type, user_id, api_key_id, channel_id, model, group_symbol,
      quota, prompt_tokens, completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address,
      usage_source, content, detail)
    select 'bench-' || i, ${now - DAYS * DAY_SECONDS} + i * ${DAYS * DAY_SECONDS} / ${rowCount},
      iif(i % 100000 = 0, 'top-up', iif(y % 97 = 0, 'error', 'consume')), 1 + u, 1 + u,
      1 + (u + y % 2) % 10, iif(i % 500000 = 7, 'rare', 'model-' || ((u * 5 + z % 3) % 12)),
      iif(u % 5 = 0, 'vip', 'default'), z % 900, y % 4000, z % 800, 0, 500 + x % 9000, 100 + x % 900, z % 2,
      iif(i % 1000000 = 9, '10.9.9.1', '10.0.' || (u % 250) || '.' || (y % 2)), 'reported', '', '${detail}' from c`,
    `insert into usage_hour (hour, user_id, model, channel_id, requests, errors, quota, prompt_tokens,
      completion_tokens, duration_ms)
    select created_at - created_at % 3600, user_id, model, channel_id,
      count(*) filter (where type = 'consume'), count(*) filter (where type = 'error'),
      sum(iif(type = 'consume', quota, 0)), sum(iif(type = 'consume', prompt_tokens, 0)),
      sum(iif(type = 'consume', completion_tokens, 0)), sum(iif(type = 'consume', duration_ms, 0))
    from usage_record where type in ('consume', 'error') group by 1, 2, 3, 4
    order by 1`,
  ];
}

/** Background work of the product after the end of an hour or a day. */
async function summarise(place: string): Promise<void> {
  const db = await openDatabase(place, { copyFirst: false, isPatient: true });
  await updateDayRollups({ db, clock: systemClock, changes: createChanges(systemClock, silentLog) });
  await writeGroupRollups({ db, clock: systemClock });
  await updateHourRollups({ db, clock: systemClock });
  await db.close();
}
