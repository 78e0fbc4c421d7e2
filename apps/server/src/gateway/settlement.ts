/** What a finished request costs and what its record says. */
import type { Ending } from '@switchyard/contract/usage-records';
import { type ClientRequest, type Meter, promptTokens } from '@switchyard/relay';
import {
  type NewUsageRecord,
  type PriceRule,
  priceCall,
  receiptOf,
  type StoredAttempt,
  type UsageDetail,
} from '../ledger/ledger.ts';
import type { AttemptResult } from './attempt.ts';
import type { Principal } from './authenticate.ts';
import { costOf } from './channel-cost.ts';
import type { Candidate } from './choose-channel.ts';
import type { ClientResponse } from './client-response.ts';
import type { Consumption } from './consumption.ts';
import { ratiosOf } from './ratios.ts';

/** A stream of which the client has got a part. */
export interface Delivery {
  candidate: Candidate;
  meter: Meter;
  /** UTC ms. */
  firstContentAt: number;
}

export interface RequestLog {
  requestId: string;
  address: string;
  /** UTC ms. */
  startedAt: number;
  attempts: StoredAttempt[];
  dropped: readonly string[];
  /** The stream that the client is getting. */
  delivery: Delivery | undefined;
}

export interface Logged {
  request: ClientRequest;
  principal: Principal;
  client: ClientResponse;
  log: RequestLog;
}

/** `now` in UTC ms. */
export function settlementOf(
  call: Logged,
  { channel, group, model, upstreamModel }: Candidate,
  { usage, source }: Consumption,
  { outcome, firstContentAt }: Pick<AttemptResult, 'outcome' | 'firstContentAt'>,
  rule: PriceRule,
  now: number,
): { charge: number; record: NewUsageRecord } {
  const ratios = ratiosOf(group, call.principal);
  const charge = priceCall(rule, ratios, usage);
  const { attempts, dropped, startedAt } = call.log;
  const detail: UsageDetail = {
    receipt: receiptOf(rule, ratios, charge),
    ending: endingOf(call, outcome),
    attempts,
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(model === call.request.facts.model ? {} : { requested_model: call.request.facts.model }),
  };
  const record: NewUsageRecord = {
    ...baseRecord(call, now),
    type: 'consume',
    model,
    channel_id: channel.id,
    group_symbol: group.symbol,
    quota: charge.points,
    cost: costOf(channel.cost, upstreamModel, rule, usage),
    prompt_tokens: promptTokens(usage),
    completion_tokens: usage.output + usage.reasoning + usage.audioOutput + usage.imageOutput,
    cached_tokens: usage.cachedRead,
    first_byte_ms: firstContentAt === 0 ? 0 : firstContentAt - startedAt,
    usage_source: source,
    detail: JSON.stringify(detail),
  };
  return { charge: charge.points, record };
}

/** For a request that failed: costs nothing, keeps the attempts. */
export function failureRecord(call: Logged, message: string, now: number): NewUsageRecord {
  const outcome = call.client.left ? 'left' : 'failed';
  const detail: UsageDetail = { ending: endingOf(call, outcome), attempts: call.log.attempts };
  return {
    ...baseRecord(call, now),
    type: 'error',
    channel_id: call.log.attempts.at(-1)?.channel_id ?? null,
    content: message.slice(0, 500),
    detail: JSON.stringify(detail),
  };
}

function endingOf({ client }: Logged, outcome: AttemptResult['outcome']): Ending {
  if (client.stopped !== undefined) return 'gateway-stopped';
  if (outcome === 'answered') return 'complete';
  return outcome === 'left' ? 'client-left' : 'upstream-failed';
}

function baseRecord({ request, principal, log }: Logged, now: number) {
  return {
    request_id: log.requestId,
    created_at: Math.floor(now / 1000),
    user_id: principal.user.id,
    api_key_id: principal.key?.id ?? null,
    model: request.facts.model,
    group_symbol: principal.user.group,
    quota: 0,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    cached_tokens: 0,
    duration_ms: now - log.startedAt,
    first_byte_ms: 0,
    is_stream: request.facts.stream ? 1 : 0,
    address: log.address,
    usage_source: 'none' as const,
    content: '',
  };
}
