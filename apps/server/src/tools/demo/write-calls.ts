/** Writes a month of calls through the ledger, so that every balance, receipt and rollup is consistent. */
import { channelId } from '@switchyard/contract/ids';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import { emptyUsage, type Usage } from '@switchyard/relay/usage';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import { getAttemptCounter } from '../../channels/attempt-stats/attempt-stats.ts';
import type { Context } from '../../context.ts';
import {
  createReceipt,
  emptyRecord,
  type NewUsageRecord,
  type PriceRule,
  priceCall,
  RATIO_ONE,
  type UsageDetail,
} from '../../ledger/ledger.ts';
import { formatRequestId } from '../../platform/http/request-id.ts';
import type { DemoCall } from './generate-calls.ts';

/** Node name in request ids for past times. */
const DEMO_NODE = 'demo0';
const BATCH = 500;
const TOP_UP_POINTS = 40 * POINTS_PER_USD;
const TOP_UP_BELOW_POINTS = 10 * POINTS_PER_USD;

interface ClockControl {
  travelTo(ms: number): void;
}

interface PlannedCall {
  call: DemoCall;
  requestId: string;
  points: number;
  record: NewUsageRecord;
}

export async function writeCalls(
  ctx: Context,
  calls: readonly DemoCall[],
  ratios: ReadonlyMap<string, number>,
  travel: ClockControl,
): Promise<void> {
  const priceOf = await loadPriceLookup(ctx);
  for (let from = 0; from < calls.length; from += BATCH) {
    const batch = calls.slice(from, from + BATCH).map((call, index) => {
      const price = priceOf(call.model.name);
      if (price === undefined) throw new Error(`The shipped prices have no ${call.model.name}`);
      return planCall(
        call,
        formatRequestId(call.at, from + index, DEMO_NODE),
        price,
        ratios.get(call.caller.group) ?? 1,
      );
    });
    travel.travelTo(batch[0]?.call.at ?? 0);
    await topUpLowBalances(ctx, batch);
    await Promise.all(batch.filter(({ call }) => !call.failed).map((written) => placeHold(ctx, written)));
    // Before the clock advances, because a charge gets the time at which it is made.
    await Promise.all(batch.map((written) => settleCall(ctx, written)));
    for (const { call } of batch) {
      travel.travelTo(call.at);
      countAttempts(ctx, call);
    }
  }
  await getAttemptCounter(ctx).write();
}

function countAttempts(ctx: Context, call: DemoCall): void {
  const counts = getAttemptCounter(ctx);
  for (const [index, channel] of call.channels.entries()) {
    const answered = !call.failed && index === call.channels.length - 1;
    if (answered) counts.countSuccess(channel, call.model.name, call.firstByteMs);
    else counts.countFailure(channel, call.model.name, 'overloaded');
  }
}

async function placeHold(ctx: Context, { call, requestId, points }: PlannedCall): Promise<void> {
  const { userId } = call.caller;
  const answer = await ctx.ledger.hold({ requestId, userId, apiKeyId: call.keyId, limited: false, amount: points });
  if (!answer.held) throw new Error(`User ${userId} has no points left`);
}

async function settleCall(ctx: Context, { call, requestId, points, record }: PlannedCall): Promise<void> {
  if (call.failed) ctx.ledger.record(record);
  else await ctx.ledger.settle(requestId, points, record);
}

/** Tops up users whose balance is too low for the batch. */
async function topUpLowBalances(ctx: Context, batch: readonly PlannedCall[]): Promise<void> {
  const needed = new Map<number, number>();
  for (const { call, points } of batch) needed.set(call.caller.userId, (needed.get(call.caller.userId) ?? 0) + points);
  for (const [userId, points] of needed) {
    if ((await ctx.ledger.readAvailable(userId)) >= points + TOP_UP_BELOW_POINTS) continue;
    const amount = Math.ceil(points / TOP_UP_POINTS) * TOP_UP_POINTS;
    const at = ctx.clock.now();
    const ref = `demo-${userId}-${at}`;
    await ctx.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'top-up', ref, userId, amount, note: 'Paid by card' }),
    );
  }
}

function planCall(call: DemoCall, requestId: string, rule: PriceRule, ratio: number): PlannedCall {
  const fresh = call.input - call.cached;
  const usage = { ...emptyUsage(), input: fresh, cachedRead: call.cached, output: call.output };
  const ratios = { group: Math.round(ratio * RATIO_ONE), key: RATIO_ONE };
  const charge = priceCall(rule, ratios, usage);
  const { points } = charge;
  const attempts = buildAttempts(call);
  const receipt = createReceipt(rule, ratios, charge);
  const detail: UsageDetail = call.failed ? { attempts } : { receipt, attempts };
  const record: NewUsageRecord = {
    ...createEmptyRecord(requestId, call.at, call.caller.userId),
    type: call.failed ? 'error' : 'consume',
    api_key_id: call.keyId,
    channel_id: call.channels.at(-1)?.id ?? null,
    model: call.model.name,
    group_symbol: call.caller.group,
    quota: call.failed ? 0 : points,
    cost: call.failed ? null : computeCost(call, rule, usage),
    prompt_tokens: call.failed ? 0 : call.input,
    completion_tokens: call.output,
    cached_tokens: call.failed ? 0 : call.cached,
    duration_ms: call.durationMs,
    first_byte_ms: call.failed ? 0 : call.firstByteMs,
    is_stream: Number(call.stream),
    address: call.caller.address,
    usage_source: call.failed ? 'none' : 'reported',
    content: call.failed ? 'The upstream is overloaded; no other channel could answer.' : '',
    detail: JSON.stringify(detail),
  };
  return { call, requestId, points, record };
}

function computeCost({ channels }: DemoCall, rule: PriceRule, usage: Usage): number {
  const group = Math.round((channels.at(-1)?.costRatio ?? 1) * RATIO_ONE);
  return priceCall(rule, { group, key: RATIO_ONE }, usage).points;
}

function buildAttempts(call: DemoCall): NonNullable<UsageDetail['attempts']> {
  let startedAfter = 0;
  return call.channels.map((channel, index) => {
    const answered = !call.failed && index === call.channels.length - 1;
    const duration = answered ? call.durationMs : Math.round(call.firstByteMs / 2);
    const attempt = {
      channel_id: channelId.parse(channel.id),
      upstream_model: call.model.name,
      status: answered ? 200 : 529,
      started_after: startedAfter,
      duration,
      outcome: answered ? ('answered' as const) : ('overloaded' as const),
      message: answered ? '' : 'Overloaded',
    };
    startedAfter += duration;
    return attempt;
  });
}

/** Returns a record with only a request id, a time and a user. */
function createEmptyRecord(requestId: string, at: number, userId: number): NewUsageRecord {
  return { ...emptyRecord, request_id: requestId, created_at: Math.floor(at / 1000), type: 'system', user_id: userId };
}
