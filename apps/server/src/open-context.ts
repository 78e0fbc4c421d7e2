/** Opens the parts that features use: the database, the ledger, the settings, leases and shared limits. */
import type { Settings } from '@switchyard/contract/operations/settings';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import type { DatabaseClock } from './db/database-clock.ts';
import { openLeases } from './db/leases.ts';
import { openLedger } from './ledger/ledger.ts';
import { type ClockOverrides, openStorage } from './open-storage.ts';
import { subscribeToDataKeys } from './operations/data-keys/data-keys.ts';
import { createMetrics, type Tracing } from './operations/metrics/metrics.ts';
import { loadSettings } from './operations/settings/settings.ts';
import { createChanges } from './platform/change-subscriptions.ts';
import { nowSeconds, type Timers } from './platform/clock.ts';
import { type SharedLimits, unsharedLimits } from './platform/limits/shared-limits.ts';
import type { Log } from './platform/log.ts';
import { createLogTail, type LogTail } from './platform/log-tail.ts';
import { createOutbound } from './platform/outbound/outbound.ts';
import { createOverloadMonitor, createProcessReadings, type SystemReadings } from './platform/overload-monitor.ts';

/** Environment of the program; tests replace parts of it. */
export interface RuntimeEnvironment extends ClockOverrides {
  log: Log;
  /** Receives a copy of each line of `log`; without it the console shows an empty log. */
  logTail?: LogTail;
  /** Default: readings of this process. */
  systemReadings?: SystemReadings;
  /** Milliseconds within which Redis has to respond. */
  redisDeadlineMs?: number;
  /** Origins of providers, mapped to the origins of simulated providers in a test. */
  originOverrides?: Readonly<Record<string, string>>;
}

/** Sender of traces and metrics to the configured collector. */
export interface TelemetrySender extends Tracing {
  close(): Promise<void>;
}

export interface OpenedContext {
  ctx: Context;
  /** Clock of the database; undefined on SQLite, and if the caller passed a clock. */
  databaseClock: DatabaseClock | undefined;
  /** Flushes and closes all parts, each before the parts that it depends on. */
  close(): Promise<void>;
}

/** @param startTelemetry starts to send the context's metrics */
export async function openContext(
  config: Config,
  world: RuntimeEnvironment,
  startTelemetry?: (
    parts: Pick<Context, 'metrics' | 'vault' | 'clock' | 'log'>,
  ) => Promise<TelemetrySender | undefined>,
): Promise<OpenedContext> {
  const { log, logTail = createLogTail() } = world;
  const { folder, vault, db, databaseClock, clock } = await openStorage(config, log, world);
  const stopClock = databaseClock?.startMeasuring();
  const ledger = await openLedger(db, clock, log, config.dataDir);
  const changes = createChanges(db.machine, log);
  const sharing =
    db.engine.kind === 'postgres'
      ? await (await import('./db/postgres/change-broadcast.ts')).createChangeBroadcast(
          db.engine,
          changes,
          log,
          db.machine,
        )
      : undefined;
  if (db.engine.kind === 'sqlite') db.engine.onUncertainWrite(() => changes.reloadAll());
  const leases = openLeases(db, log);
  const outbound = createOutbound(config.outboundAllow, world.originOverrides);
  const metrics = createMetrics();
  const telemetry = await startTelemetry?.({ metrics, vault, clock, log });
  const sharedLimits = await openSharedLimits(config, world, clock);
  const overload = createOverloadMonitor(log, world.systemReadings ?? createProcessReadings(clock), clock);

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
  subscribeToDataKeys(ctx);
  return {
    ctx,
    databaseClock,
    async close() {
      await telemetry?.close();
      await sharedLimits.close();
      overload.close();
      await ledger.close();
      await outbound.close();
      await leases.close();
      await sharing?.close();
      changes.close();
      await stopClock?.();
      await db.close();
      folder.release();
    },
  };
}

/** Opens the shared limits. The Redis client is loaded only if Redis is configured. */
async function openSharedLimits(
  { redisUrl }: Config,
  { log, redisDeadlineMs }: RuntimeEnvironment,
  timers: Timers,
): Promise<SharedLimits> {
  if (redisUrl === undefined) return unsharedLimits;
  const { openRedisLimits } = await import('./platform/limits/redis-limits.ts');
  return openRedisLimits(redisUrl, { log, timers, deadlineMs: redisDeadlineMs });
}
