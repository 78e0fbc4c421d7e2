import { gunzipSync } from 'node:zlib';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, expect, test } from 'vitest';
import { createMonthsLike } from '../../db/record-partitions.ts';
import { emptyRecord } from '../../ledger/ledger.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { runSql } from '../../testing/any-table.ts';
import { startScriptedBucket } from '../../testing/scripted-bucket.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { usageRecordRoutes } from '../../usage/usage-records/routes.ts';
import { removeRecordsBefore } from '../../usage/usage-records/usage-records.ts';
import { removeOldRecords } from './retention.ts';

const DAY = 86_400;
const NOW = Date.UTC(2026, 9, 30, 12) / 1000;
const MIDNIGHT = NOW - (NOW % DAY);

const going = new AbortController().signal;

const app = await useFeatureApp([serveRoutes(usageRecords, usageRecordRoutes)], { now: NOW * 1000 });
const bucket = await startScriptedBucket();
afterAll(() => bucket.close());
const root = await app.createUser('root');
const user = await app.createUser('user');

const call = (id: string, created_at: number, type: 'consume' | 'top-up' = 'consume') =>
  app.ctx.ledger.record({ ...emptyRecord, request_id: id, created_at, type, user_id: user.id, model: 'm' });

/** Removing pauses between batches. */
const inTime = <T>(work: Promise<T>): Promise<T> => advanceWhile(app.clock, 0.05, work);

async function listStored(): Promise<string[]> {
  await app.ctx.ledger.transaction(async () => {});
  const rows = await app.ctx.db.writer
    .selectFrom('usage_record')
    .select('request_id')
    .where('user_id', '=', user.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ request_id }) => request_id);
}

test('records of calls go after their days, having been archived, and never while that fails', async () => {
  call('old', MIDNIGHT - 40 * DAY);
  for (let nth = 0; nth < 2_500; nth += 1) call(`many-${nth}`, MIDNIGHT - 35 * DAY + 7);
  call('payment', MIDNIGHT - 40 * DAY, 'top-up');
  call('last', MIDNIGHT - 30 * DAY - 1);
  call('first', MIDNIGHT - 30 * DAY);
  const all = await listStored();

  await inTime(removeOldRecords(app.ctx, going));
  expect(await listStored(), 'nobody asked for it').toEqual(all);

  await setOptions(app.ctx, { ...bucket.options, RecordDays: '30', RecordArchiveEnabled: 'true' });
  bucket.injectFault = () => ({ status: 503, body: '' });
  await expect(inTime(removeOldRecords(app.ctx, going))).rejects.toThrow('The bucket returned status 503');
  expect(await listStored()).toEqual(all);

  bucket.injectFault = undefined;
  await inTime(removeOldRecords(app.ctx, going));
  expect(await listStored()).toEqual(['payment', 'first']);
  const archived = [...bucket.objects].map(([name, { body }]) => ({
    name: name.replace(/-\d+\.jsonl\.gz$/, ''),
    lines: gunzipSync(body).toString('utf8').trim().split('\n'),
  }));
  expect(archived.map(({ name, lines }) => [name.slice(-18), lines.length])).toEqual([
    ['records/2026-09-20', 1],
    ['records/2026-09-25', 2_500],
    ['records/2026-09-29', 1],
  ]);
  const ids = archived.flatMap(({ lines }) =>
    lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id),
  );
  expect(ids).toHaveLength(new Set(ids).size);
  expect(JSON.parse(archived[0]?.lines[0] ?? '')).toMatchObject({ request_id: 'old', model: 'm', detail: {} });
});

test('deleting by hand archives as well, and deletes nothing while the bucket does not take it', async () => {
  call('by hand', MIDNIGHT - 40 * DAY);
  await listStored();
  const remove = () => root.api(usageRecords).removeOld({ query: { target_timestamp: MIDNIGHT - 39 * DAY } });
  bucket.injectFault = () => ({ status: 503, body: '' });
  await expect(remove()).rejects.toMatchObject({ code: 'upstream-failed' });
  expect(await listStored()).toContain('by hand');
  bucket.injectFault = undefined;
  const before = bucket.objects.size;
  expect(await remove()).toBe(1);
  expect(bucket.objects.size).toBe(before + 1);
  expect(await listStored()).not.toContain('by hand');
});

test.each([
  ['does not keep', 'PUT', 200, '404'],
  ['returns differently', 'GET', 206, 'different data'],
])('keeps records whose archive the bucket %s', async (_, method, status, message) => {
  call('not kept', MIDNIGHT - 40 * DAY);
  await listStored();
  bucket.objects.clear();
  bucket.injectFault = (asked) => (asked.startsWith(method) ? { status, body: '' } : undefined);
  await expect(inTime(removeOldRecords(app.ctx, going))).rejects.toThrow(message);
  bucket.injectFault = undefined;
  expect(await listStored()).toContain('not kept');
  await inTime(removeOldRecords(app.ctx, going));
  expect(await listStored()).not.toContain('not kept');
});

test('retains unreadable records, and the server continues', async () => {
  call('unreadable', MIDNIGHT - 40 * DAY);
  await listStored();
  await app.ctx.db.writer
    .updateTable('usage_record')
    .set({ detail: '{' })
    .where('request_id', '=', 'unreadable')
    .execute();
  await expect(inTime(removeOldRecords(app.ctx, going))).rejects.toThrow('JSON');
  expect(await listStored()).toContain('unreadable');
});

test('across the end of a month every call before a moment goes, is counted once, and nothing else goes', async () => {
  await setOptions(app.ctx, { RecordArchiveEnabled: 'false' });
  const october = Date.UTC(2026, 9) / 1000;
  const before = october + 2 * DAY;
  const year = Date.UTC(2020, 0) / 1000;
  // State of an installation from before monthly partitions.
  if (app.ctx.db.engine.kind === 'postgres')
    await runSql(
      app.ctx.db,
      `create table usage_record_first partition of usage_record for values from (minvalue) to (${year})`,
    );
  call('first-of-all', year - DAY);
  for (const type of ['consume', 'top-up'] as const) {
    call(`august-${type}`, october - 45 * DAY, type);
    call(`september-${type}`, october - 1, type);
    call(`october-${type}`, october, type);
    call(`kept-${type}`, before, type);
  }
  const was = await listStored();
  // Only for monthly partitions; elsewhere there is nothing to create.
  await createMonthsLike(app.ctx.db, app.ctx.db);
  expect(await listStored()).toEqual(was);
  const calls = await app.ctx.db.writer
    .selectFrom('usage_record')
    .select('id')
    .where('type', 'in', ['consume', 'error'])
    .where('created_at', '<', before)
    .execute();
  expect(await inTime(removeRecordsBefore(app.ctx, before))).toBe(calls.length);
  const gone = new Set([
    'first-of-all',
    'august-consume',
    'september-consume',
    'october-consume',
    'unreadable',
    'first',
  ]);
  expect(new Set(await listStored())).toEqual(new Set(was.filter((id) => !gone.has(id))));
  expect(await inTime(removeRecordsBefore(app.ctx, before))).toBe(0);
});

test('records that were not sent to ClickHouse are neither removed nor archived', async () => {
  await setOptions(app.ctx, { RecordDays: '30' });
  call('unsent', MIDNIGHT - 40 * DAY);
  const before = await listStored();
  const objects = bucket.objects.size;
  const origin = 'http://127.0.0.1:9';
  const clickhouse = { sink: 'one', origin, user: 'u', password: 'p', database: 'd', table: 't' };
  const ctx = { ...app.ctx, config: { ...app.ctx.config, clickhouse } };
  await expect(removeOldRecords(ctx, going)).rejects.toThrow('ClickHouse');
  expect(await listStored()).toEqual(before);
  expect(bucket.objects.size).toBe(objects);
});
