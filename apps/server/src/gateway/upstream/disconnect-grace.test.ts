/** A disconnect before the usage report saves neither delivered tokens nor hidden reasoning. */
import { createChatTest } from '@switchyard/relay';
import { emptyUsage } from '@switchyard/relay/usage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultPhaseLimits } from '../../testing/phase-limits.ts';
import { NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import {
  formatChatChunk,
  formatChatEnd,
  type StreamingUpstream,
  startStreamingUpstream,
} from '../../testing/streaming-upstream.ts';
import { createDrainBudget } from './disconnect-grace.ts';

const REASONING = 20_000;
/** Seconds, of which a channel allows 120 between two pieces of content. */
const LONG_AFTER = 110;

let scene: RelayScene;
const upstreams: StreamingUpstream[] = [];

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
});
afterAll(async () => {
  await scene.close();
  for (const upstream of upstreams) await upstream.close();
});

interface Thinker extends StreamingUpstream {
  /** Waits for a request whose answer has not ended, and ends that. */
  report(): Promise<void>;
}

/** Sends a few words, reasons until `report` is called, and ends. */
async function newThinker(model: string, reasoning: number): Promise<Thinker> {
  const thinking: (() => void)[] = [];
  const upstream = await startStreamingUpstream(async (response) => {
    response.write(formatChatChunk({ content: 'The answer is 42 ###END' }));
    await new Promise<void>((resolve) => void thinking.push(resolve));
    const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
    response.end(formatChatEnd({ prompt_tokens: 10, completion_tokens: reasoning + 8, ...details }));
  });
  upstreams.push(upstream);
  await scene.newChannel({ base_url: upstream.url, models: [model] });
  return Object.assign(upstream, {
    async report() {
      await expect.poll(() => thinking.length, { interval: 10 }).toBe(1);
      thinking.pop()?.();
    },
  });
}

async function readWhole(model: string, thinker: Thinker): Promise<void> {
  const answering = scene.chat(model, { stream: true });
  await thinker.report();
  await (await answering).text();
}

/** Resolves when the gateway has noticed that the client left. */
async function leaveBeforeEnd(model: string): Promise<void> {
  const body = { model, stream: true, messages: [{ role: 'user', content: 'x' }] };
  await leaveAfterFirstBytes('/v1/chat/completions', body);
}

async function leaveAfterFirstBytes(path: string, body: object): Promise<void> {
  const leaving = new AbortController();
  const response = await scene.post(path, body, { signal: leaving.signal });
  await response.body?.getReader().read();
  const left = scene.waitForDisconnect();
  leaving.abort();
  await left;
}

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

test('a report that comes within a moment after the client left is charged', async () => {
  const thinker = await newThinker('quick', 0);
  await leaveBeforeEnd('quick');
  scene.clock.advance(0.5);
  await thinker.report();
  expect(await lastRecord()).toMatchObject({ usage_source: 'reported', completion_tokens: 8 });
});

test('charges hidden reasoning also after a disconnect before its usage report', async () => {
  const thinker = await newThinker('thinker', REASONING);
  await readWhole('thinker', thinker);
  expect((await lastRecord()).completion_tokens).toBe(REASONING + 8);
  await leaveBeforeEnd('thinker');
  scene.clock.advance(LONG_AFTER);
  await thinker.report();
  const left = await lastRecord();
  expect(left).toMatchObject({ usage_source: 'reported', completion_tokens: REASONING + 8 });
  expect(JSON.parse(left.detail).ending).toBe('client-left');
  expect(thinker.cancelled).toBe(0);
});

test('a stream that hides nothing is cancelled within a second after its client left', async () => {
  const thinker = await newThinker('plain', 0);
  await readWhole('plain', thinker);
  await leaveBeforeEnd('plain');
  scene.clock.advance(0.5);
  expect(scene.ctx.ledger.openHolds).toBe(1);
  scene.clock.advance(0.5);
  expect(await lastRecord()).toMatchObject({ usage_source: 'estimated' });
  await expect.poll(() => thinker.cancelled).toBe(1);
});

test('gives up a stream that falls silent after its client left, and charges the delivered content', async () => {
  const thinker = await newThinker('silent-thinker', REASONING);
  await readWhole('silent-thinker', thinker);
  await leaveBeforeEnd('silent-thinker');
  scene.clock.advance(LONG_AFTER);
  expect(scene.ctx.ledger.openHolds).toBe(1);
  scene.clock.advance(15);
  expect(await lastRecord()).toMatchObject({ usage_source: 'estimated' });
  await expect.poll(() => thinker.cancelled).toBe(1);
});

const MOMENT = 600;
const { totalMs } = defaultPhaseLimits;
const channel = { id: 1, deadlines: defaultPhaseLimits };

function budgetAfter(deliveredCharacters: number, reasoning: number) {
  const budget = createDrainBudget();
  budget.recordUsage(1, 'gpt-5', createChatTest('gpt-5'), {
    usage: { ...emptyUsage(), output: 100, reasoning },
    finished: true,
    deliveredCharacters,
    deliveredWideCharacters: 0,
    deliveredSample: '',
    servedModel: undefined,
  });
  return budget;
}

test.each([
  ['shown', 4_000, 900, MOMENT],
  ['shown in part', 2_400, 900, MOMENT],
  ['hidden', 400, 900, totalMs],
  ['not reported', 400, 0, MOMENT],
])('reasoning that is %s', (_how, deliveredCharacters, reasoning, ms) => {
  const budget = budgetAfter(deliveredCharacters, reasoning);
  const stream = { userId: 1, channel, upstreamModel: 'gpt-5' };
  expect(budget.startDrain(stream).ms).toBe(ms);
  expect(budget.startDrain({ ...stream, channel: { ...channel, id: 2 } }).ms).toBe(MOMENT);
  const deadlines = { ...defaultPhaseLimits, drainMs: 5_000 };
  expect(budget.startDrain({ ...stream, channel: { id: 1, deadlines } }).ms).toBe(5_000);
});

test('limits the streams of a user that are drained to their end', () => {
  const budget = budgetAfter(400, 900);
  const stream = { userId: 1, channel, upstreamModel: 'gpt-5' };
  const drains = Array.from({ length: 1_000 }, () => budget.startDrain(stream));
  expect(drains.filter(({ ms }) => ms > MOMENT)).toHaveLength(100);
  expect(budget.startDrain({ ...stream, userId: 2 }).ms).toBe(totalMs);
  for (const drain of drains) drain.end();
  expect(budget.startDrain(stream).ms).toBe(totalMs);
});
