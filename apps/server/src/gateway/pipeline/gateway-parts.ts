import { createArtifacts } from '../../artifacts/artifacts.ts';
import { loadModelMetadata } from '../../catalog/models/models.ts';
import { getMissingRates } from '../../catalog/prices/prices.ts';
import { getAttemptCounter } from '../../channels/attempt-stats/attempt-stats.ts';
import {
  disableIfConfirmed,
  getChannelHealth,
  getVendorTokens,
  listDisabledOffers,
  recordCapReached,
} from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { getSafetyCounter, loadContentSafety } from '../../operations/content-safety/content-safety.ts';
import { systemTimers } from '../../platform/clock.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import { defaultConnectionLimits } from '../../platform/http/connection-limit.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { runInBackground } from '../../platform/log.ts';
import { createTasks } from '../../tasks/tasks.ts';
import type { BatchEndpointsParts } from '../batches/file-and-batch-endpoints.ts';
import type { BatchRequestParts } from '../batches/relay-batch-line.ts';
import { createTokenCounter } from '../billing/token-counter.ts';
import type { QuoteParts } from '../endpoints/quote.ts';
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts';
import { createFairScheduler } from '../limits/fair-scheduler.ts';
import type { MemoryBudget } from '../limits/memory-budget.ts';
import { createMemoryBudget, defaultMemoryBudget } from '../limits/memory-budget.ts';
import { createOpenTasks } from '../limits/open-tasks.ts';
import { createPacedExecutor } from '../limits/paced-executor.ts';
import { createRequestRateLimiter } from '../limits/request-rate.ts';
import { createTokenRateLimiter } from '../limits/token-rate.ts';
import { createUnpaidRequestLimit } from '../limits/unpaid-request-limit.ts';
import type { RealtimeParts } from '../realtime/realtime.ts';
import { createRealtimeRateLimit } from '../realtime/realtime-rate-limit.ts';
import { createStoredResponses } from '../responses-api/conversation-state.ts';
import type { ResponseEndpointsParts } from '../responses-api/response-endpoints.ts';
import type { RouteTableParts } from '../route-table.ts';
import { createChannelCosts } from '../routing/channel-cost.ts';
import { createChannelSelector } from '../routing/channel-selector.ts';
import { createEndUserIds, createResolveProxy } from '../routing/proxy-and-end-user-ids.ts';
import { createRetryBudget } from '../routing/retry-budget.ts';
import { createRunningCosts } from '../routing/running-costs-and-caps.ts';
import { createSessionAffinity } from '../routing/session-affinity.ts';
import { createModelLabel, createModelNameLimit } from '../snapshot/model-label-and-name-limit.ts';
import { loadSnapshot } from '../snapshot/snapshot-loader.ts';
import { createFindAccount } from '../tasks/task-origin.ts';
import { createDeadlines } from '../upstream/deadline-timer.ts';
import { createDrainBudget } from '../upstream/drain-after-disconnect.ts';
import { createUpstreamPool } from '../upstream/upstream-and-replay-pool.ts';
import { UpstreamClients } from '../upstream/upstream-clients.ts';
import { createIdempotency } from './idempotent-request.ts';
import { createModerateTask } from './moderate-task-result.ts';

/** Creates the parts that the stages and endpoints of the gateway declare. */
export interface GatewayParts
  extends RouteTableParts,
    BatchEndpointsParts,
    BatchRequestParts,
    QuoteParts,
    RealtimeParts,
    ResponseEndpointsParts {
  /** Memory budget of all relayed requests. */
  memory: MemoryBudget;
}

const REFUSALS_RECORDED_PER_MINUTE = 10;

export async function createParts(ctx: Context, clientAddress: ClientAddress): Promise<GatewayParts> {
  const snapshot = await loadSnapshot(ctx);
  const memory = createMemoryBudget(ctx.config.relayMemoryMaxBytes ?? defaultMemoryBudget());
  ctx.outbound.limitMemory(() => memory.open());
  const health = getChannelHealth(ctx);
  const tokens = getVendorTokens(ctx);
  const safety = await loadContentSafety(ctx);
  const spaced = createPacedExecutor(systemTimers);
  const modelLabel = createModelLabel(snapshot);
  const scheduler = createFairScheduler(systemTimers);
  const unpaidRequestLimit = createUnpaidRequestLimit(ctx.clock, ctx.sharedLimits);
  const tasks = createTasks(ctx, {
    findAccount: createFindAccount(ctx, snapshot, tokens),
    moderateTask: createModerateTask({
      snapshot,
      safety,
      safetyCounts: getSafetyCounter(ctx),
      unpaidRequestLimit,
      log: ctx.log,
    }),
    runPaced: (userId, work) => spaced.run(userId, work),
    openMemory: (userId) => memory.open(userId),
    hasCaps: () => snapshot.channels().some(({ caps: { day, month } }) => day !== null || month !== null),
  });
  const running = createRunningCosts({
    ledger: ctx.ledger,
    openTaskCosts: tasks.costs,
    clock: ctx.clock,
    onReached: (channelId, period, since) =>
      runInBackground(ctx.log, 'record a reached spending cap', () => recordCapReached(ctx, channelId, period, since)),
  });
  // The same maximum as for client connections, because a request has a connection on each side.
  const upstreamClients = new UpstreamClients(defaultConnectionLimits().total);
  return {
    snapshot,
    health,
    attemptCounts: getAttemptCounter(ctx),
    running,
    channelSelector: createChannelSelector({
      snapshot,
      health,
      costs: createChannelCosts(snapshot),
      cappedUntil: (channel) => running.cappedUntil(channel),
    }),
    affinity: createSessionAffinity(ctx.clock),
    retryBudget: createRetryBudget(ctx.clock),
    rate: createRequestRateLimiter(ctx.clock, ctx.sharedLimits),
    tokenRate: createTokenRateLimiter(ctx.clock, ctx.sharedLimits),
    memory,
    concurrencyLimiter: createConcurrencyLimiter(() => ctx.settings, memory, ctx.sharedLimits),
    unpaidRequestLimit,
    refusalRecords: createLocalLimit(ctx.clock, REFUSALS_RECORDED_PER_MINUTE, 60_000),
    sharedLimits: ctx.sharedLimits,
    overload: ctx.overload,
    siteOf: (message) => clientAddress.getSiteOrigin(message),
    pool: createUpstreamPool(ctx.outbound, upstreamClients),
    publicPool: createUpstreamPool(ctx.outbound.public, upstreamClients),
    outbound: ctx.outbound,
    vendorTokens: tokens,
    proxyOf: createResolveProxy(ctx.vault),
    endUserIdsOf: createEndUserIds(ctx.vault),
    deadlines: createDeadlines(ctx.clock),
    scheduler,
    pacedExecutor: spaced,
    rateLimit: createRealtimeRateLimit(ctx.clock, ctx.overload),
    drainBudget: createDrainBudget(),
    tokens: createTokenCounter(ctx.clock, memory),
    ledger: ctx.ledger,
    idempotency: createIdempotency(ctx, tasks, scheduler),
    responses: createStoredResponses(ctx, snapshot, running, spaced),
    tasks,
    openTasks: createOpenTasks(() => ctx.settings, tasks),
    artifactStore: createArtifacts(ctx),
    safety,
    safetyCounts: getSafetyCounter(ctx),
    missingRates: getMissingRates(ctx),
    clock: ctx.clock,
    log: ctx.log,
    metrics: ctx.metrics,
    modelLabel,
    limitModelNames: createModelNameLimit(ctx.clock, modelLabel),
    tracing: ctx.tracing,
    bodyMaxBytes: ctx.config.relayBodyMaxBytes,
    get settings() {
      return ctx.settings;
    },
    disabledOffers: () => listDisabledOffers(ctx),
    findFacts: () => loadModelMetadata(ctx),
    disableIfConfirmed: (channelId, refusal, isFatal) => disableIfConfirmed(ctx, channelId, refusal, isFatal),
  };
}
