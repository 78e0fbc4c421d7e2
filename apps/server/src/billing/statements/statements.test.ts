import { statements } from '@switchyard/contract/billing/statements';
import { expect, test } from 'vitest';
import { emptyRecord } from '../../ledger/ledger.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { readPdf } from '../../testing/pdf-text.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { parseMonth } from './list-statements.ts';
import { statementRoutes } from './routes.ts';
import { buildStatementDocument } from './statement-document.ts';
import { getStatement, storeLastMonth, storeMonth, storeMonthStatements } from './statements.ts';

const OCTOBER = '2026-10-01';
const NOVEMBER = '2026-11-01';
const DECEMBER = '2026-12-01';
const at = (date: string, seconds = 0): number => Date.parse(`${date}T00:00:00Z`) + seconds * 1000;

/** Sessions end with the days, so every user signs in now and reads earlier months. */
const NOW = at(NOVEMBER, 20 * 86_400);
const app = await useFeatureApp([serveRoutes(statements, statementRoutes)], { now: NOW });

async function during(time: number, work: () => Promise<unknown>): Promise<void> {
  app.clock.set(time);
  await work();
  app.clock.set(NOW);
}

let counter = 0;

async function callModel(user: SignedInUser, model: string, points: number): Promise<void> {
  counter += 1;
  const requestId = `call-${counter}`;
  const { ledger, clock } = app.ctx;
  await ledger.hold({ requestId, userId: user.id, apiKeyId: null, limited: false, amount: 0 });
  await ledger.settle(requestId, points, {
    ...emptyRecord,
    request_id: requestId,
    created_at: Math.floor(clock.now() / 1000),
    type: 'consume',
    user_id: user.id,
    model,
    quota: points,
    prompt_tokens: 100,
    completion_tokens: 20,
    duration_ms: 500,
  });
}

async function move(user: SignedInUser, kind: 'top-up' | 'refund' | 'gift' | 'adjust', amount: number): Promise<void> {
  counter += 1;
  const ref = `move-${counter}`;
  await app.ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind, ref, userId: user.id, amount, note: '', mayLeaveDebt: true }),
  );
}

type Refund = readonly [amount: number, state: 'done' | 'pending' | 'failed', isDispute?: boolean];

async function pay(user: SignedInUser, amount: number, refunds: readonly Refund[] = []): Promise<string> {
  const effective = refunds.filter(([, state]) => state !== 'failed').reduce((sum, [part]) => sum + part, 0);
  const { id, trade_no } = await insertPaymentOrder(app.ctx, {
    user_id: user.id,
    processor_id: await insertPaymentProvider(app.ctx),
    status: effective < amount ? 'success' : 'refunded',
    order_amount: amount,
    refunded_amount: Math.min(effective, amount),
  });
  for (const [nth, [part, state, isDispute = false]] of refunds.entries())
    await app.ctx.db.writer
      .insertInto('order_refund')
      .values({
        id: `${trade_no}-${nth}`,
        order_id: id,
        amount: part,
        quota: 1,
        state,
        reason: '',
        is_dispute: Number(isDispute),
        processor_no: '',
        created_by: null,
        created_time: 1,
        next_ask_time: null,
      })
      .execute();
  return trade_no;
}

const get = (user: SignedInUser, date: string) => user.api(statements).get({ query: { date } });
const stored = () => app.ctx.db.writer.selectFrom('statement').select(['user_id', 'month', 'generated_time']).execute();

test.each<[string, readonly Refund[], number]>([
  [
    'are done',
    [
      [1_000, 'done'],
      [500, 'done'],
    ],
    15,
  ],
  [
    'are pending',
    [
      [1_000, 'done'],
      [500, 'pending'],
    ],
    10,
  ],
  ['failed', [[1_000, 'failed']], 0],
  ['are disputes without a decision', [[1_000, 'pending', true]], 0],
  ['are lost disputes', [[1_000, 'done', true]], 10],
  [
    'exceed the payment',
    [
      [5_000, 'done'],
      [5_000, 'done', true],
    ],
    70,
  ],
])('a statement shows the refunds of a payment that %s', async (_, refunds, refunded) => {
  const user = await app.createUser('user');
  await during(at(NOVEMBER, 50), () => pay(user, 7_000, refunds));
  expect((await get(user, NOVEMBER)).payments).toMatchObject([{ amount: 70, refunded }]);
});

test('a statement has opening balance, changes and closing balance, and lists the payments', async () => {
  const ann = await app.createUser('user', { username: 'ann' });
  await during(at(OCTOBER, 100), async () => {
    await move(ann, 'top-up', 1_000);
    await callModel(ann, 'dear', 300);
  });
  let trade_no = '';
  await during(at(NOVEMBER, 50), async () => {
    await move(ann, 'gift', 5);
    await callModel(ann, 'dear', 600);
    await callModel(ann, 'cheap', 1);
    await callModel(ann, 'free', 0);
    await move(ann, 'refund', -400);
    trade_no = await pay(ann, 6_789, [[6_789, 'done']]);
  });
  expect(await get(ann, NOVEMBER)).toMatchObject({
    number: `202611-${ann.id}`,
    username: 'ann',
    opening: 700,
    // Spent and refunded: an overdraft.
    closing: -296,
    movements: { charges: -601, top_ups: 0, refunds: -400, gifts: 5, adjustments: 0 },
    models: [
      { model_name: 'dear', quota: 600, request_count: 1, prompt_tokens: 100, request_time: 500 },
      { model_name: 'cheap', quota: 1 },
      { model_name: 'free', quota: 0 },
    ],
    payments: [{ trade_no, amount: 67.89, refunded: 67.89, currency: 'CNY', paid_at: at(NOVEMBER, 50) / 1000 }],
    final: false,
  });
  expect(await get(ann, OCTOBER)).toMatchObject({ final: true, opening: 0, closing: 700, payments: [] });

  const own = ann.api(statements);
  const sums = (calls: number) => ({
    request_count: calls,
    prompt_tokens: 100 * calls,
    completion_tokens: 20 * calls,
    request_time: 500 * calls,
  });
  expect((await own.list()).data).toEqual([
    { date: NOVEMBER, quota: 601, ...sums(3) },
    { date: OCTOBER, quota: 300, ...sums(1) },
  ]);
  const byQuota = await own.list({ query: { order: 'quota', page: 2, size: 1 } });
  expect(byQuota).toMatchObject({ data: [{ date: NOVEMBER }], total_count: 2 });
  expect((await own.models({ query: { date: OCTOBER } })).map(({ date, quota }) => [date, quota])).toEqual([
    [OCTOBER, 300],
  ]);
});

test('a user without movements has no months and an empty month; a future month has no statement', async () => {
  const idle = await app.createUser('user');
  expect(await idle.api(statements).list()).toMatchObject({ data: [], total_count: 0 });
  expect(await get(idle, OCTOBER)).toMatchObject({ opening: 0, closing: 0, models: [], payments: [] });
  await expect(get(idle, DECEMBER)).rejects.toMatchObject({ code: 'not-found' });
  for (const date of ['2026-11-02', '2026-13-01', 'x', "2026-11-01'"]) {
    const path = `/api/user/invoice/statement?date=${encodeURIComponent(date)}`;
    expect((await idle.fetch(path)).status, date).toBe(400);
  }
  expect((await app.anonymous.fetch(`/api/user/invoice/pdf?date=${OCTOBER}`)).status).toBe(401);
});

test('last month is stored once it is final, for existing users with changes', async () => {
  // The job at the server's start may have run after the writes of earlier tests.
  await app.ctx.db.writer.deleteFrom('statement').execute();
  const bob = await app.createUser('user');
  const deletedUser = await app.createUser('user');
  await app.createUser('user', { username: 'resting' });
  await during(at(NOVEMBER, 70), async () => {
    await callModel(bob, 'a', 11);
    await callModel(deletedUser, 'a', 11);
  });
  await app.ctx.db.writer.updateTable('user').set({ deleted_time: 1 }).where('id', '=', deletedUser.id).execute();
  const of = async (user: SignedInUser) => (await stored()).filter(({ user_id }) => user_id === user.id);
  const runAt = (seconds: number) => during(at(DECEMBER, seconds), () => storeLastMonth(app.ctx));

  await runAt(599);
  expect(await of(bob)).toEqual([]);
  await runAt(600);
  await runAt(7200);
  const generated_time = at(DECEMBER, 600) / 1000;
  expect(await of(bob)).toEqual([{ user_id: bob.id, month: NOVEMBER, generated_time }]);
  expect(await of(deletedUser)).toEqual([]);
  expect(new Set((await stored()).map(({ month }) => month))).toEqual(new Set([NOVEMBER]));
  await during(at(DECEMBER, 9000), async () => {
    expect(await getStatement(app.ctx, bob.id, NOVEMBER)).toMatchObject({ final: true, generated_at: generated_time });
  });
});

test('a stored statement that the ledger does not bear out any more is made from the ledger', async () => {
  const late = await app.createUser('user', { quota: 100 });
  await during(at(OCTOBER, 80), () => callModel(late, 'a', 5));
  await during(at(NOVEMBER, 600), () => storeMonth(app.ctx, parseMonth(OCTOBER), 'missing'));
  expect(await get(late, OCTOBER)).toMatchObject({ closing: -5, generated_at: at(NOVEMBER, 600) / 1000 });
  // A charge that waited for a broken disk, and is written with the time of its call.
  await during(at(OCTOBER, 90), () => callModel(late, 'a', 2));
  expect(await get(late, OCTOBER)).toMatchObject({ closing: -7, movements: { charges: -7 }, generated_at: NOW / 1000 });
});

test('root creates missing statements, or all again; a month that is not over is rejected', async () => {
  const root = await app.createUser('root');
  const eve = await app.createUser('user');
  await during(at(OCTOBER, 95), () => callModel(eve, 'a', 9));
  const generatedTime = async () =>
    (await stored()).find(({ user_id, month }) => user_id === eve.id && month === OCTOBER)?.generated_time;
  const api = root.api(statements);
  await api.generate({ params: { date: OCTOBER } });
  expect(await generatedTime()).toBe(NOW / 1000);
  app.clock.set(NOW + 1000);
  await api.generate({ params: { date: OCTOBER } });
  expect(await generatedTime()).toBe(NOW / 1000);
  await api.regenerate({ params: { date: OCTOBER } });
  expect(await generatedTime()).toBe(NOW / 1000 + 1);
  app.clock.set(NOW);

  for (const date of [NOVEMBER, '2027-01-01']) {
    const refused = { code: 'invalid-input' };
    await expect(api.generate({ params: { date } })).rejects.toMatchObject(refused);
    await expect(api.regenerate({ params: { date } })).rejects.toMatchObject(refused);
  }
  await expect(eve.api(statements).generate({ params: { date: OCTOBER } })).rejects.toMatchObject({
    code: 'not-allowed',
  });
  const entries = await app.ctx.db.writer.selectFrom('audit_entry').select(['action', 'target']).execute();
  expect(entries).toContainEqual({ action: 'statement.generate', target: `statement:${OCTOBER}` });
  expect(entries).toContainEqual({ action: 'statement.regenerate', target: `statement:${OCTOBER}` });
});

test('two jobs do not create the same statements concurrently', async () => {
  const both = await Promise.allSettled(
    ['all', 'missing'].map((which) => storeMonthStatements(app.ctx, OCTOBER, which === 'all' ? 'all' : 'missing')),
  );
  expect(both[0]?.status).toBe('fulfilled');
  expect(both[1]).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
});

test('creates statements for more users than one batch holds, and an interrupted run continues', async () => {
  const { writer } = app.ctx.db;
  const one = await app.createUser('user');
  const { id: _id, ...row } = await writer
    .selectFrom('user')
    .selectAll()
    .where('id', '=', one.id)
    .executeTakeFirstOrThrow();
  const added = await writer
    .insertInto('user')
    .values(Array.from({ length: 130 }, (_, nth) => ({ ...row, username: `many-${nth}`, aff_code: null })))
    .returning('id')
    .execute();
  const ids = added.map(({ id }) => id);
  await during(at('2026-09-01', 5), () =>
    app.ctx.ledger.transaction(async (_trx, moves) => {
      for (const userId of ids) {
        await moves.openUserAccount(userId);
        await moves.post({ kind: 'gift', ref: `many-${userId}`, userId, amount: userId, note: '' });
      }
    }),
  );
  const month = parseMonth('2026-09-01');
  await storeMonth(app.ctx, month, 'missing');
  await writer
    .deleteFrom('statement')
    .where('user_id', '>', ids[70] ?? 0)
    .execute();
  await storeMonth(app.ctx, month, 'missing');
  const created = await writer
    .selectFrom('statement')
    .select(['user_id', 'content'])
    .where('month', '=', '2026-09-01')
    .orderBy('user_id')
    .execute();
  expect(created.map(({ user_id }) => user_id)).toEqual(ids);
  for (const { user_id, content } of created) expect(JSON.parse(content)).toMatchObject({ closing: user_id });
});

test('exports a CSV whose lines add up and that contains no formula', async () => {
  const user = await app.createUser('user');
  await during(at(NOVEMBER, 96), async () => {
    await move(user, 'top-up', 50);
    await callModel(user, '=cmd|1', 20);
  });
  const response = await user.fetch(`/api/user/invoice/csv?date=${NOVEMBER}`);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="statement-202611-${user.id}.csv"`);
  const lines = (await response.text())
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const quota = (section: string): number[] =>
    lines.filter(([name]) => name === section).map((cells) => Number(cells[7]));
  const [opening = 0] = quota('opening');
  expect(opening + quota('movement').reduce((a, b) => a + b, 0)).toBe(quota('closing')[0]);
  expect(quota('closing')).toEqual([30]);
  expect(lines.find(([section]) => section === 'model')?.[1]).toBe("'=cmd|1");
});

test('the PDF is in the reader’s language, with the content of the statement', async () => {
  const user = await app.createUser('user', { username: 'leser' });
  await app.ctx.db.writer.updateTable('user').set({ language: 'zh_HK' }).where('id', '=', user.id).execute();
  await during(at(NOVEMBER, 97), async () => {
    await move(user, 'top-up', 5_000_000);
    await callModel(user, 'gpt-4o', 1_234_567);
    await pay(user, 7_300);
  });
  const response = await user.fetch(`/api/user/invoice/pdf?date=${NOVEMBER}`);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="statement-202611-${user.id}.pdf"`);
  const { pages } = readPdf(new Uint8Array(await response.arrayBuffer()));
  expect(pages).toHaveLength(1);
  const [lines = []] = pages;
  for (const text of ['月結單', 'leser', 'gpt-4o', '-1,234,567', '5,000,000', '3,765,433', '第 1 頁，共 1 頁'])
    expect(
      lines.some((line) => line.includes(text)),
      text,
    ).toBe(true);
});

test('the PDF lists 200 models, and sums up the others', async () => {
  const user = await app.createUser('user', { username: 'many-names' });
  await during(at(NOVEMBER, 98), () => callModel(user, 'gpt-4o', 10));
  const statement = await get(user, NOVEMBER);
  const [model] = statement.models;
  if (model === undefined) throw new Error('There is no model');
  const models = Array.from({ length: 1_000 }, (_, nth) => ({ ...model, model_name: `gpt-4o-${nth}` }));
  const table = buildStatementDocument(app.ctx, { ...statement, models }, 'en_US').tables[1];
  expect(table?.rows).toHaveLength(201);
  expect(table?.rows.at(-1)?.slice(0, 2)).toEqual(['Other models', String(800 * model.request_count)]);
  expect(table?.total?.[1]).toBe('1,000');
});
