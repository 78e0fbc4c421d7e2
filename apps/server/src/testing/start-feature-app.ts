/**
 * A small server for the tests of features: the real database, ledger and settings, sessions, and only the routes that the
 * test names. No gateway, no jobs, no console; a test that needs those starts the whole server (`start-test-app.ts`).
 */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Role } from '@switchyard/contract/codes';
import type { Routes } from '@switchyard/contract/route';
import { afterAll } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { databaseFor } from '../../../../tests/test-database.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { startSession } from '../features/sessions/sessions.ts';
import { createDefaultGroups } from '../features/user-groups/user-groups.ts';
import { createManagementServer, type ManagementServer } from '../management-server.ts';
import { openContext, type World } from '../open-context.ts';
import { createClientAddress } from '../platform/client-address.ts';
import { silentLog } from '../platform/log.ts';
import { createLogTail } from '../platform/log-tail.ts';
import type { Handlers } from '../platform/mount.ts';
import { createUsers, type NewUser, type SignedIn } from './create-user.ts';
import { migratedFolder } from './migrated-folder.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { testConfig } from './test-config.ts';
import { type Visitor, visitor } from './visitor.ts';

export interface FeatureApp {
  ctx: Context;
  /** Without a trailing slash. */
  url: string;
  clock: TestClock;
  /** Nobody: no cookie, no token. */
  anyone: Visitor;
  /** Makes an account of this role and signs it in. */
  createUser(role: Role, options?: NewUser): Promise<SignedIn>;
  close(): Promise<void>;
}

export interface FeatureAppOptions extends Partial<Pick<World, 'log' | 'standIns'>> {
  config?: Partial<Config>;
  /** Milliseconds; the clock stands still until it is moved. Absent: the real time. */
  now?: number;
}

/** Puts what a test needs of the server on it. */
export type Serve = (server: ManagementServer, ctx: Context) => void;

/** The routes of a feature, as `serves(users, userRoutes)`. */
export function serves<R extends Routes>(routes: R, handlersOf: (ctx: Context) => Handlers<R>): Serve {
  return (server, ctx) => server.serve(routes, handlersOf(ctx));
}

/** Starts the server. Whoever starts it closes it. */
export async function startFeatureApp(
  features: readonly Serve[],
  { config, now, log = silentLog, standIns = {} }: FeatureAppOptions = {},
): Promise<FeatureApp> {
  const dataDir = migratedFolder();
  const clock = createTestClock(now);
  const databaseUrl = await databaseFor(dataDir);
  const opened = await openContext(testConfig(dataDir, { databaseUrl, ...config }), {
    clock,
    log,
    logTail: createLogTail(),
    standIns,
    readings: {
      delayMs: () => 0,
      memoryShare: () => 0,
      delays: () => ({ p50: 0, p99: 0 }),
      close: () => {},
    },
  });
  const { ctx } = opened;
  await createDefaultGroups(ctx);
  const management = createManagementServer(ctx, createClientAddress(ctx.config.trustedProxies));
  for (const serve of features) serve(management, ctx);
  const api = await management.ready();
  const server = createServer((request, response) => api.handle(request, response));
  const url = `http://127.0.0.1:${await listen(server)}`;

  return {
    ctx,
    url,
    clock,
    anyone: visitor(url, {}),
    createUser: createUsers(ctx, async ({ id }) => {
      const client = { address: '127.0.0.1', userAgent: 'test', secure: false, method: 'password' } as const;
      const [cookie = ''] = (await startSession(ctx, id, client)).split(';', 1);
      return visitor(url, { cookie });
    }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.close();
      await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One server for all tests of a file; it closes by itself after the last one. */
export async function useFeatureApp(
  features: readonly Serve[],
  options: FeatureAppOptions = {},
): Promise<FeatureApp> {
  const app = await startFeatureApp(features, options);
  afterAll(() => app.close());
  return app;
}
