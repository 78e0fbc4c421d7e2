/**
 * P2: one request, one charge. Tries every moment at which an upstream or a commit can fail × how often it fails ×
 * streamed or not; each request is sent with an `Idempotency-Key`, and repeated after its end.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { getSqliteEngine } from '../../apps/server/src/testing/any-table.ts';
import { type CommitFaults, injectCommitFaults } from '../../apps/server/src/testing/commit-faults.ts';
import { type FaultyProxy, startFaultyProxy } from '../../apps/server/src/testing/faulty-proxy.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { RATE_OF_USD_PER_MILLION } from '../../packages/contract/src/catalog/price-rates.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { deadlines } from '../../packages/contract/src/channels/channel-nested-settings.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { findDatabase } from '../test-database.ts';
import { reportMeasurement } from '../tier.ts';
import { type FailurePoint, type FaultyUpstream, startFaultyUpstream, USAGE } from './faulty-upstream.ts';
import { removeRateLimits } from './remove-rate-limits.ts';

const RETRIES_MAX = 5;
/** Longer than the period of the retry budget. */
const RETRY_WINDOW_SECONDS = 11;
/** Each case advances the clock by a period, while the previous ones wait. */
const patient = deadlines.parse({ first_byte: 3_600, first_content: 3_600, idle: 3_600 });
const PORT_WHERE_NOBODY_LISTENS = 1;
const BROKEN_BY_UPSTREAM = [
  'before-connect',
  'after-connect',
  'after-headers',
  'after-first-token',
  'after-usage',
  'after-end',
] as const;
/** Moments after which a non-streaming request is retried on another channel. */
const RETRIED: ReadonlySet<string> = new Set(['after-connect', 'after-headers', 'after-first-token', 'after-usage']);
const BROKEN_BY_COMMIT = ['on-settle-commit', 'commit-lost'] as const;

interface Case {
  moment: (typeof BROKEN_BY_UPSTREAM)[number] | (typeof BROKEN_BY_COMMIT)[number];
  retries: number;
  stream: boolean;
  model: string;
}

/** One US dollar for a million tokens is half a point per token. */
const FULL_PRICE = (USAGE.prompt_tokens + USAGE.completion_tokens) / 2;

/** Where the commits of SQLite and of PostgreSQL fail. */
let commits: CommitFaults;
let line: FaultyProxy | undefined;
let dataDir: string;
let upstream: FaultyUpstream;
let scene: RelayScene;

beforeAll(async () => {
  commits = injectCommitFaults();
  upstream = await startFaultyUpstream();
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-one-charge-'));
  const database = await findDatabase(dataDir);
  if (database !== undefined) line = await startFaultyProxy(database);
  scene = await startRelayScene({ dataDir, config: line === undefined ? {} : { databaseUrl: line.url } });
  await removeRateLimits(scene.admin);
  for (const [key, value] of [
    ['RetryTimes', String(RETRIES_MAX)],
    ['RetryCooldownSeconds', '0'],
  ] as const)
    await scene.admin.api(settings).update({ body: { key, value } });
  const rates = { input: RATE_OF_USD_PER_MILLION, output: RATE_OF_USD_PER_MILLION };
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: 'p2*', rates }) });
  for (let nth = 0; nth <= RETRIES_MAX; nth += 1)
    await scene.newChannel({ name: `good ${nth}`, base_url: upstream.url, models: ['p2*'], deadlines: patient });
});
afterAll(async () => {
  upstream.openGate();
  await scene.close();
  await upstream.close();
  commits.restore();
  await line?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function casesOf(moments: readonly Case['moment'][]): Case[] {
  return moments.flatMap((moment) =>
    [false, true].flatMap((stream) =>
      Array.from({ length: RETRIES_MAX + 1 }, (_, retries) => {
        const model = `p2-${moment}-${retries}-${stream ? 'stream' : 'whole'}`;
        return { moment, retries, stream, model };
      }),
    ),
  );
}

async function prepare({ moment, retries, model }: Case): Promise<void> {
  if (moment !== 'before-connect') {
    const isCommit = moment === 'on-settle-commit' || moment === 'commit-lost';
    const breaks: FailurePoint = isCommit ? 'refused' : moment;
    upstream.planFailures(model, breaks, retries);
    return;
  }
  const base_url = `http://127.0.0.1:${PORT_WHERE_NOBODY_LISTENS}`;
  for (let nth = 0; nth < retries; nth += 1)
    await scene.newChannel({ name: `bad ${nth}`, base_url, models: [model], priority: 10 });
}

interface Outcome {
  requestId: string;
  status: number;
  text: string;
}

async function send({ model, stream }: Case): Promise<Outcome> {
  // The retries of each case must not exceed the budget for these few requests.
  scene.clock.advance(RETRY_WINDOW_SECONDS);
  const body = { model, stream, messages: [{ role: 'user', content: 'Say something.' }] };
  const headers = { 'idempotency-key': model };
  const response = await scene.post('/v1/chat/completions', body, { headers });
  return {
    requestId: response.headers.get('x-request-id') ?? '',
    status: response.status,
    text: await response.text(),
  };
}

async function chargesOf(requestId: string): Promise<number[]> {
  const rows = await scene.ctx.db.writer
    .selectFrom('ledger_entry')
    .select('user_amount')
    .where('kind', '=', 'charge')
    .where('ref', '=', requestId)
    .execute();
  return rows.map(({ user_amount }) => -user_amount);
}

/** Repeats the request, and checks the cost of both together. */
async function checkCharge(one: Case, first: Outcome): Promise<void> {
  const second = await send(one);
  await scene.waitUntilSettled();
  const charges = await chargesOf(first.requestId);
  const isWhole = first.status === 200 && !first.text.includes('"error"');
  // With its usage an answer has all its content, so that a cut after it takes nothing away.
  const brokeOff = one.stream && one.retries > 0 && one.moment === 'after-first-token';
  expect({ one, isWhole, charges: charges.length }, `${first.status} ${first.text.slice(0, 500)}`).toEqual({
    one,
    isWhole: !brokeOff,
    charges: 1,
  });
  if (isWhole) expect(charges).toEqual([FULL_PRICE]);
  expect(charges[0]).toBeGreaterThan(0);
  expect(await chargesOf(second.requestId)).toEqual([]);
  expect(second.status).toBe(first.text === second.text ? 200 : 409);
}

async function checkBooks(): Promise<void> {
  const { ctx } = scene;
  await scene.waitUntilSettled();
  expect((await verifyLedger(ctx.db.writer)).problems).toEqual([]);
  expect(await ctx.db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
}

let checked = 0;

test('an upstream that fails at any moment, up to five times, leaves one charge for each request', async () => {
  const cases = casesOf(BROKEN_BY_UPSTREAM);
  for (const one of cases) await prepare(one);
  for (const one of cases) {
    await checkCharge(one, await send(one));
    if (!one.stream && RETRIED.has(one.moment)) expect(upstream.requestCounts.get(one.model)).toBe(one.retries + 1);
    checked += 1;
  }
  await checkBooks();
});

/** Runs all cases until the moment before their end, breaks the commits, and lets them end. */
async function endUnder(cases: readonly Case[], breakCommits: () => void): Promise<Outcome[]> {
  for (const one of cases) await prepare(one);
  upstream.closeGate();
  const running: Promise<Outcome>[] = [];
  for (const one of cases) {
    running.push(send(one));
    await expect.poll(() => upstream.waitingAtGate, { interval: 5 }).toBe(running.length);
  }
  breakCommits();
  upstream.openGate();
  const outcomes = await Promise.all(running);
  mendCommits();
  await expect.poll(async () => (await scene.ctx.db.writer.selectFrom('hold').selectAll().execute()).length).toBe(0);
  return outcomes;
}

function refuseCommits(): void {
  if (line !== undefined) return line.cut();
  getSqliteEngine(scene.ctx.db).connection.exec('PRAGMA query_only = ON');
}

function loseCommits(): void {
  if (line !== undefined) return line.loseCommits();
  commits.lose(1_000);
}

function mendCommits(): void {
  if (line !== undefined) return line.restore();
  getSqliteEngine(scene.ctx.db).connection.exec('PRAGMA query_only = OFF');
  commits.lose(0);
}

test.each([
  ['on-settle-commit', refuseCommits],
  ['commit-lost', loseCommits],
] as const)('%s: the charge is written once, as soon as it can be', async (moment, breakCommits) => {
  const cases = casesOf([moment]);
  const outcomes = await endUnder(cases, breakCommits);
  for (const [index, one] of cases.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error('a case has no outcome');
    await checkCharge(one, outcome);
    checked += 1;
  }
  await checkBooks();
});

test('every cell of the matrix was tried', () => {
  const cells = (BROKEN_BY_UPSTREAM.length + BROKEN_BY_COMMIT.length) * (RETRIES_MAX + 1) * 2;
  expect(checked).toBe(cells);
  reportMeasurement(
    'P2',
    `${cells} cells of the fault matrix, each sent twice with one key: ${checked} with one charge each`,
  );
});
