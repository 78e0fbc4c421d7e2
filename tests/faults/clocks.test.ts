/** Nodes whose clocks differ by a day charge once, on the right day, and keep each other's work. */
import { points } from '@switchyard/contract/money';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { queueMail } from '../../apps/server/src/operations/mail/mail.ts';
import { runSql } from '../../apps/server/src/testing/any-table.ts';
import { startFaultyProxy } from '../../apps/server/src/testing/faulty-proxy.ts';
import { type MailServer, startMailServer } from '../../apps/server/src/testing/mail-server.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { type Nodes, startNodes } from '../../apps/server/src/testing/start-nodes.ts';
import type { TestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createTestClock } from '../../apps/server/src/testing/test-clock.ts';
import { signIn } from '../../apps/server/src/testing/visitor.ts';
import { updateHourRollups } from '../../apps/server/src/usage/analytics/analytics.ts';
import { updateDayRollups, writeGroupRollups } from '../../apps/server/src/usage/usage-records/usage-records.ts';
import { createConsumeRecord } from './consume-record.ts';

const DAY = 86_400;
const HOUR = 3_600;
/** Tolerance for a busy machine; a wrong clock would exceed it by far. */
const NEAR_SECONDS = 600;

const machines = {
  right: createTestClock(undefined),
  ahead: createTestClock(undefined),
  behind: createTestClock(undefined),
};
machines.ahead.jump(DAY);
machines.behind.jump(-DAY);

let started: Nodes | undefined;
let nodes: Nodes;
let all: TestApp[];
let mails: MailServer;

beforeAll(async () => {
  started = await startNodes({ machineClock: machines.right, config: { publicUrl: 'https://gate.example' } });
  if (started === undefined) return;
  mails = await startMailServer();
  nodes = started;
  const others = [
    await nodes.start({ machineClock: machines.ahead }),
    await nodes.start({ machineClock: machines.behind }),
  ];
  all = [nodes.first, ...others];
  await nodes.first.newChannel({});
});
beforeEach((context) => {
  if (started === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(async () => {
  if (started === undefined) return;
  for (const node of all.slice(1)) await node.close();
  await nodes.close();
  await mails.close();
});

const now = (): number => Math.floor(Date.now() / 1000);
const ask = (node: TestApp, key: string, headers: Record<string, string> = {}) =>
  fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'scripted',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Say something.' }],
    }),
  });
const written = () => Promise.all(all.map(({ ctx }) => ctx.ledger.transaction(async () => {})));

test('calls on all nodes are charged once, on one day, and share the budget of that day', async () => {
  const { first } = nodes;
  const { writer } = first.ctx.db;
  expect((await ask(first, first.key)).status).toBe(200);
  await first.waitUntilSettled();
  const [sample] = await first.records();
  const charge = sample?.quota ?? 0;
  expect(charge).toBeGreaterThan(0);
  const budgets = { day: points.parse(40 * charge), week: null, month: null };
  const key = await first.newKey({
    name: 'with a budget',
    unlimited_quota: true,
    setting: {
      heartbeat: { enabled: false, timeout_seconds: 30 },
      strict_translation: false,
      limits: {
        concurrency: 0,
        tokens_per_minute: 0,
        limit_model_setting: { enabled: false, models: [] },
        limits_ip_setting: { enabled: false, whitelist: [] },
        budgets,
      },
    },
  });
  let answered = 0;
  let refusedInRow = 0;
  for (let n = 0; refusedInRow < all.length; n += 1) {
    const node = all[n % all.length] ?? first;
    const { status } = await ask(node, key);
    if (status === 200) answered += 1;
    refusedInRow = status === 200 ? 0 : refusedInRow + 1;
    await written();
  }
  expect(answered).toBeGreaterThan(3);
  expect(answered * charge).toBeLessThanOrEqual(budgets.day);
  const days = await writer
    .selectFrom('key_day')
    .innerJoin('api_key', 'api_key.id', 'key_day.api_key_id')
    .select(['day', (eb) => eb.fn.sum<number>('used').as('used')])
    .where('api_key.name', '=', 'with a budget')
    .groupBy('day')
    .execute();
  expect(days).toEqual([{ day: now() - (now() % DAY), used: answered * charge }]);
  const dated = await writer
    .selectFrom('usage_record')
    .select('created_at')
    .unionAll(writer.selectFrom('ledger_entry').select('created_at'))
    .execute();
  expect(dated.filter(({ created_at }) => Math.abs(created_at - now()) > NEAR_SECONDS)).toEqual([]);
  expect((await verifyLedger(writer)).problems).toEqual([]);
});

test('an idempotency key and a session expire at the right time on every node', async () => {
  const { first } = nodes;
  const [, ahead = first, behind = first] = all;
  const before = first.upstream.requests.length;
  const answers: string[] = [];
  // A response is stored only after it was sent.
  const isKept = async (): Promise<boolean> => {
    const { status } = await first.ctx.db.writer
      .selectFrom('idempotency_key')
      .select('status')
      .where('key', '=', 'the-same')
      .executeTakeFirstOrThrow();
    return status !== null;
  };
  for (const node of [behind, ahead, first, behind]) {
    const answer = await ask(node, first.key, { 'idempotency-key': 'the-same' });
    answers.push(await answer.text());
    await expect.poll(isKept).toBe(true);
  }
  expect(new Set(answers).size).toBe(1);
  expect(first.upstream.requests.length).toBe(before + 1);
  for (const from of all) {
    const headers = await signIn(from.url, first.user.username, first.user.password);
    for (const to of all) expect((await fetch(`${to.url}/api/user/self`, { headers })).status).toBe(200);
  }
  const rows = await first.ctx.db.writer.selectFrom('session').select('created_time').execute();
  expect(rows.filter(({ created_time }) => Math.abs(created_time - now()) > NEAR_SECONDS)).toEqual([]);
});

test('no node rolls up hours and days that have not ended', async () => {
  const { writer } = nodes.first.ctx.db;
  for (const { ctx } of all) {
    await updateHourRollups(ctx);
    await updateDayRollups(ctx);
    await writeGroupRollups(ctx);
  }
  const [hour, day] = [now() - (now() % HOUR), now() - (now() % DAY)];
  for (const packed of [
    writer.selectFrom('usage_slice').select('hour').where('hour', '>=', hour),
    writer.selectFrom('summarised_day').select('day').where('day', '>=', day),
    writer.selectFrom('usage_group_day').select('day').where('day', '>=', day),
  ])
    expect(await packed.execute()).toEqual([]);
});

test('a queued mail is sent soon, and once', async () => {
  const { ctx } = nodes.first;
  await setOptions(ctx, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mails.port),
    SMTPAccount: '',
    SMTPToken: '',
    SMTPFrom: 'gate@gate.example',
  });
  await expect.poll(() => all.every((node) => node.ctx.settings.smtpPort === mails.port)).toBe(true);
  const recipients = all.map((_, nth) => `reader-${nth}@example.org`);
  for (const [nth, node] of all.entries())
    await node.ctx.db.writer
      .transaction()
      .execute((trx) =>
        queueMail(node.ctx, { to: recipients[nth] ?? '', template: 'smtp-test', language: 'en_US', values: {} }, trx),
      );
  await expect.poll(() => mails.messages.map(({ to }) => to).toSorted()).toEqual(recipients);
});

test('a clock that changes on a machine or in the database ends only the holds of dead nodes', async () => {
  const { first } = nodes;
  const { writer } = first.ctx.db;
  const [, ahead = first, behind = first] = all;
  const line = await startFaultyProxy(first.ctx.config.databaseUrl ?? '');
  const dying = await nodes.start({ machineClock: createTestClock(undefined), config: { databaseUrl: line.url } });
  onTestFinished(async () => {
    line.restore();
    await dying.close();
    await line.close();
  });
  const hold = (node: TestApp, requestId: string) =>
    node.ctx.ledger.hold({ requestId, userId: first.user.id, apiKeyId: null, limited: false, amount: 100 });
  const isHeld = async (requestId: string): Promise<boolean> =>
    (await writer.selectFrom('hold').select('amount').where('request_id', '=', requestId).execute()).length > 0;
  await hold(ahead, 'of the living');
  await hold(behind, 'of the other living');
  await hold(dying, 'of the dead');
  line.cut();
  machines.ahead.jump(-2 * DAY);
  machines.behind.jump(2 * DAY);
  // Changes the clock of the leases; the time for everything else continues.
  await runSql(
    first.ctx.db,
    `create or replace function unixepoch() returns bigint stable parallel safe language sql
      as 'select floor(extract(epoch from now()))::bigint + ${DAY}'`,
  );
  await expect.poll(() => isHeld('of the dead'), { timeout: 90_000, interval: 1_000 }).toBe(false);
  expect([await isHeld('of the living'), await isHeld('of the other living')]).toEqual([true, true]);
  await ahead.ctx.ledger.settle('of the living', 60, createConsumeRecord('of the living', first.user.id, null, 60));
  behind.ctx.ledger.release('of the other living');
  await written();
  expect(await first.ctx.ledger.readCharge('of the living')).toBe(60);
  expect((await verifyLedger(writer)).problems).toEqual([]);
});
