/** Starts a Redis for tests on a free port of this machine, without persistence. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../../tests/find-free-port.ts';
import { sleep, systemTimers } from '../platform/clock.ts';

export interface RedisServer {
  url: string;
  /** Suspends the server: connections stay open without responses. */
  hang(): void;
  resume(): void;
  /** Stops the server; `start` starts it again, empty. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const REDIS = '/usr/bin/redis-server';
const START_MS = 60_000;
const PASSWORD = 'the-password-of-redis';

/** Starts a Redis; undefined if it is not installed. */
export async function startRedis(): Promise<RedisServer | undefined> {
  if (!existsSync(REDIS)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-redis-'));
  const port = await findFreePort();
  let server: ChildProcess | undefined;
  const redis: RedisServer = {
    url: `redis://:${PASSWORD}@127.0.0.1:${port}`,
    hang: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async stop() {
      const ended = server === undefined ? undefined : once(server, 'exit');
      server?.kill('SIGKILL');
      await ended;
      server = undefined;
    },
    async start() {
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', PASSWORD];
      const volatile = ['--save', '', '--appendonly', 'no', '--dir', folder];
      server = spawn(REDIS, [...settings, ...volatile], { cwd: folder, stdio: 'ignore' });
      await waitForPort(port);
    },
    async close() {
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}

async function waitForPort(port: number): Promise<void> {
  for (const until = Date.now() + START_MS; ; ) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(systemTimers, 50);
    } finally {
      socket.destroy();
    }
  }
}
