/**
 * A redemption code is credited once (P3), regardless of concurrent redemptions, repeated calls and kills of the
 * process.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAccessToken } from '../../apps/server/src/accounts/access-tokens/access-tokens.ts';
import { createAccount } from '../../apps/server/src/accounts/users/users.ts';
import { createBatch } from '../../apps/server/src/billing/redemption-codes/create-batch.ts';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { startTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createBatch as batchSchema } from '../../packages/contract/src/billing/redemption-codes.ts';
import type { UserId } from '../../packages/contract/src/ids.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  readCpuSeconds,
  startProduct,
} from './start-product.ts';

const USERS = pick(400, 1_000);
const TIMES_OF_ONE = 100;
const KILLS = pick(3, 12, 300);
/** Kills are added while none hits between two responses. */
const KILLS_MAX = Math.max(KILLS, 12);
const CODES_IN_ROUND = 60;
const QUOTA = 1_000;
const CPU_SECONDS_MAX = 2;
const KILL_AFTER_MS_MAX = 120;
const FIRST_ANSWER_MS = 60_000;

let folder: ProductFolder;
let root: { userId: UserId };
/** Token of each user. */
let tokens: { userId: number; token: string }[];
/** Unused codes, each taken once. */
let codes: string[];

beforeAll(async () => {
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-redeem-')));
  const app = await startTestApp({ dataDir: folder.dataDir });
  const { ctx } = app;
  root = { userId: await createAccount(ctx, { ...folder.root, role: 'root', group: 'default' }) };
  const accounts = Array.from({ length: USERS }, async (_, index) => {
    const userId = await createAccount(ctx, { username: `buyer-${index}`, role: 'user', group: 'default' });
    const owner = { userId, rights: new Set(['user'] as const) };
    const options = { name: 'x', scopes: ['user' as const], read_only: false, expires_time: 0 };
    const created = await ctx.db.writer.transaction().execute((trx) => createAccessToken(ctx, trx, owner, options));
    return { userId, token: created.token };
  });
  tokens = await Promise.all(accounts);
  const batch = batchSchema.parse({ name: 'Batch', quota: QUOTA, count: 2 + KILLS_MAX * CODES_IN_ROUND });
  codes = [];
  for (let left = batch.count; left > 0; left -= 10_000)
    codes.push(...(await createBatch(ctx, root, { ...batch, count: Math.min(left, 10_000) })).codes);
  await app.close();
});
afterAll(() => rmSync(folder.dataDir, { recursive: true, force: true }));

const takeCode = (): string => codes.pop() ?? '';

/** Cheaper than `fetch`, because the client shares the measured machine. */
const connections = new Agent({ connections: USERS });
afterAll(() => connections.destroy());

/** @returns the error code of the response, or `credited`; undefined without a response */
async function redeem(url: string, token: string, key: string, idempotencyKey?: string): Promise<string | undefined> {
  try {
    const { body } = await request(`${url}/api/user/topup`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ key }),
      dispatcher: connections,
    });
    const answer = (await body.json()) as { success: boolean; code?: string; data?: number };
    return answer.success && answer.data === QUOTA ? 'credited' : answer.code;
  } catch {
    return undefined;
  }
}

async function lookAround(url: string, token: string): Promise<void> {
  const { statusCode, body } = await request(`${url}/api/user/self`, {
    headers: { authorization: `Bearer ${token}` },
    dispatcher: connections,
  });
  await body.dump();
  expect(statusCode).toBe(200);
}

function count(answers: readonly (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer ?? 'no answer'] = (counts[answer ?? 'no answer'] ?? 0) + 1;
  return counts;
}

/** Returns the used codes, the points credited for codes, and discrepancies, from the database. */
async function readBooks() {
  const db = await openProductDatabase(folder.dataDir);
  const used = await db.writer
    .selectFrom('redemption_code')
    .select(['id', 'redeemed_by'])
    .where('status', '=', 'used')
    .orderBy('id')
    .execute();
  const credited = await db.writer
    .selectFrom('ledger_entry')
    .select(['ref', 'user_id', 'user_amount'])
    .where('ref', 'like', 'redeem:%')
    .execute();
  const { problems } = await verifyLedger(db.writer);
  await db.close();
  return { used, credited, problems };
}

/** Checks that a code is used exactly if its user has its points. */
async function expectUsedIsCredited(): Promise<number> {
  const { used, credited, problems } = await readBooks();
  expect(problems).toEqual([]);
  expect(credited.map(({ ref, user_id, user_amount }) => `${ref} ${user_id} ${user_amount}`).toSorted()).toEqual(
    used.map(({ id, redeemed_by }) => `redeem:${id} ${redeemed_by} ${QUOTA}`).toSorted(),
  );
  return used.length;
}

async function withProduct<T>(work: (product: ProductProcess) => Promise<T>): Promise<T> {
  const product = await startProduct(folder);
  try {
    return await work(product);
  } finally {
    await product.stop('SIGTERM');
  }
}

test(`${USERS} users at once: one is credited, all others get the error that the code is used`, async () => {
  const code = takeCode();
  const { answers, tookMs, cpuSeconds } = await withProduct(async ({ url, process: gateway }) => {
    // The users are active in the console: their connections are open, and their sessions are cached.
    await Promise.all(tokens.map(({ token }) => lookAround(url, token)));
    const cpuBefore = readCpuSeconds(gateway);
    const start = performance.now();
    const given = await Promise.all(tokens.map(({ token }) => redeem(url, token, code)));
    const tookMs = performance.now() - start;
    return { answers: given, tookMs, cpuSeconds: readCpuSeconds(gateway) - cpuBefore };
  });
  expect(count(answers)).toEqual({ credited: 1, 'code-used': USERS - 1 });
  expect(await expectUsedIsCredited()).toBe(1);
  reportMeasurement(
    'P3',
    `${USERS} users redeem one code at once: 1 credited, ${USERS - 1} refused, ${Math.round(tookMs)} ms, ${cpuSeconds.toFixed(1)} s of CPU`,
  );
  // CPU time, because the machine's other work does not affect it.
  expect(cpuSeconds).toBeLessThan(CPU_SECONDS_MAX);
});

test(`one user ${TIMES_OF_ONE} times at once: credited once`, async () => {
  const code = takeCode();
  const before = await expectUsedIsCredited();
  const { token = '' } = tokens[0] ?? {};
  const answers = await withProduct(({ url }) =>
    Promise.all(Array.from({ length: TIMES_OF_ONE }, () => redeem(url, token, code))),
  );
  expect(count(answers)).toEqual({ credited: 1, 'code-used': TIMES_OF_ONE - 1 });
  expect(await expectUsedIsCredited()).toBe(before + 1);
  reportMeasurement('P3', `one user redeems one code ${TIMES_OF_ONE} times at once: 1 credited`);
});

interface Attempt {
  token: string;
  code: string;
  idempotencyKey: string;
}

test(`${KILLS} × kill -9: a code is used exactly if it was credited, and a repeated call credits nothing`, async () => {
  const before = await expectUsedIsCredited();
  let unanswered: Attempt[] = [];
  let requestCount = 0;
  let lost = 0;
  let lostButCredited = 0;
  // Some of the responses must get lost, but not all of them.
  const isHit = (): boolean => lost > 0 && lost < requestCount;
  let round = 0;
  for (; round < KILLS || (!isHit() && round < KILLS_MAX); round += 1) {
    const product = await startProduct(folder);
    await repeat(product.url, unanswered);
    const attempts = Array.from({ length: CODES_IN_ROUND }, (_, index) => ({
      token: tokens[(round * CODES_IN_ROUND + index) % USERS]?.token ?? '',
      code: takeCode(),
      idempotencyKey: randomBytes(12).toString('hex'),
    }));
    let answeredCount = 0;
    const running = attempts.map(async (attempt, index) => {
      // Distributed, so that some have responses, some are running and some have not begun.
      await sleep(systemTimers, (index / CODES_IN_ROUND) * KILL_AFTER_MS_MAX);
      const answer = await redeem(product.url, attempt.token, attempt.code, attempt.idempotencyKey);
      answeredCount += 1;
      return { attempt, answer };
    });
    // A busy machine may send no response within the time below. In every second round it counts from the first
    // response.
    if (round % 2 === 1) await vi.waitUntil(() => answeredCount > 0, { timeout: FIRST_ANSWER_MS, interval: 1 });
    // Each round kills at another moment.
    await sleep(systemTimers, 10 + momentOf(round) * KILL_AFTER_MS_MAX);
    await product.stop('SIGKILL');
    const ended = await Promise.all(running);
    const used = await expectUsedIsCredited();
    const answered = ended.filter(({ answer }) => answer === 'credited').length;
    expect(ended.filter(({ answer }) => answer !== 'credited' && answer !== undefined)).toEqual([]);
    expect(used).toBeGreaterThanOrEqual(before + requestCount + answered);
    unanswered = ended.filter(({ answer }) => answer === undefined).map(({ attempt }) => attempt);
    lostButCredited += used - before - requestCount - answered;
    lost += unanswered.length;
    requestCount += attempts.length;
  }
  await withProduct(({ url }) => repeat(url, unanswered));
  expect(await expectUsedIsCredited()).toBe(before + requestCount);
  expect({ lost, asked: requestCount, isHit: isHit() }).toEqual({ lost, asked: requestCount, isHit: true });
  reportMeasurement(
    'P3',
    `${round} × kill -9 among ${requestCount} redemptions: ${lost} answers lost, ${lostButCredited} of them credited; after repetition each credited once`,
  );
});

/** Repeats a call without a response with the same key. */
async function repeat(url: string, attempts: readonly Attempt[]): Promise<void> {
  const answers = await Promise.all(
    attempts.map(({ token, code, idempotencyKey }) => redeem(url, token, code, idempotencyKey)),
  );
  expect(count(answers)).toEqual(attempts.length === 0 ? {} : { credited: attempts.length });
}
