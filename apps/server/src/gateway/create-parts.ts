import type { Context } from '../context.ts';
import { attemptCounts } from '../features/channel-history/channel-history.ts';
import {
  channelHealth,
  disabledOffers,
  disableIfConfirmed,
  noteCapReached,
  vendorTokens,
} from '../features/channels/channels.ts';
import { loadContentSafety, safetyCounts } from '../features/content-safety/content-safety.ts';
import { loadFacts } from '../features/models/models.ts';
import { missingRates } from '../features/prices/prices.ts';
import type { ClientAddress } from '../platform/client-address.ts';
import { systemTimers } from '../platform/clock.ts';
import { inBackground } from '../platform/log.ts';
import { createLocalLimit } from '../platform/rate-limit.ts';
import { createTasks } from '../tasks/tasks.ts';
import { createWorks } from '../works/works.ts';
import { createRunningCosts } from './channel-caps.ts';
import { createChooseChannel } from './choose-channel.ts';
import { createCosts } from './compare-costs.ts';
import { createDeadlines } from './deadlines.ts';
import { createFairTurns } from './fair-turns.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createIdempotency } from './idempotency.ts';
import { createLookThrough } from './look-through.ts';
import { createMemoryBudget, defaultMemoryBudget } from './memory-budget.ts';
import { createModelLabel } from './model-label.ts';
import { createOpenTasks } from './open-tasks.ts';
import { createPlaces } from './places.ts';
import { createProxyOf } from './proxy-of.ts';
import { createReadOn } from './read-on.ts';
import { createRealtimeTraffic } from './realtime-traffic.ts';
import { createRequestRate } from './request-rate.ts';
import { createRetryBudget } from './retry-budget.ts';
import { createSessionAffinity } from './session-affinity.ts';
import { loadSnapshot } from './snapshot-loader.ts';
import { createSpacedWork } from './spaced-work.ts';
import { createStoredResponses } from './stored-responses.ts';
import { createFindAccount } from './task-account.ts';
import { createTokenCounter } from './token-counter.ts';
import { createTokenRate } from './token-rate.ts';
import { createUnreadRequests } from './unread-requests.ts';
import { createUpstreamPool } from './upstream-pool.ts';

const REFUSALS_RECORDED_PER_MINUTE = 10;

export async function createParts(ctx: Context, clientAddress: ClientAddress): Promise<GatewayParts> {
  const snapshot = await loadSnapshot(ctx);
  const memory = createMemoryBudget(ctx.config.relayMemoryMaxBytes ?? defaultMemoryBudget());
  const health = channelHealth(ctx);
  const tokens = vendorTokens(ctx);
  const safety = await loadContentSafety(ctx);
  const running = createRunningCosts({
    ledger: ctx.ledger,
    clock: ctx.clock,
    onReached: (channelId, period, since) =>
      inBackground(ctx.log, 'note a cap', () => noteCapReached(ctx, channelId, period, since)),
  });
  const spaced = createSpacedWork(systemTimers);
  const tasks = createTasks(
    ctx,
    createFindAccount(ctx, snapshot, tokens),
    createLookThrough({ snapshot, safety, safetyCounts: safetyCounts(ctx), log: ctx.log }),
  );
  return {
    snapshot,
    health,
    history: attemptCounts(ctx),
    running,
    choose: createChooseChannel({
      snapshot,
      health,
      costs: createCosts(snapshot),
      cappedUntil: (channel) => running.cappedUntil(channel),
    }),
    affinity: createSessionAffinity(ctx.clock),
    retries: createRetryBudget(ctx.clock),
    rate: createRequestRate(ctx.clock, ctx.sharedLimits),
    tokenRate: createTokenRate(ctx.clock, ctx.sharedLimits),
    memory,
    places: createPlaces(() => ctx.settings, memory, ctx.sharedLimits),
    unread: createUnreadRequests(ctx.clock),
    refusalRecords: createLocalLimit(ctx.clock, REFUSALS_RECORDED_PER_MINUTE, 60_000),
    sharedLimits: ctx.sharedLimits,
    overload: ctx.overload,
    siteOf: (message) => clientAddress.siteOf(message),
    pool: createUpstreamPool(ctx.outbound),
    publicPool: createUpstreamPool(ctx.outbound.public),
    outbound: ctx.outbound,
    vendorTokens: tokens,
    proxyOf: createProxyOf(ctx.vault),
    deadlines: createDeadlines(ctx.clock),
    turns: createFairTurns(systemTimers),
    spaced,
    traffic: createRealtimeTraffic(ctx.clock, ctx.overload),
    readOn: createReadOn(),
    tokens: createTokenCounter(ctx.clock, memory),
    ledger: ctx.ledger,
    idempotency: createIdempotency(ctx, tasks),
    responses: createStoredResponses(ctx, snapshot, running, spaced),
    tasks,
    openTasks: createOpenTasks(() => ctx.settings, tasks),
    works: createWorks(ctx),
    safety,
    safetyCounts: safetyCounts(ctx),
    missingRates: missingRates(ctx),
    clock: ctx.clock,
    log: ctx.log,
    metrics: ctx.metrics,
    modelLabel: createModelLabel(snapshot),
    tracing: ctx.tracing,
    bodyMaxBytes: ctx.config.relayBodyMaxBytes,
    get settings() {
      return ctx.settings;
    },
    disabledOffers: () => disabledOffers(ctx),
    findFacts: () => loadFacts(ctx),
    disableIfConfirmed: (channelId, refusal, isFatal) => disableIfConfirmed(ctx, channelId, refusal, isFatal),
  };
}
