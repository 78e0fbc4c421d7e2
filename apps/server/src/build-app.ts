/**
 * Puts the parts together: (configuration, outside world) → a server that is ready to listen. Every test starts here.
 */
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Settings } from '@switchyard/contract/settings';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { openLeases } from './db/leases.ts';
import { shareChanges } from './db/postgres/shared-changes.ts';
import { followDataKeys } from './features/secrets/secrets.ts';
import { loadSettings } from './features/settings/settings.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { startJobs } from './jobs/jobs.ts';
import { openLedger } from './ledger/ledger.ts';
import { buildManagementApi } from './management-api.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createReadAll } from './metrics/read-state.ts';
import { type Clocks, openStorage } from './open-storage.ts';
import { createChanges } from './platform/changes.ts';
import { createClientAddress } from './platform/client-address.ts';
import { nowSeconds } from './platform/clock.ts';
import { createDrain } from './platform/drain.ts';
import type { Log } from './platform/log.ts';
import { createLogTail, type LogTail } from './platform/log-tail.ts';
import { createOutbound } from './platform/outbound.ts';
import { processReadings, type Readings, watchOverload } from './platform/overload.ts';
import { createReadiness } from './platform/readiness.ts';
import { nothingShared, type SharedLimits } from './platform/shared-limits.ts';

export interface World extends Clocks {
  log: Log;
  /** What `log` also writes to; without it the console shows an empty log. */
  logTail?: LogTail;
  /** Of this process unless a test knows better. */
  readings?: Readings;
  /** Until which Redis has to answer. */
  redisDeadlineMs?: number;
  /** Origins of vendors → the origins of those who play them in a test. */
  standIns?: Readonly<Record<string, string>>;
}

export interface App {
  ctx: Context;
  server: Server;
  /** Stops accepting, lets running requests finish, settles, closes. */
  close(): Promise<void>;
  /** During a close: waits no longer, but still settles. */
  hurry(): void;
}

export async function buildApp(config: Config, world: World): Promise<App> {
  const { log, logTail = createLogTail() } = world;
  const { folder, vault, db, databaseClock, clock } = await openStorage(config, log, world);
  const stopClock = databaseClock?.follow();
  const ledger = await openLedger(db, clock, log, config.dataDir);
  const changes = createChanges();
  const sharing =
    db.engine.kind === 'postgres' ? await shareChanges(db.engine.pool, changes, log) : undefined;
  const leases = openLeases(db, log);
  const outbound = createOutbound(config.outboundAllow, world.standIns);
  const metrics = createMetrics();
  const telemetry =
    config.telemetry &&
    (await import('./metrics/send-telemetry.ts')).startTelemetry({
      config: config.telemetry,
      metrics,
      read: () => readMetrics(),
      clock,
      log,
    });
  const sharedLimits = await openSharedLimits(config, world);
  const overload = watchOverload(log, world.readings ?? processReadings());

  let settings: Settings = await loadSettings(db.writer, vault, log);
  changes.subscribe(async (change) => {
    if (change.topic === 'settings') settings = await loadSettings(db.writer, vault, log);
  });

  const ctx: Context = {
    config,
    db,
    ledger,
    vault,
    changes,
    leases,
    clock,
    log,
    logTail,
    outbound,
    sharedLimits,
    overload,
    metrics,
    tracing: telemetry,
    get settings() {
      return settings;
    },
    startTime: nowSeconds(clock),
  };
  followDataKeys(ctx);
  const clientAddress = createClientAddress(config.trustedProxies);
  const gateway = await createGateway(ctx, clientAddress);
  const readMetrics = createReadAll(ctx, gateway.state, databaseClock);
  const management = await buildManagementApi(ctx, clientAddress, gateway, readMetrics);

  const readiness = createReadiness(() => tryToWrite(ctx));
  const stopJobs = startJobs(ctx);

  const server = createHttpServer(gateway, management, readiness);
  const drain = createDrain(server, config, gateway);

  return {
    ctx,
    server,
    hurry: () => drain.hurry(),
    async close() {
      readiness.drain();
      await drain.announced();
      // Those who follow it would keep the drain waiting.
      logTail.close();
      gateway.drain();
      await drain.start();
      await stopJobs();
      await management.close();
      await gateway.close();
      await telemetry?.close();
      await sharedLimits.close();
      overload.close();
      await ledger.close();
      await outbound.close();
      await leases.close();
      await sharing?.close();
      await stopClock?.();
      await db.close();
      folder.release();
    },
  };
}

/** @throws where its port is taken, or its host is none of this machine's */
export function listen({ server, ctx: { config } }: App): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
}

/** Where it listens. */
export function portOf({ server }: App): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

function createHttpServer(
  gateway: Gateway,
  management: Awaited<ReturnType<typeof buildManagementApi>>,
  readiness: ReturnType<typeof createReadiness>,
): Server {
  const server = createServer(
    {
      requestTimeout: 60_000,
      headersTimeout: 10_000,
      // How often the two are looked at.
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      shouldUpgradeCallback: (request) => gateway.upgrades(request),
    },
    (request, response) => {
      // Whoever is answered now is to connect anew, elsewhere.
      if (readiness.isDraining) response.shouldKeepAlive = false;
      if (gateway.serves(request)) gateway.handle(request, response);
      else if (!readiness.answers(request, response)) management.handle(request, response);
    },
  );

  server.on('upgrade', (request, socket, head) => {
    // Always one: this server listens on no pipes.
    if (socket instanceof Socket) gateway.upgrade(request, socket, head);
    else socket.destroy();
  });
  return server;
}

/** The client of Redis is loaded only where there is one. */
async function openSharedLimits(
  { redisUrl }: Config,
  { log, redisDeadlineMs }: World,
): Promise<SharedLimits> {
  if (redisUrl === undefined) return nothingShared;
  const { openRedisLimits } = await import('./platform/redis-limits.ts');
  return openRedisLimits(redisUrl, { log, deadlineMs: redisDeadlineMs });
}

function tryToWrite({ ledger, clock }: Context): Promise<unknown> {
  return ledger.transaction((trx) =>
    trx
      .updateTable('readiness')
      .set({ tried_at: nowSeconds(clock) })
      .where('id', '=', 1)
      .execute(),
  );
}
