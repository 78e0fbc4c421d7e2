/**
 * Hostile clients and upstreams of realtime sessions: they are charged for their usage, and affect no other session.
 */
import { createHash } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import {
  closeRealtime,
  connectRealtime,
  getErrorCode,
  openRealtimeSession,
} from '../../apps/server/src/testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { deadlines } from '../../packages/contract/src/channels/channel-nested-settings.ts';
import { listen } from '../listen.ts';
import { type RealtimeUpstream, startRealtimeUpstream } from '../scripted-upstream/realtime.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ quota: 1_000_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url, key: 'sk-upstream-1' });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

const opened = (model: string, options = {}) => openRealtimeSession(scene, upstream, model, options);

const connections = (of: RelayScene) =>
  new Promise<number>((resolve) => of.app.server.getConnections((_error, count) => resolve(count)));

/** Requests a session, and never closes its own side. */
function askAndStay(of: RelayScene, model: string, key: string, header = 'x-nothing: x'): Socket {
  const socket = connect({ port: Number(new URL(of.url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(
    `GET /v1/realtime?model=${model} HTTP/1.1\r\nhost: x\r\n${header}\r\nauthorization: Bearer ${key}\r\nconnection: upgrade\r\n` +
      'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  return socket.resume();
}

describe('realtime sessions of hostile clients', () => {
  test('a refused client that does not close its side loses its connection', async () => {
    const before = await connections(scene);
    const stayers = Array.from({ length: 5 }, () => askAndStay(scene, 'live', 'sk-nobody'));
    await expect.poll(() => stayers.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
    await expect.poll(() => connections(scene), { timeout: 4_000 }).toBeLessThanOrEqual(before);
    for (const socket of stayers) socket.destroy();
  });

  test.each(['sec-websocket-protocol: ,,', 'sec-websocket-protocol: a, a', 'sec-websocket-extensions: ;;'])(
    'that writes the header “%s” opens nothing at an upstream, and is answered',
    async (header) => {
      const before = upstream.sessions.length;
      const socket = askAndStay(scene, 'live', scene.key, header);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      await expect.poll(() => Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 \d{3} /);
      const answer = Buffer.concat(chunks).toString();
      if (answer.startsWith('HTTP/1.1 101')) socket.destroy();
      else expect([answer.slice(9, 12), upstream.sessions.length]).toEqual(['400', before]);
      await scene.waitUntilSettled();
      socket.destroy();
    },
  );

  test('a refused client that stays connected does not prevent the gateway from stopping', async () => {
    const other = await startRelayScene();
    const socket = askAndStay(other, 'live', 'sk-nobody');
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
    const stopped = other.close().then(() => 'stopped');
    expect(await Promise.race([stopped, sleep(systemTimers, 4_000)])).toBe('stopped');
    socket.destroy();
  });

  test.each([
    ['would fill the memory after parsing', `[${'{},'.repeat(100_001)}{}]`],
    ['is nested too deeply', `${'['.repeat(100)}${']'.repeat(100)}`],
  ])('an event that %s is refused with an error, and the upstream does not get it', async (_, list) => {
    const { caller, session } = await opened('live-wide');
    caller.socket.send(`{"type":"x","list":${list}}`);
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('invalid_request');
    expect((await caller.closed).code).toBe(1008);
    await expect.poll(() => session.closed).toBeDefined();
    expect(session.receivedEvents).toEqual([]);
  });

  test('a client that floods with pings, or sends invalid UTF-8, affects its own session only', async () => {
    const [flooding, garbled, good] = [await opened('live'), await opened('live'), await opened('live')];
    for (let at = 0; at < 20_000; at += 1) flooding.caller.socket.ping();
    garbled.caller.socket.send(Buffer.from([0xff, 0xfe, 0xc0]), { binary: false });
    expect((await garbled.caller.closed).code).toBe(1007);
    good.caller.send({ type: 'response.create' });
    await good.caller.waitForEvent('response.done');
    await closeRealtime(good.caller);
    flooding.caller.socket.terminate();
    await scene.waitUntilSettled();
  });

  test('a client whose unfinished messages would fill the memory loses its session, and others do not', async () => {
    const MEGABYTE = 1024 * 1024;
    const other = await startRelayScene({ config: { relayMemoryMaxBytes: 8 * MEGABYTE } });
    await other.newChannel({ models: ['live*'], base_url: upstream.url });
    const key = await other.newKey({ unlimited_quota: true }, await other.createUser('user', { quota: 10_000_000 }));
    const [first, second] = [connectRealtime(other, 'live'), connectRealtime(other, 'live', { key })];
    await Promise.all([first, second].map((caller) => caller.waitForEvent('session.created')));
    const megabytes = (count: number) => ({ type: 'x', audio: 'a'.repeat(count * MEGABYTE) });
    // Complete messages no longer count.
    for (let nth = 0; nth < 4; nth += 1) {
      first.send(megabytes(3));
      await expect
        .poll(() => upstream.sessions.some(({ receivedEvents }) => receivedEvents.length === nth + 1))
        .toBe(true);
    }
    // One account may use three quarters of the budget, so that another's session continues.
    first.socket.send(JSON.stringify(megabytes(7)).slice(0, -1), { binary: false, fin: false });
    second.send(megabytes(1));
    await first.closed;
    expect(getErrorCode(first.events.at(-1) ?? {})).toBe('overloaded');
    await expect.poll(() => upstream.sessions.at(-1)?.receivedEvents.length).toBe(1);
    expect(second.socket.readyState).toBe(1);
    second.socket.terminate();
    await other.waitUntilSettled();
    const last = connectRealtime(other, 'live');
    await last.waitForEvent('session.created');
    // The maximum of one account.
    last.send(megabytes(5));
    await expect.poll(() => upstream.sessions.at(-1)?.receivedEvents.length).toBe(1);
    await closeRealtime(last);
    await other.close();
  });

  test('a client whose messages no upstream reads loses its session before they fill the memory', async () => {
    const MEGABYTE = 1024 * 1024;
    const other = await startRelayScene({ config: { relayMemoryMaxBytes: 8 * MEGABYTE } });
    onTestFinished(() => other.close());
    await other.newChannel({ models: ['live*'], base_url: upstream.url });
    const [first, second] = [connectRealtime(other, 'live'), connectRealtime(other, 'live')];
    await Promise.all([first, second].map((caller) => caller.waitForEvent('session.created')));
    for (const { socket } of upstream.sessions.slice(-2)) socket.pause();
    const large = { type: 'x', audio: 'a'.repeat(5 * MEGABYTE) };
    // The kernel's buffers take some, until the gateway holds one and stops reading.
    for (let nth = 0; nth < 8; nth += 1) first.send(large);
    for (let last = -1; last !== first.socket.bufferedAmount; ) {
      last = first.socket.bufferedAmount;
      await sleep(systemTimers, 200);
    }
    expect(first.socket.bufferedAmount).toBeGreaterThan(0);
    // One account may use three quarters of the budget.
    second.send(large);
    await second.closed;
    expect(getErrorCode(second.events.at(-1) ?? {})).toBe('overloaded');
    first.socket.terminate();
    // A paused client's disconnect is detected only when its upstream has read nothing between two pings.
    for (let pings = 0; pings < 2; pings += 1) other.clock.advance(21);
    await other.waitUntilSettled();
  });

  test('a client that offers compression gets none, so that no small message can expand to a large one', async () => {
    const { caller } = await opened('live');
    expect(caller.socket.extensions).toBe('');
    await closeRealtime(caller);
  });

  test('a client gets no session at the paths of other session types, and never the channel’s key', async () => {
    const before = [upstream.sessions.length, scene.upstream.requests.length];
    for (const path of ['client_secrets', 'calls', 'sessions', 'transcription_sessions', 'translations']) {
      const answer = await scene.post(`/v1/realtime/${path}`, { model: 'live', session: { model: 'live' } });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toContain('"not_found"');
    }
    expect([upstream.sessions.length, scene.upstream.requests.length]).toEqual(before);
  });
});

/** First byte of a frame: the last one of a text, and the last one of a compressed text. */
const TEXT = 0x81;
const COMPRESSED = 0xc1;
const frame = (first: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([first, payload.length]), payload]);
const created = frame(TEXT, Buffer.from('{"type":"session.created"}'));

/** Bytes sent instead of a session: a whole HTTP response, or frames after a correct one. */
const wrongs: readonly [string, string | Buffer][] = [
  ['an answer to another question', 'HTTP/1.1 101 x\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n'],
  ['no upgrade', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
  ['a refusal without end', `HTTP/1.1 401 No\r\n\r\n${'x'.repeat(100_000)}`],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a compressed frame', frame(COMPRESSED, Buffer.from('abc'))],
  ['text that is no UTF-8', frame(TEXT, Buffer.from([0xff, 0xfe]))],
  ['a frame of 2^62 bytes', Buffer.from([TEXT, 127, 0x40, 0, 0, 0, 0, 0, 0, 0])],
  ['a frame of 17 MiB', Buffer.from([TEXT, 127, 0, 0, 0, 0, 1, 0x10, 0, 1])],
  ['a close frame without reason', frame(0x88, Buffer.alloc(0))],
  ['a close code that there is not', frame(0x88, Buffer.from([0x03, 0xe7]))],
];

/** Sends these bytes in response to every upgrade. */
async function startRawUpstream(written: string | Buffer, isGreeted: boolean) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (asked) => {
      if (typeof written === 'string') {
        socket.write(written);
        return;
      }
      const key = /sec-websocket-key: (\S+)/i.exec(asked.toString())?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      const head = `HTTP/1.1 101 x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), ...(isGreeted ? [created] : []), written]));
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const impatient = deadlines.parse({ connect: 1, first_byte: 1 });

describe('an upstream that answers with', () => {
  test.each(wrongs)('%s is refused in time, and its connection is closed', async (what, written) => {
    const raw = await startRawUpstream(written, false);
    const model = `raw-${wrongs.findIndex(([name]) => name === what)}`;
    await scene.newChannel({ models: [model], base_url: raw.url, deadlines: impatient });
    const { status } = await connectRealtime(scene, model).rejection;
    expect([502, 503, 504]).toContain(status);
    await expect.poll(() => raw.sockets.size, { timeout: 6_000 }).toBe(0);
    await scene.waitUntilSettled();
    raw.close();
  });

  test.each(wrongs.filter(([, written]) => typeof written !== 'string'))(
    '%s behind its greeting ends the session, and nothing else',
    async (what, written) => {
      const raw = await startRawUpstream(written, true);
      const model = `greeted-${wrongs.findIndex(([name]) => name === what)}`;
      await scene.newChannel({ models: [model], base_url: raw.url, deadlines: impatient });
      const caller = connectRealtime(scene, model);
      await caller.waitForEvent('session.created');
      expect([1000, 1011]).toContain((await caller.closed).code);
      await expect.poll(() => raw.sockets.size, { timeout: 3_000 }).toBe(0);
      await scene.waitUntilSettled();
      raw.close();
    },
  );
});

describe('realtime sessions with hostile upstreams', () => {
  test('an upstream that reports a response twice is counted once', async () => {
    const before = (await scene.records()).length;
    const { caller } = await opened('live+usage-twice');
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('response.done');
    await caller.waitForEvent('rate_limits.updated');
    await closeRealtime(caller);
    await scene.waitUntilSettled();
    expect((await scene.records()).slice(before)).toHaveLength(1);
  });

  test.each(['huge', 'negative'])(
    'an upstream that reports %s usage is billed in whole, safe points',
    async (usage) => {
      const before = (await scene.records()).length;
      const user = await scene.createUser('user', { quota: 10_000_000 });
      const key = await scene.newKey({ unlimited_quota: true }, user);
      const { caller } = await opened(`live+${usage}-usage`, { key });
      caller.send({ type: 'response.create' });
      await caller.waitForEvent('response.done');
      await closeRealtime(caller);
      await scene.waitUntilSettled();
      const [record] = (await scene.records()).slice(before);
      expect(record?.quota).toBeGreaterThan(0);
      expect(Number.isSafeInteger(record?.quota)).toBe(true);
    },
  );

  test('an upstream whose event would fill the memory after parsing ends the session', async () => {
    const { caller, session } = await opened('live-wide');
    session.send(`{"type":"x","list":[${'{},'.repeat(100_001)}{}]}`);
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('upstream_error');
    expect((await caller.closed).code).toBe(1011);
  });

  test('an unfinished message that would fill the memory ends its session', async () => {
    const MEGABYTE = 1024 * 1024;
    const small = await startRelayScene({ config: { relayMemoryMaxBytes: 4 * MEGABYTE } });
    await small.newChannel({ models: ['live*'], base_url: upstream.url });
    const caller = connectRealtime(small, 'live');
    await caller.waitForEvent('session.created');
    const unfinished = JSON.stringify({ type: 'x', audio: 'a'.repeat(5 * MEGABYTE) }).slice(0, -1);
    upstream.sessions.at(-1)?.socket.send(unfinished, { binary: false, fin: false });
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('overloaded');
    await caller.closed;
    await small.waitUntilSettled();
    const next = connectRealtime(small, 'live');
    await next.waitForEvent('session.created');
    await closeRealtime(next);
    await small.close();
  });

  test('an upstream’s unpaid responses that filled the memory refuse their user for a while', async () => {
    const small = await startRelayScene({ config: { relayMemoryMaxBytes: 400_000 } });
    onTestFinished(() => small.close());
    await small.newChannel({ models: ['live*'], base_url: upstream.url });
    const unfinished = JSON.stringify({ type: 'x', audio: 'a'.repeat(500_000) }).slice(0, -1);
    for (let nth = 0; nth < 30; nth += 1) {
      const caller = connectRealtime(small, 'live');
      await caller.waitForEvent('session.created');
      const session = upstream.sessions.at(-1);
      session?.send({ type: 'response.created', response: { id: 'resp_1' } });
      await caller.waitForEvent('response.created');
      session?.socket.send(unfinished, { binary: false, fin: false });
      expect(getErrorCode(await caller.waitForEvent('error'))).toBe('overloaded');
      await caller.closed;
      await small.waitUntilSettled();
    }
    expect((await connectRealtime(small, 'live').rejection).status).toBe(429);
  });

  test('an unfinished first message that would fill the memory opens no session', async () => {
    const MEGABYTE = 1024 * 1024;
    const small = await startRelayScene({ config: { relayMemoryMaxBytes: 4 * MEGABYTE } });
    onTestFinished(() => small.close());
    await small.newChannel({ models: ['early*', 'live*'], base_url: upstream.url });
    const before = upstream.sessions.length;
    const { rejection } = connectRealtime(small, 'early+silent');
    await expect.poll(() => upstream.sessions.length).toBeGreaterThan(before);
    const unfinished = JSON.stringify({ type: 'x', audio: 'a'.repeat(5 * MEGABYTE) }).slice(0, -1);
    upstream.sessions.at(-1)?.socket.send(unfinished, { binary: false, fin: false });
    expect(JSON.parse((await rejection).body)).toMatchObject({ error: { code: 'overloaded' } });
    await small.waitUntilSettled();
    const next = connectRealtime(small, 'live');
    await next.waitForEvent('session.created');
    await closeRealtime(next);
  });

  test('an upstream’s failure events never reveal the channel’s key', async () => {
    const { caller, session } = await opened('live-telling');
    const error = { type: 'server_error', message: 'no such key: sk-upstream-1' };
    for (const type of ['conversation.item.input_audio_transcription.failed', 'mcp_list_tools.failed']) {
      session.send({ type, item_id: 'i', error });
      expect(JSON.stringify(await caller.waitForEvent(type))).toContain('no such key: [key]');
    }
    await closeRealtime(caller);
  });
});
