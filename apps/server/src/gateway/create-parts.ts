import type { Context } from '../context.ts';
import { attemptCounts } from '../features/channel-history/channel-history.ts';
import { channelHealth, disableIfConfirmed, vendorTokens } from '../features/channels/channels.ts';
import { createChooseChannel } from './choose-channel.ts';
import { createCosts } from './compare-costs.ts';
import { createDeadlines } from './deadlines.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createIdempotency } from './idempotency.ts';
import { createPlaces } from './places.ts';
import { createReadOn } from './read-on.ts';
import { createRequestRate } from './request-rate.ts';
import { createRetryBudget } from './retry-budget.ts';
import { createSessionAffinity } from './session-affinity.ts';
import { loadSnapshot } from './snapshot-loader.ts';
import { createStoredResponses } from './stored-responses.ts';
import { createTokenCounter } from './token-counter.ts';
import { createTokenRate } from './token-rate.ts';
import { createUnreadRequests } from './unread-requests.ts';
import { createUpstreamPool } from './upstream-pool.ts';

export async function createParts(ctx: Context): Promise<GatewayParts> {
  const snapshot = await loadSnapshot(ctx);
  const health = channelHealth(ctx);
  return {
    snapshot,
    health,
    history: attemptCounts(ctx),
    choose: createChooseChannel({ snapshot, health, costs: createCosts(snapshot) }),
    affinity: createSessionAffinity(ctx.clock),
    retries: createRetryBudget(ctx.clock),
    rate: createRequestRate(ctx.clock),
    tokenRate: createTokenRate(ctx.clock),
    places: createPlaces(() => ctx.settings, ctx.config.relayBodiesMaxBytes),
    unread: createUnreadRequests(ctx.clock),
    overload: ctx.overload,
    pool: createUpstreamPool(ctx.outbound),
    outbound: ctx.outbound,
    vendorTokens: vendorTokens(ctx),
    deadlines: createDeadlines(ctx.clock),
    readOn: createReadOn(),
    tokens: createTokenCounter(),
    ledger: ctx.ledger,
    idempotency: createIdempotency(ctx),
    responses: createStoredResponses(ctx, snapshot),
    clock: ctx.clock,
    log: ctx.log,
    bodyMaxBytes: ctx.config.relayBodyMaxBytes,
    get settings() {
      return ctx.settings;
    },
    disableIfConfirmed: (channelId, model, reason, isFatal) =>
      disableIfConfirmed(ctx, channelId, model, reason, isFatal),
  };
}
