/** The real server on a free port with a data folder of its own. Only the clock, the log and the load are ours. */
import { rmSync } from 'node:fs';
import type { Role } from '@switchyard/contract/codes';
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
import { createMigratedFolder } from './migrated-folder.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { createFixedReadings, createTestConfig } from './test-config.ts';
import { createVisitor, signIn, type Visitor } from './visitor.ts';

export type { SignedInUser } from './create-user.ts';

export interface TestApp {
  app: App;
  ctx: Context;
  /** Without a trailing slash. */
  url: string;
  clock: TestClock;
  /** What the server believes to be its load. */
  load: { delayMs: number; memoryShare: number };
  /** The set-up link's code, as long as there is no root account. */
  setUpCode: string | undefined;
  /** Nobody: no cookie, no token. */
  anonymous: Visitor;
  /** Makes an account of this role and signs it in. */
  createUser(role: Role, options?: NewUser): Promise<SignedInUser>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  config?: Partial<Config>;
  /** Milliseconds; the clock stands still until it is moved. Absent: the real time. */
  now?: number;
  /** What the machine's clock says, where the app is to go by the database's if it can; `now` is nothing then. */
  machineClock?: Clock;
  /** The clock by which the app detects dead nodes; the machine's own when absent. */
  machine?: Clock;
  log?: Log;
  logTail?: LogTail;
  /** Kept after the end when given, for tests that start again on the same data. */
  dataDir?: string;
  redisDeadlineMs?: number;
  /** Origins of vendors → the origins of those who play them. */
  standIns?: Readonly<Record<string, string>>;
}

/** Starts the server. Whoever starts it closes it. */
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
    originOverrides: options.standIns ?? {},
    // A busy machine is no Redis that is away.
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
