/** The analytics screen on a database of a million very different calls. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../apps/server/src/db/open-database.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { createVisitor, signIn } from '../../apps/server/src/testing/visitor.ts';
import { updateHourRollups } from '../../apps/server/src/usage/analytics/analytics.ts';
import type { RouteInput } from '../../packages/contract/src/route.ts';
import { analytics } from '../../packages/contract/src/usage/analytics.ts';
import { createProductFolder, startProduct } from '../../tests/faults/start-product.ts';
import { information, type Row } from '../report.ts';
import { quantile } from '../statistics.ts';

const CALLS = 1_000_000;
const DAYS = 90;
const DAY_SECONDS = 86_400;
const USERS = 200;
const MODELS = 50;
const CHANNELS = 40;
const KEYS = 500;
const ROUNDS = 20;

type Question = RouteInput<(typeof analytics)['ask']>['query'];

export async function measureAnalytics(folder: string): Promise<Row[]> {
  const productFolder = createProductFolder(join(folder, 'analytics'));
  await (await startProduct(productFolder)).stop('SIGTERM');
  const now = Math.floor(Date.now() / 1000);
  const file = join(productFolder.dataDir, 'switchyard.db');
  fill(file, now);
  const summarised = await summarise(file);
  const product = await startProduct(productFolder);
  const { username, password } = productFolder.root;
  const api = createVisitor(product.url, await signIn(product.url, username, password)).api(analytics);
  const rows: Row[] = [];
  for (const [what, limitMs, query] of questions(now)) {
    await api.ask({ query });
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      await api.ask({ query });
      times.push(performance.now() - begun);
    }
    const p95 = quantile(times, 0.95);
    rows.push({
      what: `analytics, a million calls: ${what}`,
      wanted: `p95 ≤ ${limitMs} ms`,
      measured: `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`,
      verdict: p95 <= limitMs ? 'met' : 'missed',
    });
  }
  await product.stop('SIGTERM');
  return [
    ...rows,
    information(
      'analytics, packing a million old calls',
      `${summarised.seconds.toFixed(0)} s in the background, ${(summarised.bytes / 1e6).toFixed(0)} MB`,
    ),
  ];
}

function questions(now: number): [string, number, Question][] {
  const last = (days: number) => ({
    start_timestamp: now - days * DAY_SECONDS,
    end_timestamp: now,
    utc_offset: 0,
    step: 'day' as const,
    measure: 'charged' as const,
    top: 10,
  });
  return [
    ['30 days by model and day, with the 30 before', 300, { ...last(30), split: 'model' }],
    ['90 days by user and day', 1_000, { ...last(90), split: 'user' }],
    [
      '30 days by token and hour, p95 of the time',
      1_000,
      { ...last(30), split: 'token', step: 'hour', measure: 'request_time_p95' },
    ],
    [
      '30 days of three users and a model, by channel',
      300,
      { ...last(30), split: 'channel', user: ['3', '4', '5'], model: ['model-3'] },
    ],
    ['90 days by owner and week', 1_000, { ...last(90), split: 'owner', step: 'week' }],
  ];
}

/** Inserts calls without the ledger, each with random values in all dimensions. */
function fill(file: string, now: number): void {
  const db = new DatabaseSync(file);
  db.exec('pragma synchronous = off; pragma cache_size = -200000; begin');
  const detail = JSON.stringify({ attempts: [], receipt: { lines: [], note: 'x'.repeat(200) } });
  db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CALLS}),
      r as (select i, abs(random()) as a, abs(random()) as b, abs(random()) as c from n)
    insert into usage_record (request_id, created_at, type, user_id, api_key_id, channel_id, model, group_symbol,
      quota, cost, prompt_tokens, completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address,
      usage_source, content, detail)
    select 'bench-' || i, ${now - DAYS * DAY_SECONDS} + cast(i * ${DAYS * DAY_SECONDS}.0 / ${CALLS} as integer),
      iif(a % 50 = 0, 'error', 'consume'), 1 + (a / 64) % ${KEYS} % ${USERS}, 1 + (a / 64) % ${KEYS},
      1 + (b % ${CHANNELS}), 'model-' || (c % ${MODELS}), iif(a % 5 = 0, 'vip', 'default'), (b / 64) % 9000,
      iif(b % 3 = 0, null, (b / 64) % 5000), (c / 64) % 20000, (a / 32) % 3000, (c / 128) % 2000,
      300 + (b / 128) % 20000, 100 + (b / 128) % 2000, c % 2, '192.0.2.1', 'reported', '', '${detail}' from r`);
  db.exec(`insert into usage_hour (hour, user_id, model, channel_id, requests, errors, quota, prompt_tokens,
      completion_tokens, duration_ms)
    select created_at - created_at % 3600, user_id, model, channel_id, sum(type = 'consume'), sum(type = 'error'),
      sum(quota), sum(prompt_tokens), sum(completion_tokens), sum(duration_ms)
    from usage_record where type in ('consume', 'error') group by 1, 2, 3, 4`);
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}

async function summarise(file: string): Promise<{ seconds: number; bytes: number }> {
  const db = await openDatabase(file);
  const begun = performance.now();
  await updateHourRollups({ db, clock: systemClock });
  const seconds = (performance.now() - begun) / 1000;
  const { bytes } = await db.reader
    .selectFrom('usage_slice')
    .select((eb) => eb.fn.sum<number>(eb.fn<number>('length', ['packed'])).as('bytes'))
    .executeTakeFirstOrThrow();
  await db.close();
  return { seconds, bytes };
}
