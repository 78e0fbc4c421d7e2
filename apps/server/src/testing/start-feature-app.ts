/**
 * Small server for tests of features: the real database, ledger and settings, sessions, and only the routes that the
 * test names. No gateway, no jobs, no console; a test that needs those starts the whole server (`start-test-app.ts`).
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Routes } from '@switchyard/contract/route';
import type { Role } from '@switchyard/contract/wire-enums';
import { afterAll } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { findDatabase } from '../../../../tests/test-database.ts';
import { startSession } from '../accounts/authentication/authentication.ts';
import { createDefaultGroups } from '../accounts/user-groups/user-groups.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { createManagementServer, type ManagementServer } from '../management-server.ts';
import { openContext, type RuntimeEnvironment } from '../open-context.ts';
import { systemClock } from '../platform/clock.ts';
import { createClientAddress } from '../platform/http/client-address.ts';
import type { Handlers } from '../platform/http/mount-routes.ts';
import { silentLog } from '../platform/log.ts';
import { createLogTail } from '../platform/log-tail.ts';
import { createUsers, type NewUser, type SignedInUser } from './create-user.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { createFixedReadings, createMigratedFolder, createTestConfig } from './test-config.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export interface FeatureApp {
  ctx: Context;
  /** Without a trailing slash. */
  url: string;
  clock: TestClock;
  server: Server;
  /** Load that the server measures. */
  load: { delayMs: number; memoryShare: number };
  /** Client without a cookie or a token. */
  anonymous: Visitor;
  /** Creates an account of this role and signs it in. */
  createUser(role: Role, options?: NewUser): Promise<SignedInUser>;
  close(): Promise<void>;
}

export interface FeatureAppOptions
  extends Partial<Pick<RuntimeEnvironment, 'log' | 'logTail' | 'originOverrides' | 'machineClock'>> {
  config?: Partial<Config>;
  /** Milliseconds. The clock is stopped until it is advanced. Absent: the real time. */
  now?: number;
  /** Kept after the end if it is set, for tests that restart on the same data. */
  dataDir?: string;
}

/** Adds routes or background work to the server. @returns a function that stops it before the server closes, if needed */
export type Part = (server: ManagementServer, ctx: Context) => (() => Promise<void>) | undefined;

/** Returns a part with the routes of a feature, as in `serveRoutes(users, userRoutes)`. */
export function serveRoutes<R extends Routes>(routes: R, handlersOf: (ctx: Context) => Handlers<R>): Part {
  return (server, ctx) => {
    server.serve(routes, handlersOf(ctx));
    return undefined;
  };
}

/** Returns a part with background work, as in `runInBackground(startMailDelivery)`. */
export function runInBackground(start: (ctx: Context) => () => Promise<void>): Part {
  return (_server, ctx) => start(ctx);
}

/** Starts the server. The caller closes it. */
export async function startFeatureApp(
  parts: readonly Part[],
  {
    config,
    now,
    log = silentLog,
    logTail = createLogTail(),
    originOverrides = {},
    machineClock = systemClock,
    dataDir: keptDir,
  }: FeatureAppOptions = {},
): Promise<FeatureApp> {
  const dataDir = createMigratedFolder(keptDir);
  const clock = createTestClock(now);
  const strain = { delayMs: 0, memoryShare: 0 };
  const databaseUrl = await findDatabase(dataDir);
  const opened = await openContext(createTestConfig(dataDir, { databaseUrl, ...config }), {
    clock,
    log,
    logTail,
    originOverrides,
    machineClock,
    systemReadings: createFixedReadings(strain),
  });
  const { ctx } = opened;
  await createDefaultGroups(ctx);
  const management = createManagementServer(ctx, createClientAddress(ctx.config.trustedProxies));
  const stops = parts.flatMap((part) => part(management, ctx) ?? []);
  const api = await management.ready();
  const server = createServer((request, response) => api.handle(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;

  return {
    ctx,
    url,
    clock,
    server,
    load: strain,
    anonymous: createVisitor(url, {}),
    createUser: createUsers(ctx, async ({ id }) => {
      const client = { address: '127.0.0.1', userAgent: 'test', secure: false, method: 'password' } as const;
      const [cookie = ''] = (await startSession(ctx, id, client)).split(';', 1);
      const device = `switchyard_device=${randomBytes(32).toString('base64url')}`;
      return createVisitor(url, { cookie: `${cookie}; ${device}` });
    }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all(stops.map((stop) => stop()));
      await api.close();
      await opened.close();
      if (keptDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts one server for all tests of a file. It closes by itself after the last one. */
export async function useFeatureApp(parts: readonly Part[], options: FeatureAppOptions = {}): Promise<FeatureApp> {
  const app = await startFeatureApp(parts, options);
  afterAll(() => app.close());
  return app;
}
