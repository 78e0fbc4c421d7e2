/** One attempt on one channel: plan the upstream call, make it, and note how it went. */
import type { Attempt } from '@switchyard/contract/usage-records';
import {
  type ClientRequest,
  type Exchange,
  InvalidRequest,
  planExchange,
  UpstreamError,
} from '@switchyard/relay';
import { noteOutcome } from './after-failure.ts';
import { type AttemptResult, attempt } from './attempt.ts';
import { isAdministrator, type Principal } from './authenticate.ts';
import type { Candidate } from './choose-channel.ts';
import type { ClientResponse } from './client-response.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { RequestLog } from './settlement.ts';

interface Trying {
  request: ClientRequest;
  principal: Principal;
  client: ClientResponse;
  log: RequestLog;
}

export async function tryChannel(
  parts: GatewayParts,
  trying: Trying,
  candidate: Candidate,
): Promise<AttemptResult> {
  const { channel, upstreamModel, model, verdicts } = candidate;
  const { clock } = parts;
  const startedAt = clock.now();
  if (isAdministrator(trying.principal.user))
    trying.client.header('x-switchyard-channel', String(channel.id));
  if (model !== trying.request.facts.model) trying.client.header('x-switchyard-model', model);
  const watch = parts.health.begin(channel.id, model);
  const result = await planAndAttempt(parts, trying, candidate);
  const { outcome, error, firstContentAt } = result;
  const firstContentMs = firstContentAt === 0 ? undefined : firstContentAt - startedAt;
  noteOutcome(watch, { outcome, error, firstContentMs });
  trying.log.attempts.push({
    channel_id: channel.id,
    upstream_model: upstreamModel,
    status: result.status,
    started_after: startedAt - trying.log.startedAt,
    duration: clock.now() - startedAt,
    outcome: outcomeOf(result, trying.client),
    message: result.error?.message.slice(0, 500) ?? '',
    why: verdicts,
  });
  return result;
}

async function planAndAttempt(
  parts: GatewayParts,
  { request, client, log }: Trying,
  candidate: Candidate,
): Promise<AttemptResult> {
  const { channel, upstreamModel } = candidate;
  const exchange = plan(request, channel.target, upstreamModel);
  if (exchange instanceof UpstreamError) return refusedHere(exchange);
  log.dropped = exchange.dropped;
  if (exchange.dropped.length > 0) client.header('x-switchyard-dropped', exchange.dropped.join(', '));
  const { pool, deadlines, clock } = parts;
  return attempt({
    exchange,
    stream: request.facts.stream,
    choices: request.facts.choices,
    proxy: channel.proxy,
    client,
    pool,
    deadlines,
    limits: candidate.channel.deadlines,
    clock,
    onDelivery: (meter, firstContentAt) => {
      log.delivery = { candidate, meter, firstContentAt };
    },
  });
}

/** A request that cannot be said in this channel's dialect is the client's to change. */
function plan(
  request: ClientRequest,
  target: Candidate['channel']['target'],
  model: string,
): Exchange | UpstreamError {
  try {
    return planExchange(request, { ...target, model });
  } catch (error) {
    if (error instanceof InvalidRequest)
      return new UpstreamError('rejected', error.message, { status: 400, cause: error });
    throw error;
  }
}

function refusedHere(error: UpstreamError): AttemptResult {
  return {
    outcome: 'failed',
    status: 0,
    error,
    meter: undefined,
    body: undefined,
    contentType: '',
    firstContentAt: 0,
    stream: false,
  };
}

function outcomeOf(result: AttemptResult, client: ClientResponse): Attempt['outcome'] {
  if (result.outcome === 'answered') return 'answered';
  if (result.outcome === 'left') return 'abandoned';
  return client.delivering ? 'cut' : (result.error?.kind ?? 'unreachable');
}
