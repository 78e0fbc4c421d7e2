import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { channels } from '@switchyard/contract/channels/channels';
import { readEvents } from '@switchyard/contract/client';
import { type LogEvent, systemInfo } from '@switchyard/contract/operations/system-info';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { createLog } from '../../platform/log.ts';
import { createLogTail } from '../../platform/log-tail.ts';
import { version } from '../../platform/version.ts';
import { fillStorage } from '../../testing/reject-database-writes.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';
import { useTestApp } from '../../testing/start-test-app.ts';
import { checkCertificates } from './system-info.ts';

const logTail = createLogTail();
const app = await useTestApp({ log: createLog('info', logTail), logTail });
const root = await app.createUser('root');
const api = root.api(systemInfo);

const site = createServer(createSelfSignedCertificate('127.0.0.1'), (_request, response) => response.end('{}'));
const sitePort = await listen(site);
afterAll(() => site.close());

const running = new AbortController().signal;

test('reports the process, the database and the queues', async () => {
  const state = await api.get();
  expect(state).toMatchObject({
    version,
    newest: null,
    node_version: process.version,
    started_at: app.ctx.startTime,
    database: { migration: expect.stringMatching(/^\d{4}-/), engine_version: expect.stringMatching(/^\d+\./) },
    requests: { running: 0, held: 0, refused: 0, shedding: false },
    queues: { mail_waiting: 0, mail_failed: 0 },
    certificates: [],
  });
  expect(state.database.size).toBeGreaterThan(0);
  expect(state.memory.rss).toBeGreaterThan(state.memory.heap);
  if (app.ctx.db.engine.kind === 'sqlite') {
    expect(state.database).toMatchObject({ engine: 'sqlite', connections: null });
    expect(state.nodes).toEqual([]);
    expect(state.database.file).toMatchObject({ journal_mode: 'wal', page_size: 4096 });
    expect(state.database.file?.wal_size).toBeGreaterThan(0);
  } else {
    expect(state.database).toMatchObject({ engine: 'postgres', file: null });
    const { open = 0, max = 0 } = state.database.connections ?? {};
    expect(open).toBeGreaterThan(0);
    expect(max).toBeGreaterThan(open);
  }
});

test('shows the nodes on the database, and which of them does not respond', async (context) => {
  const { engine, writer } = app.ctx.db;
  if (engine.kind === 'sqlite') return context.skip('a file has one node');
  await writer
    .insertInto('node')
    .values({ name: 'lost:9', version: '0.0.1', started_at: 1, lease_until: sql<number>`unixepoch() - 5` })
    .execute();
  const { node, nodes } = await api.get();
  expect(nodes).toMatchObject([
    { name: node, version, is_alive: true },
    { name: 'lost:9', version: '0.0.1', started_at: 1, is_alive: false },
  ]);
});

test('no administrator below root reads any of it', async () => {
  const admin = await app.createUser('admin');
  const { get, jobs, logFile } = admin.api(systemInfo);
  for (const call of [get, jobs, logFile]) await expect(call()).rejects.toMatchObject({ code: 'not-allowed' });
});

test('follows the log over the wire, without the secrets in it', async () => {
  app.ctx.log.warn({ deep: { er: { still: { api_key: 'plain-looking' } } } }, 'refused sk-0123456789abcdef');
  const disconnect = new AbortController();
  const response = await root.fetch('/api/system_info/log', {
    method: 'POST',
    body: JSON.stringify({ after: 0 }),
    headers: { 'content-type': 'application/json' },
    signal: disconnect.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const body = response.body;
  if (body === null) throw new Error('There is no body');
  const events = readEvents(systemInfo.followLog, body.pipeThrough(new TextDecoderStream()));
  const messages: string[] = [];
  const read = async (): Promise<LogEvent | undefined> => (await events.next()).value ?? undefined;
  const until = async (message: string): Promise<void> => {
    while (!messages.includes(message)) {
      const event = await read();
      if (event?.event === 'line') messages.push(event.line.message);
    }
  };
  await until('refused sk-[redacted]');
  app.ctx.log.info({}, 'something new');
  await until('something new');
  disconnect.abort();
  const file = await api.logFile();
  expect(file).toContain('something new');
  expect(file).not.toMatch(/plain-looking|0123456789abcdef/);
});

test('the log can be downloaded while nothing can be written', async () => {
  app.ctx.log.info({}, 'before the disk was full');
  const empty = await fillStorage(app.ctx.db);
  onTestFinished(empty);
  expect(await api.logFile()).toContain('before the disk was full');
});

test('the log stream responds at once when it has no lines', async () => {
  const disconnect = new AbortController();
  const response = await root.fetch('/api/system_info/log', {
    method: 'POST',
    body: JSON.stringify({ after: Number.MAX_SAFE_INTEGER }),
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.any([disconnect.signal, AbortSignal.timeout(20_000)]),
  });
  expect(response.status).toBe(200);
  disconnect.abort();
});

test('the server’s own jobs are listed with their intervals', async () => {
  const jobs = await api.jobs();
  expect(jobs.length).toBeGreaterThan(15);
  expect(jobs.find(({ name }) => name === 'check-books')).toMatchObject({ every: 3_600 });
});

test('a job is started by hand, which is written down', async () => {
  const started = await api.runJob({ params: { name: 'sum-up-groups' } });
  expect(started.name).toBe('sum-up-groups');
  await expect
    .poll(async () => (await api.jobs()).find(({ name }) => name === 'sum-up-groups'))
    .toMatchObject({ running: false, last: { outcome: 'ok' } });
  const [entry] = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .selectAll()
    .where('action', '=', 'job.run')
    .execute();
  expect(entry).toMatchObject({ user_id: root.id, target: 'sum-up-groups' });
  await expect(root.fetch('/api/jobs/no-such-job/run', { method: 'POST' }).then(({ status }) => status)).resolves.toBe(
    400,
  );
});

const newChannel = (name: string, base_url: string, more: object = {}) =>
  root.api(channels).create({ body: { name, type: 8, base_url, models: ['m'], key: 'sk-x', ...more } });

test('each channel host’s certificate is requested once, and a missing one has its reason', async () => {
  await newChannel('one', `https://127.0.0.1:${sitePort}/v1`);
  await newChannel('two', `https://127.0.0.1:${sitePort}`);
  await newChannel('plain', 'http://127.0.0.1:9');
  await newChannel('nobody', 'https://127.0.0.1:9');
  await newChannel('private', 'https://private.example');
  // Allowed when it was made, and not any more.
  await app.ctx.db.writer
    .updateTable('channel')
    .set({ base_url: 'https://10.1.2.3' })
    .where('name', '=', 'private')
    .execute();
  await app.ctx.changes.publish({ topic: 'channels' });
  await newChannel('proxied', 'https://socks.example', { proxy: 'socks5://127.0.0.1:9' });
  await checkCertificates(app.ctx, running);
  const { certificates, now } = await api.get();
  const found = Object.fromEntries(certificates.map(({ host, channels: count, problem }) => [host, [count, problem]]));
  expect(found).toEqual({
    '10.1.2.3': [1, 'not-allowed'],
    '127.0.0.1:9': [1, 'no-answer'],
    [`127.0.0.1:${sitePort}`]: [2, 'not-trusted'],
    'http://127.0.0.1:9': [1, 'plain-http'],
    'socks.example': [1, 'behind-proxy'],
  });
  const shown = certificates.find(({ host }) => host.endsWith(String(sitePort)));
  expect(shown).toMatchObject({ issuer: '127.0.0.1' });
  expect((shown?.valid_until ?? 0) - now).toBeGreaterThan(80_000);
});

test('a host behind an HTTP proxy is asked through it', async () => {
  const tunnels: string[] = [];
  const proxy = createPlainServer();
  proxy.on('connect', (request, socket: Socket) => {
    tunnels.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const upstream = connect(sitePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const side of [socket, upstream]) side.on('error', () => side.destroy());
  });
  const port = await listen(proxy);
  onTestFinished(() => void proxy.close());
  await newChannel('tunnelled', 'https://named.example', { proxy: `http://user:pass@127.0.0.1:${port}` });
  await checkCertificates(app.ctx, running);
  const { certificates } = await api.get();
  expect(certificates.find(({ host }) => host === 'named.example')).toMatchObject({
    problem: 'not-trusted',
    issuer: '127.0.0.1',
  });
  expect(tunnels).toEqual(['named.example:443 Basic dXNlcjpwYXNz']);
});
