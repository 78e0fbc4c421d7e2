/**
 * P5: streams that are interrupted in every way or report usage in unusual ways. The charge is always what the upstream
 * reported, or what the documented rule computes from the bytes that the client received.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { NANO_POINTS_PER_POINT } from '../../packages/contract/src/catalog/price-rates.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import type { ServedRequest } from '../scripted-upstream/scripted-upstream.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { computeExpectedPoints } from './billing-rule.ts';
import { buildChatBody, openRawChat } from './raw-stream.ts';
import { removeRateLimits } from './remove-rate-limits.ts';

const RUNS = pick(250, 500, 10_000);
const AT_ONCE = 20;
/** Approximate bytes of the longest of these responses. */
const BYTES_MAX = 25_000;

/** Below the rate of abandoned requests at which the gateway refuses a user. */
const OWNERS = pick(4, 4, 40);

let scene: RelayScene;
let keys: string[];

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
  await removeRateLimits(scene.admin);
  keys = [];
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const user = await scene.createUser('user', { quota: 1_000_000_000 });
    keys.push(await scene.newKey({ unlimited_quota: true }, user));
  }
  const rates = { input: NANO_POINTS_PER_POINT, output: NANO_POINTS_PER_POINT };
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: 'scripted*', rates }) });
});
afterAll(() => scene.close());

/** Between 0 and 1: the same in each run, distributed evenly. */
const share = (nth: number, salt: number): number => (nth * 0.618_033_988 + salt * 0.414_213_562) % 1;

/** The gateway drains an abandoned stream for 600 ms; usage that arrives by then must be used. */
const SURELY_AWAITED_MS = 400;

const usages = ['', '+no-usage', '+usage-twice', '+growing-usage'];

const tokensOf = (nth: number): number => 20 + Math.floor(share(nth, 1) * 80);
/** Bytes per token, of some 200 on the wire, that a client reads before it leaves shortly before the end. */
const LATE_BYTES_OF_TOKEN = 140;

/** How the upstream behaves, every second time long after its client left; a number makes the model's name unique. */
function modelOf(nth: number): string {
  const tokens = tokensOf(nth);
  const cutAfter = Math.floor(share(nth, 2) * (tokens + 4));
  const way = ['', '', `+cut-after-${cutAfter}`, '+error-in-stream'][Math.floor(nth / 4) % 4] ?? '';
  const drip = nth % 2 === 1 && Math.floor(nth / 16) % 2 === 1 ? 40 : 2;
  return `scripted+tokens-${tokens}+drip-${drip}ms${usages[nth % 4] ?? ''}${way}+run-${nth}`;
}

/** Some clients leave shortly before the end of a fast stream that reports its usage, so that some are drained. */
function leaveAfterBytes(nth: number): number {
  return nth % 32 === 3 ? tokensOf(nth) * LATE_BYTES_OF_TOKEN : share(nth, 3) * BYTES_MAX;
}

interface Run {
  model: string;
  body: string;
  received: string;
  /** Time by `performance.now()`; undefined if the client stayed until the end. */
  leftAt: number | undefined;
}

/** Every second client leaves after so many bytes: it closes its side and reads the remaining bytes. */
async function runOne(nth: number): Promise<Run> {
  const model = modelOf(nth);
  const body = buildChatBody(model);
  const leaveAfter = nth % 2 === 1 ? leaveAfterBytes(nth) : Number.POSITIVE_INFINITY;
  let leftAt: number | undefined;
  const stream = openRawChat(scene.url, keys[nth % OWNERS] ?? '', body, (bytes, socket) => {
    if (leftAt !== undefined || bytes < leaveAfter) return;
    leftAt = performance.now();
    socket.end();
  });
  await stream.closed;
  return { model, body, received: stream.body().toString(), leftAt };
}

async function runAll(): Promise<Run[]> {
  const runs: Run[] = [];
  let nth = 0;
  const client = async (): Promise<void> => {
    while (nth < RUNS) runs.push(await runOne(nth++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await scene.waitUntilSettled();
  return runs;
}

interface Outcome {
  model: string;
  charge: number;
  /** Expected charge: what the upstream reported, else by the bytes that the client received. */
  owed: number;
  cancelMs: number | undefined;
  source: string;
  /** Whether the upstream reported and ended so soon after its client left that the gateway must have received it. */
  mustBeReported: boolean;
}

function judge(run: Run, record: { quota: number; usage_source: string }, served: ServedRequest): Outcome {
  const { usage_source: source, quota: charge } = record;
  const reported = (served.usage?.input ?? 0) + (served.usage?.output ?? 0);
  const owed = source === 'reported' ? reported : computeExpectedPoints(run.body, run.received);
  const { disconnectedAt, finishedAt } = served;
  const mustBeReported =
    run.leftAt !== undefined &&
    finishedAt !== undefined &&
    finishedAt - run.leftAt < SURELY_AWAITED_MS &&
    reported > 0 &&
    charge > 0 &&
    !run.model.includes('error-in-stream');
  const cancelMs = run.leftAt === undefined || disconnectedAt === undefined ? undefined : disconnectedAt - run.leftAt;
  return { model: run.model, charge, owed, cancelMs, source, mustBeReported };
}

test(`${RUNS} interrupted streams are charged by the documented rule`, async () => {
  const runs = await runAll();
  const records = new Map((await scene.records()).map((record) => [record.model, record]));
  const served = new Map(scene.upstream.requests.map((request) => [String(request.json['model']), request]));
  expect(records.size).toBe(RUNS);
  const outcomes = runs.map((run) => {
    const record = records.get(run.model);
    const request = served.get(run.model);
    if (record === undefined || request === undefined) throw new Error(`${run.model} left no trace`);
    return judge(run, record, request);
  });

  expect(outcomes.filter(({ charge, owed }) => Math.abs(charge - owed) > 1)).toEqual([]);
  expect(outcomes.filter(({ charge, owed }) => (charge === 0) !== (owed === 0))).toEqual([]);
  const awaited = outcomes.filter(({ mustBeReported }) => mustBeReported);
  expect(awaited.filter(({ source }) => source !== 'reported')).toEqual([]);
  expect(awaited.length).toBeGreaterThan(RUNS / 50);
  expect((await verifyLedger(scene.ctx.db.writer)).problems).toEqual([]);

  const exact = outcomes.filter(({ charge, owed }) => charge === owed).length;
  const free = outcomes.filter(({ charge }) => charge === 0).length;
  const counted = outcomes.filter(({ source }) => source !== 'reported').length;
  expect(free).toBeGreaterThan(0);
  expect(counted).toBeGreaterThan(RUNS / 5);
  const cancels = outcomes.flatMap(({ cancelMs }) => cancelMs ?? []).toSorted((a, b) => a - b);
  const p99 = cancels[Math.floor(cancels.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  expect(cancels.length).toBeGreaterThan(RUNS / 10);
  expect(p99).toBeLessThan(1_000);
  reportMeasurement(
    'P5',
    `${RUNS} streams, half left by their client: ${counted} counted, ${free} free, ${exact} exactly what the oracle says, the others within 1 point; ` +
      `upstream cancelled after ${p99.toFixed(0)} ms (p99 of ${cancels.length})`,
  );
});
