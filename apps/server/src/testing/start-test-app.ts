/**
 * Starts the real server on a free port with a separate data folder. Only the clock, the log and the load are
 * simulated.
 */
import { rmSync } from 'node:fs';
import type { Role } from '@switchyard/contract/wire-enums';
import { afterAll } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { findDatabase } from '../../../../tests/test-database.ts';
import { prepareFirstStart } from '../accounts/set-up/set-up.ts';
import { type App, buildApp } from '../app.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { createLogTail, type LogTail } from '../platform/log-tail.ts';
import { createUsers, type NewUser, type SignedInUser } from './create-user.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { createFixedReadings, createMigratedFolder, createTestConfig } from './test-config.ts';
import { createVisitor, signIn, type Visitor } from './visitor.ts';

export type { SignedInUser } from './create-user.ts';

export interface TestApp {
  app: App;
  ctx: Context;
  /** Without a trailing slash. */
  url: string;
  clock: TestClock;
  /** Load that the server measures. */
  load: { delayMs: number; memoryShare: number };
  /** Code of the set-up link, as long as there is no root account. */
  setUpCode: string | undefined;
  /** Client without a cookie or a token. */
  anonymous: Visitor;
  /** Creates an account of this role and signs it in. */
  createUser(role: Role, options?: NewUser): Promise<SignedInUser>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  config?: Partial<Config>;
  /** Milliseconds. The clock is stopped until it is advanced. Absent: the real time. */
  now?: number;
  /** Machine's clock of an app that uses the database's clock if possible; `now` is ignored then. */
  machineClock?: Clock;
  /** Clock by which the app detects dead nodes; default: the machine's. */
  machine?: Clock;
  log?: Log;
  logTail?: LogTail;
  /** Kept after the end if it is set, for tests that restart on the same data. */
  dataDir?: string;
  redisDeadlineMs?: number;
  /** Origins of providers → origins of simulated ones. */
  originOverrides?: Readonly<Record<string, string>>;
}

/** Starts the server. The caller closes it. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = createMigratedFolder(options.dataDir);
  const clock = createTestClock(options.now);
  const strain = { delayMs: 0, memoryShare: 0 };
  const databaseUrl = await findDatabase(dataDir);
  const app = await buildApp(createTestConfig(dataDir, { databaseUrl, ...options.config }), {
    ...(options.machineClock === undefined ? { clock } : {}),
    machineClock: options.machineClock ?? options.machine ?? systemClock,
    log: options.log ?? silentLog,
    logTail: options.logTail ?? createLogTail(),
    originOverrides: options.originOverrides ?? {},
    // A slow Redis on a busy machine must not count as unreachable.
    redisDeadlineMs: options.redisDeadlineMs ?? 2_000,
    systemReadings: createFixedReadings(strain),
  });
  const setUpCode = await prepareFirstStart(app.ctx);
  const url = `http://127.0.0.1:${await listen(app.server)}`;

  return {
    app,
    ctx: app.ctx,
    url,
    clock,
    load: strain,
    setUpCode,
    anonymous: createVisitor(url, {}),
    createUser: createUsers(app.ctx, async ({ username, password }) =>
      createVisitor(url, await signIn(url, username, password)),
    ),
    async close() {
      await app.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts one server for all tests of a file. It closes by itself after the last one. */
export async function useTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options);
  afterAll(() => app.close());
  return app;
}
