/** Gauges, read at each scrape. Nothing here waits for long or reads a large table. */

import { getChannelHealth } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import type { DatabaseClock } from '../../db/database-clock.ts';
import { version } from '../../platform/version.ts';
import { createGauge, createSingleCounter, createSingleGauge } from './metric-registry.ts';
import type { Family, GatewayState, NumberPoint } from './metrics.ts';
import { createQueueGauges } from './queue-gauges.ts';

/** @returns a function that reads all counters and gauges */
export function createGaugeReader(
  ctx: Context,
  gateway: GatewayState,
  databaseClock: DatabaseClock | undefined,
): () => Promise<Family[]> {
  const readWaiting = createQueueGauges(ctx);
  return async () => {
    const waiting = await readWaiting();
    return [
      ...ctx.metrics.families(),
      ...readLedgerState(ctx),
      ...readRelayState(ctx, gateway),
      ...readRedisState(ctx),
      ...readClockState(databaseClock),
      ...readReplicaState(ctx),
      ...readChannelState(ctx, gateway),
      ...readProcessState(ctx),
      ...waiting,
    ];
  };
}

function readLedgerState({ ledger, clock }: Context): Family[] {
  const { lasting, oldestAt, waiting } = ledger.state();
  const ageMs = oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt);
  return [
    createGauge(
      'switchyard_open_holds',
      'Open holds: of running requests, and long-lived ones of tasks.',
      ['kind'],
      [
        { values: ['request'], value: ledger.openHolds },
        { values: ['lasting'], value: lasting },
      ],
    ),
    createSingleGauge(
      'switchyard_oldest_hold_age_seconds',
      "Age of the oldest running request's hold; 0 if there is none.",
      ageMs / 1000,
    ),
    createSingleGauge('switchyard_movements_waiting', 'Ledger entries that wait for the next commit.', waiting),
  ];
}

function readRelayState({ overload }: Context, { running, streams, memoryBytes }: GatewayState): Family[] {
  return [
    createSingleGauge('switchyard_relay_running_requests', 'Relay requests that occupy a concurrency slot.', running),
    createSingleGauge(
      'switchyard_relay_running_streams',
      'Running relay requests whose client has received part of the response.',
      streams,
    ),
    createSingleGauge(
      'switchyard_relay_memory_bytes',
      'Memory that relay requests use for bodies and responses.',
      memoryBytes,
    ),
    createSingleGauge(
      'switchyard_overload_shedding',
      '1 while new relay requests are refused because of overload.',
      overload.shedding ? 1 : 0,
    ),
    createSingleCounter(
      'switchyard_overload_refused_total',
      'Relay requests that were refused because of overload.',
      overload.refused,
    ),
  ];
}

function readRedisState({ sharedLimits: { isUp } }: Context): Family[] {
  if (isUp === undefined) return [];
  const help = '1 while this node shares its limits with the others through Redis, 0 while it enforces limits alone.';
  return [createSingleGauge('switchyard_redis_up', help, isUp ? 1 : 0)];
}

function readClockState(clock: DatabaseClock | undefined): Family[] {
  const help = "Lead of this machine's clock over the database's clock, which nodes on PostgreSQL use.";
  return [createSingleGauge('switchyard_clock_offset_seconds', help, (clock?.machineAheadMs ?? 0) / 1000)];
}

/** Returns families without points if there is no replica. */
function readReplicaState({ db: { replica } }: Context): Family[] {
  const points = (value: number | undefined): NumberPoint[] => (value === undefined ? [] : [{ values: [], value }]);
  return [
    createGauge(
      'switchyard_replica_in_use',
      '1 while reports are read from the replica, 0 while they are read from the primary.',
      [],
      points(replica && Number(replica.use === 'in-use')),
    ),
    createGauge(
      'switchyard_replica_lag_seconds',
      'Maximum lag of the replica; absent while the lag is unknown.',
      [],
      points(replica?.lagMs === undefined ? undefined : replica.lagMs / 1000),
    ),
    {
      name: 'switchyard_replica_fallbacks_total',
      help: 'Reports that the replica failed to deliver and the primary delivered instead.',
      type: 'counter',
      labels: [],
      points: points(replica?.fallbacks),
    },
  ];
}

const unavailableStates = ['open', 'half-open', 'resting'] as const;

function readChannelState(ctx: Context, gateway: GatewayState): Family[] {
  const out = new Map<number, Record<(typeof unavailableStates)[number], number>>();
  for (const { channelId, circuitBreaker, cooldownUntil } of getChannelHealth(ctx).list()) {
    const states = out.get(channelId) ?? { open: 0, 'half-open': 0, resting: 0 };
    out.set(channelId, states);
    if (circuitBreaker !== 'closed') states[circuitBreaker] += 1;
    if (cooldownUntil > 0) states.resting += 1;
  }
  const channels = gateway.channels();
  const points = channels.flatMap(({ id, provider }) =>
    unavailableStates.map((state) => ({ values: [String(id), provider, state], value: out.get(id)?.[state] ?? 0 })),
  );
  return [
    createSingleGauge('switchyard_channels_in_use', 'Channels that can receive requests.', channels.length),
    createGauge(
      'switchyard_channel_models_out',
      'Models of a channel that get no requests or only probes: their circuit breaker is open or half-open, or they are in cooldown.',
      ['channel', 'provider', 'state'],
      points,
    ),
  ];
}

function readProcessState({ overload, startTime }: Context): Family[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const { p50, p99 } = overload.delays();
  return [
    createGauge(
      'switchyard_build_info',
      'Always 1; the labels show the running version.',
      ['version', 'node'],
      [{ values: [version, process.version], value: 1 }],
    ),
    createSingleGauge('switchyard_start_time_seconds', 'Start time of this process, in seconds since 1970.', startTime),
    createGauge(
      'switchyard_event_loop_delay_seconds',
      'Delay of the event loop in the last minute.',
      ['quantile'],
      [
        { values: ['0.5'], value: p50 / 1000 },
        { values: ['0.99'], value: p99 / 1000 },
      ],
    ),
    createGauge(
      'switchyard_memory_bytes',
      'Memory of the process.',
      ['kind'],
      [
        { values: ['rss'], value: rss },
        { values: ['heap_used'], value: heapUsed },
        { values: ['heap_total'], value: heapTotal },
        { values: ['external'], value: external },
      ],
    ),
    createSingleGauge(
      'switchyard_memory_share',
      "Used share of the heap limit or of the machine's memory, whichever is higher.",
      overload.memoryShare,
    ),
    createSingleGauge(
      'switchyard_handles',
      'Connections, timers and other handles that keep the process running.',
      process.getActiveResourcesInfo().length,
    ),
  ];
}
