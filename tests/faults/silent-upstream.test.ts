/**
 * P24: in whichever phase an upstream falls silent, its client gets an error in time: a status if nothing was sent,
 * else an error event, and never a normal end. Clients that never finish their requests do not delay others.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import {
  ANTHROPIC,
  OPENAI_COMPATIBLE,
  type RelayScene,
  startRelayScene,
} from '../../apps/server/src/testing/relay-scene.ts';
import { deadlines } from '../../packages/contract/src/channels/channel-nested-settings.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { systemInfo } from '../../packages/contract/src/operations/system-info.ts';
import { listen } from '../listen.ts';
import { pick, reportMeasurement } from '../tier.ts';
import { removeRateLimits } from './remove-rate-limits.ts';

const DEADLINE_SECONDS = 2;
const SLACK_MS = 1_000;
const SECONDS_TO_START_JOBS = 2;
const LORIS_SOCKETS = pick(200, 500, 2_000);
/** Milliseconds in which a client must have sent its headers; short here, because a short run does not wait long. */
const HEADERS_MS = 10_000;
const HEADERS_SHORT_MS = pick(1_000, HEADERS_MS);
/** Seconds after that within which Node.js checks for late connections and closes them. */
const LOOK_SECONDS = 5;

let scene: RelayScene;
/** Accepts connections and never sends a byte, so that no TLS connection is established. */
let mute: Server;
const mutes = new Set<Socket>();

/** Waits for the job that reads each channel's certificate. No channel exists yet, so only calls reach the upstream. */
async function untilCertificatesAreChecked(): Promise<void> {
  scene.clock.advance(SECONDS_TO_START_JOBS);
  const lastRun = async () =>
    (await scene.admin.api(systemInfo).jobs()).find(({ name }) => name === 'check-certificates')?.last ?? null;
  await vi.waitUntil(async () => (await lastRun()) !== null, { timeout: 60_000, interval: 20 });
}

beforeAll(async () => {
  mute = createServer((socket) => {
    mutes.add(socket.resume());
    socket.on('error', () => {});
    socket.on('close', () => mutes.delete(socket));
  });
  const mutePort = await listen(mute);
  scene = await startRelayScene();
  await untilCertificatesAreChecked();
  await scene.admin.api(settings).update({ body: { key: 'RetryTimes', value: '0' } });
  await removeRateLimits(scene.admin);
  const phases = ['connect', 'first_byte', 'first_content', 'idle', 'total'] as const;
  for (const phase of phases)
    for (const type of [OPENAI_COMPATIBLE, ANTHROPIC]) {
      const base = phase === 'connect' ? { base_url: `https://127.0.0.1:${mutePort}` } : {};
      await scene.newChannel({
        ...base,
        type,
        models: [`${type === ANTHROPIC ? 'claude' : 'gpt'}-${phase}*`],
        deadlines: deadlines.parse({ [phase]: DEADLINE_SECONDS }),
      });
    }
});
afterAll(async () => {
  await scene.close();
  for (const socket of mutes) socket.destroy();
  mute.close();
});

/** How an upstream falls silent in each phase. */
const silences = [
  ['connect', ''],
  ['first_byte', '+silent'],
  ['first_content', '+silent-after-1'],
  ['first_content', '+comments-after-1'],
  ['idle', '+tokens-50+silent-after-10'],
  ['idle', '+tokens-50+comments-after-10'],
  ['total', '+tokens-500+drip-50ms'],
] as const;

describe.concurrent('an upstream that is silent', () => {
  for (const vendor of ['gpt', 'claude'])
    for (const [phase, how] of silences) {
      const says = how === '' ? 'that never connects' : how.slice(1);
      test(`(${vendor}, ${says}) is aborted at the deadline for ${phase}, with an error for its client`, async () => {
        const askedAt = performance.now();
        const response = await scene.chat(`${vendor}-${phase}${how}`, { stream: true });
        const text = await response.text();
        const took = performance.now() - askedAt;
        expect(took).toBeGreaterThan(DEADLINE_SECONDS * 1000 - 100);
        expect(took).toBeLessThan(DEADLINE_SECONDS * 1000 + SLACK_MS);
        const delivered = phase === 'idle' || phase === 'total';
        expect(response.status).toBe(delivered ? 200 : 504);
        expect(text).toContain('"error"');
        expect(text).not.toContain('[DONE]');
      });
    }

  test('before a non-streaming response is aborted as well', async () => {
    const askedAt = performance.now();
    const response = await scene.chat('gpt-first_content+silent');
    expect(response.status).toBe(504);
    expect(performance.now() - askedAt).toBeLessThan(DEADLINE_SECONDS * 1000 + SLACK_MS);
  });
});

test('silent upstreams leave no hold, no upstream connection and no charge behind', async () => {
  await scene.waitUntilSettled();
  await expect.poll(() => mutes.size, { timeout: 3_000 }).toBe(0);
  const silent = scene.upstream.requests.filter(({ finishedAt }) => finishedAt === undefined);
  expect(silent.length).toBeGreaterThan(0);
  await expect.poll(() => silent.filter(({ disconnectedAt }) => disconnectedAt === undefined)).toEqual([]);
  for (const record of await scene.records()) expect(record.type === 'consume').toBe(/idle|total/.test(record.model));
  const seconds = DEADLINE_SECONDS;
  reportMeasurement('P24', `silent in each phase, 2 dialects, deadline ${seconds} s: told within 1 s of it, 0 [DONE]`);
});

test('a time of day that jumps by an hour ends no stream', async () => {
  const answer = scene.chat('gpt-idle+tokens-40+drip-20ms', { stream: true }).then((got) => got.text());
  await sleep(systemTimers, 100);
  scene.clock.jump(3_600);
  await sleep(systemTimers, 600);
  scene.clock.jump(-3_600);
  expect(await answer).toContain('[DONE]');
});

test(`${LORIS_SOCKETS} clients that never finish their headers are closed within 15 s and slow no others`, async () => {
  const { server } = scene.app;
  expect(server.headersTimeout).toBeLessThanOrEqual(HEADERS_MS);
  server.headersTimeout = HEADERS_SHORT_MS;
  onTestFinished(() => {
    server.headersTimeout = HEADERS_MS;
  });
  const { port } = new URL(scene.url);
  const openedAt = performance.now();
  let open = 0;
  const sockets = Array.from({ length: LORIS_SOCKETS }, () => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      open += 1;
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      open -= 1;
    });
    return socket.resume();
  });
  await expect.poll(() => open, { timeout: 10_000 }).toBe(LORIS_SOCKETS);
  const times: number[] = [];
  while (open > 0 && performance.now() - openedAt < 20_000) {
    const askedAt = performance.now();
    const response = await scene.chat('gpt-idle');
    await response.text();
    times.push(performance.now() - askedAt);
    for (const socket of sockets.slice(0, 20)) if (!socket.destroyed) socket.write('x');
    await sleep(systemTimers, 20);
  }
  const closedAfter = (performance.now() - openedAt) / 1000;
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  expect(closedAfter).toBeLessThan(HEADERS_SHORT_MS / 1000 + LOOK_SECONDS);
  expect(p99).toBeLessThan(250);
  reportMeasurement(
    'P24',
    `${LORIS_SOCKETS} slow-loris sockets: all closed after ${closedAfter.toFixed(1)} s, honest p99 ${p99.toFixed(0)} ms`,
  );
});
