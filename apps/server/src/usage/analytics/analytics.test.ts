import { channels } from '@switchyard/contract/channels/channels';
import {
  type Analysis,
  analytics,
  type CallFigures,
  type Dimension,
  dimensions,
  type TimeStep,
  timeSteps,
} from '@switchyard/contract/usage/analytics';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { channelRoutes } from '../../channels/registry/routes.ts';
import type { NewUsageRecord } from '../../ledger/ledger.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { insertUsageRecords } from '../../testing/insert-usage-records.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { removeRecordsBefore } from '../usage-records/usage-records.ts';
import { updateHourRollups } from './analytics.ts';
import { analyticsRoutes } from './routes.ts';

const parts = [serveRoutes(analytics, analyticsRoutes), serveRoutes(channels, channelRoutes)];

const HOUR = 3_600;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 20, 12, 20) / 1000;
const SPAN = 45 * DAY;

const app = await useFeatureApp(parts, { now: NOW * 1000 });
const admin = await app.createUser('admin', { username: 'chief' });
const users = await Promise.all(
  ['ann', 'bob', '=cmd()'].map((username) => app.createUser('user', { username: username.replace(/\W/g, '-') })),
);
const [channel] = await admin
  .api(channels)
  .create({
    body: { name: 'first, "best"', type: 1, base_url: 'http://127.0.0.1:9', models: ['m'], key: 'sk-any-000000000' },
  });
const ask = admin.api(analytics);

/** Always the same numbers between 0 and 1. */
let seed = 7;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const models = ['gpt-4o', 'claude-sonnet-4', 'own,model', '=cmd|calc'];
const records = Array.from({ length: 1_500 }, (): Partial<NewUsageRecord> & { user_id: number } => {
  const failed = random() < 0.1;
  const quota = failed ? 0 : Math.floor(random() * 1_000);
  return {
    user_id: pick(users).id,
    created_at: NOW - Math.floor(random() * SPAN),
    type: failed ? 'error' : 'consume',
    model: pick(models),
    api_key_id: pick([null, 1, 2]),
    channel_id: pick([null, channel?.id ?? 1, 77]),
    group_symbol: pick(['default', 'vip']),
    is_stream: pick([0, 1]),
    quota,
    cost: failed || random() < 0.4 ? null : Math.floor(quota / 2),
    prompt_tokens: failed ? 0 : Math.floor(random() * 10_000),
    cached_tokens: failed ? 0 : Math.floor(random() * 100),
    completion_tokens: failed ? 0 : Math.floor(random() * 2_000),
    duration_ms: Math.floor(random() ** 4 * 100_000),
    first_byte_ms: failed ? 0 : Math.floor(random() ** 3 * 5_000),
  };
}).toSorted((a, b) => (a.created_at ?? 0) - (b.created_at ?? 0));
for (const user of users)
  await insertUsageRecords(
    app.ctx,
    user.id,
    records.filter((record) => record.user_id === user.id),
  );
const stored = await app.ctx.db.writer
  .selectFrom('usage_record')
  .selectAll()
  .where('type', 'in', ['consume', 'error'])
  .execute();
type Stored = (typeof stored)[number];

const ownerByModel: Record<string, string> = { 'gpt-4o': 'OpenAI', 'claude-sonnet-4': 'Anthropic' };
const keyOf: Record<Dimension, (record: Stored) => string> = {
  model: ({ model }) => model,
  owner: ({ model }) => ownerByModel[model] ?? '',
  channel: ({ channel_id }) => String(channel_id ?? 0),
  group: ({ group_symbol }) => group_symbol,
  user: ({ user_id }) => String(user_id),
  token: ({ api_key_id }) => String(api_key_id ?? 0),
  status: ({ type }) => (type === 'error' ? 'error' : 'answered'),
  stream: ({ is_stream }) => String(is_stream === 1),
};

const sumOf = (list: readonly Stored[], of: (record: Stored) => number): number =>
  list.reduce((sum, record) => sum + of(record), 0);

function expectFigures(figures: CallFigures, list: readonly Stored[]): void {
  const answered = list.filter(({ type }) => type === 'consume');
  const costed = answered.filter(({ cost }) => cost !== null);
  const cost = sumOf(costed, (record) => record.cost ?? 0);
  const charged = sumOf(costed, ({ quota }) => quota);
  expect(figures).toMatchObject({
    requests: answered.length,
    errors: list.length - answered.length,
    charged: sumOf(answered, ({ quota }) => quota),
    costed: charged,
    cost: costed.length === 0 ? null : cost,
    margin: costed.length === 0 ? null : charged - cost,
    prompt_tokens: sumOf(answered, ({ prompt_tokens }) => prompt_tokens),
    cached_tokens: sumOf(answered, ({ cached_tokens }) => cached_tokens),
    completion_tokens: sumOf(answered, ({ completion_tokens }) => completion_tokens),
  });
  const times = answered.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b);
  for (const [name, share] of [
    ['request_time_p50', 0.5],
    ['request_time_p95', 0.95],
    ['request_time_p99', 0.99],
  ] as const) {
    const exact = times[Math.max(1, Math.ceil(times.length * share)) - 1];
    if (exact === undefined) expect(figures[name]).toBeNull();
    else expect(Math.abs((figures[name] ?? -1) - exact)).toBeLessThanOrEqual(exact * 0.05 + 0.5);
  }
}

const inside = (from: number, to: number) => stored.filter(({ created_at }) => created_at >= from && created_at < to);

/** By the calendar, as it is when the clocks never change. */
function stepName(time: number, step: TimeStep, utcOffset: number): string {
  const date = new Date((time + utcOffset * 60) * 1000);
  const [day = '', rest = ''] = date.toISOString().split('T');
  if (step === 'hour') return `${day} ${rest.slice(0, 2)}`;
  if (step === 'day') return day;
  if (step === 'month') return day.slice(0, 7);
  const monday = new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY * 1000);
  return monday.toISOString().slice(0, 10);
}

const START = NOW - 20 * DAY - (NOW % 900);
const END = NOW;
const question = { start_timestamp: START, end_timestamp: END } as const;
const BEFORE = START - (Math.floor(END / 900) * 900 + 900 - START);

async function expectSums(splits: readonly Dimension[]): Promise<void> {
  for (const split of splits) {
    const answer = await ask.ask({ query: { ...question, split, top: 2, measure: 'requests' } });
    expectFigures(answer.total.current, inside(START, END + 1));
    expectFigures(answer.total.before, inside(BEFORE, START));
    const kept = new Set(answer.rows.map(({ key }) => key));
    for (const row of answer.rows) {
      expectFigures(
        row.current,
        inside(START, END + 1).filter((record) => keyOf[split](record) === row.key),
      );
      expectFigures(
        row.before,
        inside(BEFORE, START).filter((record) => keyOf[split](record) === row.key),
      );
    }
    const rest = inside(START, END + 1).filter((record) => !kept.has(keyOf[split](record)));
    expect(answer.others === null).toBe(rest.length === 0);
    if (answer.others !== null) expectFigures(answer.others.current, rest);
  }
}

async function expectSteps(utc_offset: number): Promise<void> {
  for (const step of timeSteps) {
    const answer = await ask.ask({ query: { ...question, step, utc_offset, split: 'model', measure: 'requests' } });
    const whole = await ask.ask({ query: { ...question, step, utc_offset } });
    const names = answer.steps.map((time) => stepName(time, step, utc_offset));
    expect(new Set(names).size).toBe(names.length);
    for (const [at, name] of names.entries()) {
      const list = inside(START, END + 1).filter(({ created_at }) => stepName(created_at, step, utc_offset) === name);
      const figures = whole.by_step[at];
      if (figures === undefined) throw new Error('a step has no figures');
      expectFigures(figures, list);
      expect(answer.total_line[at]).toBe(figures.requests);
      for (const [place, line] of answer.lines.entries()) {
        const key = answer.rows[place]?.key;
        expect(line[at]).toBe(list.filter(({ model, type }) => model === key && type === 'consume').length);
      }
    }
    const before = answer.total_line_before.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    expect(before).toBe(answer.total.before.requests);
  }
}

test('sums are those of the records, before hours are packed and after it', async () => {
  await expectSums(['model', 'status']);
  await updateHourRollups(app.ctx);
  const { count } = await app.ctx.db.writer
    .selectFrom('usage_slice')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBeGreaterThan(400);
  await expectSums(dimensions);
});

test.each([0, 330, -210, 840, -840])(
  'hours, days, weeks and months are those of a viewer %d minutes from UTC, all year',
  (offset) => expectSteps(offset),
);

test('filters apply together, with several values of several dimensions', async () => {
  const [ann, bob] = users;
  const answer = await ask.ask({
    query: {
      ...question,
      user: [String(ann?.id), String(bob?.id)],
      model: ['own,model', '=cmd|calc'],
      stream: ['true'],
      status: ['answered'],
      channel: ['0', '77'],
    },
  });
  const list = inside(START, END + 1).filter(
    (record) =>
      [ann?.id, bob?.id].some((id) => id === record.user_id) &&
      ['own,model', '=cmd|calc'].includes(record.model) &&
      record.is_stream === 1 &&
      record.type === 'consume' &&
      [null, 77].includes(record.channel_id),
  );
  expect(list.length).toBeGreaterThan(5);
  expectFigures(answer.total.current, list);
  expect(answer.filtered.user?.map(({ name }) => name)).toEqual(['ann', 'bob']);
  expect(answer.filtered.channel?.map(({ name }) => name)).toEqual(['0', '77']);
});

test('an owner is a filter, too', async () => {
  const answer = await ask.ask({ query: { ...question, owner: ['OpenAI'], split: 'model' } });
  expect(answer.rows.map(({ key }) => key)).toEqual(['gpt-4o']);
});

test('filters by models without a known owner, alone and with others', async () => {
  const modelsOf = async (owner: string[]) =>
    (await ask.ask({ query: { ...question, owner, split: 'model' } })).rows.map(({ key }) => key).toSorted();
  expect(await modelsOf([''])).toEqual(['=cmd|calc', 'own,model']);
  expect(await modelsOf(['', 'OpenAI'])).toEqual(['=cmd|calc', 'gpt-4o', 'own,model']);
});

test('a period that is not over is compared with as much of the one before', async () => {
  const day = NOW - (NOW % DAY);
  const answer = await ask.ask({ query: { start_timestamp: day, end_timestamp: day + DAY - 1, step: 'hour' } });
  expectFigures(answer.total.before, inside(day - DAY, NOW - (NOW % 900) + 900 - DAY));
  expect(answer.steps).toHaveLength(13);
});

test('the largest by the measure come first, and only so many', async () => {
  const answer = await ask.ask({ query: { ...question, split: 'user', measure: 'errors', top: 1 } });
  const errorsOf = (id: number) =>
    inside(START, END + 1).filter(({ user_id, type }) => user_id === id && type === 'error').length;
  expect(answer.rows[0]?.current.errors).toBe(Math.max(...users.map(({ id }) => errorsOf(id))));
  expect(answer.others?.values).toBe(2);
  expect(answer.lines).toHaveLength(1);
  expect(answer.others_line).not.toBeNull();
});

test('a deleted value keeps its name, and an unknown one is shown by its id', async () => {
  await app.ctx.db.writer.updateTable('channel').set({ deleted_time: NOW }).execute();
  const { rows } = await ask.ask({ query: { ...question, split: 'channel' } });
  expect(rows.map(({ name }) => name).toSorted()).toEqual(['0', '77', 'first, "best"']);
});

test.each([
  ['an unknown dimension', 'split=planet'],
  ['an unknown measure', 'measure=luck'],
  ['an unknown step', 'step=fortnight'],
  ['an offset that no time zone has', 'utc_offset=-7'],
  ['a user that is no id', 'user=ann'],
  ['a state of calls that there is not', 'status=maybe'],
  ['an escape that is none', 'model=%25E0%25A4%25A'],
  ['more rows than there are', 'top=1000'],
])('%s is refused', async (_what, text) => {
  const answer = await admin.fetch(`/api/analytics?start_timestamp=0&end_timestamp=1&${text}`);
  expect(answer.status).toBe(400);
});

test('a time that ends before it begins, or of too many steps, is refused with a sentence', async () => {
  await expect(ask.ask({ query: { start_timestamp: 2, end_timestamp: 1 } })).rejects.toThrow(/before its start/);
  const query = { start_timestamp: NOW - 401 * DAY, end_timestamp: NOW, step: 'hour' } as const;
  await expect(ask.ask({ query })).rejects.toThrow(/more than 1000 steps/);
  await expect(ask.ask({ query: { start_timestamp: 0, end_timestamp: 253_402_300_799 } })).rejects.toThrow(
    /more than 1000 steps/,
  );
});

test('the table is the one on the screen, and nothing in it is run by a spreadsheet', async () => {
  const linesOf = async (top: number) =>
    (await ask.export({ query: { ...question, split: 'model', top } })).trimEnd().split('\r\n');
  const all = await linesOf(4);
  expect(all[0]).toMatch(/^model,name,charged,cost,margin/);
  expect(all.filter((line) => line.startsWith("'=cmd|calc,'=cmd|calc,"))).toHaveLength(1);
  expect(all.filter((line) => line.startsWith('"own,model","own,model",'))).toHaveLength(1);
  expect(all.at(-1)).toMatch(/^,total,/);
  const largest = await linesOf(3);
  expect(largest).toHaveLength(6);
  expect(largest.at(-2)).toMatch(/^,others \(1\),/);
  const byStep = await ask.export({ query: { ...question, step: 'week' } });
  expect(byStep.split('\r\n')[1]).toMatch(/^2026-02-28T12:15:00.000Z,\d+/);
});

test('values to filter by are found by a part of their names', async () => {
  const find = async (dimension: Dimension, keyword: string) =>
    (await ask.values({ query: { dimension, keyword } })).map(({ name }) => name);
  expect(await find('user', 'AN')).toContain('ann');
  expect(await find('user', String(users[1]?.id))).toContain('bob');
  expect(await find('model', 'sonnet')).toEqual(['claude-sonnet-4']);
  expect(await find('owner', 'open')).toEqual(['OpenAI']);
  expect(await find('channel', 'best')).toEqual(['first, "best"']);
});

test('rejects callers who may not read the usage of all users', async () => {
  for (const path of [
    '/api/analytics?start_timestamp=0&end_timestamp=1',
    '/api/analytics/statistics',
    '/api/analytics/views',
  ])
    expect((await users[0]?.fetch(path))?.status).toBe(403);
});

test('statistics count users and objects, and money for users who may see it', async () => {
  const { users: people, recharge } = await ask.statistics();
  expect(people).toEqual({ total: 4, invited: 0, disabled: 0 });
  expect(recharge).toEqual({ codes: 0, code_quota: 0, orders: [] });
});

test('thousands of values are the largest and the others', async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => ({
    created_at: NOW - 60,
    model: `model-${index}`,
    quota: index,
  }));
  await insertUsageRecords(app.ctx, admin.id, many);
  const answer: Analysis = await ask.ask({
    query: { start_timestamp: NOW - 900, end_timestamp: NOW, split: 'model', step: 'hour' },
  });
  expect(answer.rows.map(({ key }) => key).slice(0, 2)).toEqual(['model-2999', 'model-2998']);
  expect(answer.rows).toHaveLength(10);
  expect(answer.others?.values).toBeGreaterThanOrEqual(2_990);
});

test('packed hours stay when the records are deleted', async () => {
  const before = await ask.ask({ query: { ...question, split: 'user' } });
  await advanceWhile(app.clock, 0.05, removeRecordsBefore(app.ctx, NOW - 2 * DAY));
  expect(await ask.ask({ query: { ...question, split: 'user' } })).toEqual(before);
});

test('omits unpacked calls if there are many, and reports that', async () => {
  const from = NOW - 9 * HOUR;
  await app.ctx.db.writer
    .deleteFrom('usage_slice')
    .where('hour', '>=', from - HOUR)
    .execute();
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 50001)
    insert into usage_record (request_id, created_at, type, user_id, model, group_symbol, quota, prompt_tokens,
      completion_tokens, cached_tokens, duration_ms, first_byte_ms, is_stream, address, usage_source, content, detail)
    select 'many-' || i, ${NOW - 8 * HOUR}, 'consume', 1, 'm', 'default', 1, 1, 1, 0, 1, 1, 0, '', 'reported', '', '{}'
    from n`.execute(app.ctx.db.writer);
  const answer = await ask.ask({ query: question });
  expect(answer.complete_until).toBeGreaterThan(from - 2 * HOUR);
  expect(answer.total.current.requests).toBeLessThan(5_000);
  await updateHourRollups(app.ctx);
  const later = await ask.ask({ query: question });
  expect(later.complete_until).toBeNull();
  expect(later.total.current.requests).toBeGreaterThan(50_000);
});

test('returns zero or unknown values without calls', async () => {
  const empty = await useFeatureApp(parts, { now: NOW * 1000 });
  const root = await empty.createUser('root');
  const answer = await root.api(analytics).ask({ query: { ...question, split: 'owner' } });
  expect(answer).toMatchObject({ rows: [], others: null, lines: [], others_line: null, complete_until: null });
  expect(answer.total.current).toMatchObject({ charged: 0, cost: null, error_rate: null, request_time_p50: null });
  expect(await root.api(analytics).export({ query: { ...question, split: 'user' } })).toContain('total,0,');
});
