/**
 * Serves `GET /v1/realtime?model=…`, OpenAI's realtime API over a WebSocket: identifies and admits the caller, opens
 * a session on a channel with a hold, answers the upgrade, forwards messages, charges each response, and ends.
 * https://platform.openai.com/docs/guides/realtime-websocket
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { SessionMeter } from '@switchyard/relay';
import { acceptWebSocket, countUnfinishedMessageBytes, type WebSocket } from '../../platform/outbound/web-socket.ts';
import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { createRequestLog, type RecordRequestParts, recordRequest } from '../billing/request-telemetry.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { sendLimitHeaders } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencyLimiter, ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { HeldBytes } from '../limits/memory-budget.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitParts, admitAndAcquire, admitRequest } from '../pipeline/admit-request.ts';
import { type CheckContentParts, createEventCheck } from '../pipeline/check-content.ts';
import { sendError } from '../pipeline/send-response.ts';
import { watchRights } from '../pipeline/stop-unauthorized-requests.ts';
import { isChannelAdministrator, type KeyBearer, type Principal } from '../snapshot/authenticate-api-key.ts';
import type { DrainBudget } from '../upstream/drain-after-disconnect.ts';
import { RealtimeBilling, type RealtimeBillingParts } from './realtime-billing.ts';
import { readRealtimeRequest, toKeyBearer } from './realtime-handshake.ts';
import type { RealtimeRateLimit } from './realtime-rate-limit.ts';
import { RealtimeRights } from './realtime-rights.ts';
import { RealtimeSession } from './realtime-session.ts';
import { RealtimeSockets } from './realtime-sockets.ts';
import { type OpenUpstream, openUpstream, type RealtimeCall, type RealtimeOpenParts } from './realtime-try-channels.ts';

export interface RealtimeParts
  extends RealtimeBillingParts,
    AdmitParts,
    RecordRequestParts,
    RealtimeOpenParts,
    CheckContentParts {
  concurrencyLimiter: ConcurrencyLimiter;
  overload: OverloadMonitor;
  rateLimit: RealtimeRateLimit;
  drainBudget: DrainBudget;
}

export interface RealtimeInbound {
  message: IncomingMessage;
  socket: Socket;
  /** Bytes that the client has sent after its request. */
  head: Buffer;
  /** Responds until the upgrade is answered; afterwards it only reports stops. */
  client: ClientResponse;
  identify(bearer: KeyBearer): Principal | Promise<Principal>;
  requestId: string;
  address: string;
}

type Call = RealtimeInbound & RealtimeCall;

/** Responds in every case; never rejects. */
export async function serveRealtime(parts: RealtimeParts, inbound: RealtimeInbound): Promise<void> {
  const { client, message, requestId, address } = inbound;
  const log = createRequestLog(parts, message);
  const route = { format: 'openai-realtime', operation: 'realtime' } as const;
  let refusal: RelayError | undefined;
  let slot: ConcurrencySlot | undefined;
  let billing: RealtimeBilling | undefined;
  try {
    refuseOverloaded(parts.overload);
    const principal = await inbound.identify(toKeyBearer(message));
    const entered = await admitAndAcquire(parts, principal, address);
    ({ slot } = entered);
    const request = readRealtimeRequest(message);
    log.model = request.facts.model;
    const admission = await admitRequest(parts, principal, request, entered.caller);
    sendLimitHeaders(client, admission.rateLimitStates);
    const opening: Call = { ...inbound, ...admission, principal, request, log, slot: entered.slot };
    billing = new RealtimeBilling(parts, opening);
    const rights = new RealtimeRights(parts, opening);
    const stopWatching = watchRights(parts, opening);
    try {
      await serve(parts, opening, billing, rights);
    } finally {
      stopWatching();
      rights.end();
    }
  } catch (error) {
    await billing?.end([], 'failed', error instanceof Error ? error.message : 'failed');
    refusal = sendError(parts.log, { client, requestId, route }, error);
  } finally {
    recordRequest(parts, { ...inbound, route }, log, refusal);
    parts.running.end(requestId);
    slot?.release(client);
  }
}

async function serve(
  parts: RealtimeParts,
  opening: Call,
  billing: RealtimeBilling,
  rights: RealtimeRights,
): Promise<void> {
  const open = await openUpstream(parts, opening, billing);
  const accepted = await acceptUpgrade(parts, opening, open);
  // From here on, only events can report errors.
  try {
    await runSession(parts, opening, billing, rights, open, accepted);
  } catch (error) {
    parts.log.error({ err: error, request_id: opening.requestId }, 'a realtime session failed with an internal error');
    accepted.terminate();
    open.upstream.terminate();
    await billing.end([], 'failed', 'The gateway ended the session because of an internal error.');
  }
}

async function runSession(
  parts: RealtimeParts,
  opening: Call,
  billing: RealtimeBilling,
  rights: RealtimeRights,
  { booked, target, upstream, connection, initialMessages }: OpenUpstream,
  accepted: WebSocket,
): Promise<void> {
  const { client, principal, request, requestId, slot, socket } = opening;
  const meter = new SessionMeter(target.model);
  const rateLimit = parts.rateLimit.open(principal.user.id);
  let isOver = false;
  const grow = (more: number): void => {
    // Afterwards the slot may have been released.
    if (!isOver) slot.grow(more);
  };
  const held = new HeldBytes({ grow }, (refusal) => session.stop(refusal));
  let bytes = 0;
  const hold = (more: number): void => {
    bytes += more;
    held.set(bytes);
  };
  const session = new RealtimeSession({
    sockets: new RealtimeSockets(accepted, upstream, hold),
    initialMessages,
    billing,
    rights,
    booked,
    meter,
    model: request.facts.model,
    target,
    deadlines: parts.deadlines,
    clock: parts.clock,
    requestId,
    check: createEventCheck(parts, { ...opening, slot: { grow } }),
    runSpaced: (work) => parts.pacedExecutor.run(principal.user.id, work),
    rateLimit,
    confirmHolds: () => parts.ledger.confirmHolds(),
    recordUnpaid: () => parts.unpaidRequestLimit.record(principal.user.id),
    startDrain: () => parts.drainBudget.startSessionDrain(principal.user.id, booked.channel),
  });
  const stopIfAsked = (): void => {
    if (client.stopReason !== undefined) session.stop(client.stopReason, client.mustAbort);
  };
  client.onLeave = stopIfAsked;
  stopIfAsked();
  const stopCounting = [
    countUnfinishedMessageBytes(accepted, socket, hold),
    countUnfinishedMessageBytes(upstream, connection, hold),
  ];
  const { outcome, error, pending } = await session.done.finally(() => {
    isOver = true;
    for (const stop of stopCounting) stop();
    rateLimit.end();
  });
  client.onLeave = undefined;
  for (const { usage } of pending) await rights.recordUsage(usage);
  await billing.end(pending, outcome, error?.message);
  parts.log.info({ request_id: requestId, code: error?.code }, 'a realtime session ended');
}

/** @throws RelayError when the client disconnected meanwhile */
async function acceptUpgrade(
  parts: RealtimeParts,
  opening: Call,
  { booked, upstream }: OpenUpstream,
): Promise<WebSocket> {
  const { channel, model } = booked;
  const { message, socket, head, requestId, principal, request } = opening;
  const headers = [`x-request-id: ${requestId}`];
  if (isChannelAdministrator(parts, principal)) headers.push(`x-switchyard-channel: ${channel.id}`);
  if (model !== request.facts.model) headers.push(`x-switchyard-model: ${encodeURIComponent(model)}`);
  try {
    return await acceptWebSocket(message, socket, head, { protocol: 'realtime', headers });
  } catch (error) {
    upstream.terminate();
    throw new RelayError('client_left', 'The client closed the connection.', { cause: error });
  }
}
