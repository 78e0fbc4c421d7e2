/**
 * Passthrough requests for objects that are stored in one account at the vendor (files, batches, vector stores,
 * fine-tuning). They are sent unchanged to the channel that an administrator names with the key: `KEY#id`. Bodies are
 * streamed both ways and never buffered. The calls cost no points; their records name them.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { planPassthroughCall, type Target, UpstreamError } from '@switchyard/relay';
import type { Dispatcher } from 'undici';
import type { LoadedKey, VendorTokenCache } from '../../channels/registry/registry.ts';
import { emptyRecord, type Ledger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { type RequestLog, truncateErrorText } from '../billing/logged-call.ts';
import { createRequestLog, type RecordRequestParts, recordRequest } from '../billing/request-telemetry.ts';
import { type ClientResponse, untrustedContentHeaders } from '../http/client-response.ts';
import { RelayError } from '../http/relay-error.ts';
import { parsePath, parseQuery } from '../http/relay-paths.ts';
import type { ConcurrencyLimiter, ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitParts, admitAndAcquire } from '../pipeline/admit-request.ts';
import { sendError } from '../pipeline/send-response.ts';
import { type WatchRightsParts, watchRights } from '../pipeline/stop-unauthorized-requests.ts';
import type { ResolveProxy } from '../routing/proxy-and-end-user-ids.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import { PassthroughAttempt } from '../upstream/passthrough-attempt.ts';
import type { UpstreamPool } from '../upstream/upstream-and-replay-pool.ts';

export interface PassthroughParts extends AdmitParts, RecordRequestParts, WatchRightsParts {
  concurrencyLimiter: ConcurrencyLimiter;
  overload: OverloadMonitor;
  pool: UpstreamPool;
  vendorTokens: VendorTokenCache;
  proxyOf: ResolveProxy;
  deadlines: Deadlines;
  ledger: Ledger;
  log: Log;
}

export interface PassthroughInbound {
  message: IncomingMessage;
  response: ServerResponse;
  client: ClientResponse;
  identify(): Principal | Promise<Principal>;
  requestId: string;
  address: string;
}

interface AdmittedPassthrough extends PassthroughInbound {
  principal: Principal;
  channel: ChannelState;
  /** Target of the channel's first key, whose account stores the objects. */
  target: LoadedKey['target'];
  log: Pick<RequestLog, 'startedAt' | 'now'>;
}

/** Maximum file size of OpenAI's API. https://platform.openai.com/docs/api-reference/files/create */
const BODY_MAX_BYTES = 512 * 1024 * 1024;
const route = { format: 'openai-chat', operation: 'raw' } as const;
const methods: readonly Dispatcher.HttpMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Responds in every case; never rejects. */
export async function servePassthrough(parts: PassthroughParts, inbound: PassthroughInbound): Promise<void> {
  const log = createRequestLog(parts, inbound.message);
  let refusal: RelayError | undefined;
  let slot: ConcurrencySlot | undefined;
  let passing: AdmittedPassthrough | undefined;
  try {
    refuseOverloaded(parts.overload);
    const principal = await inbound.identify();
    ({ slot } = await admitAndAcquire(parts, principal, inbound.address));
    const channel = pinnedChannel(parts, principal);
    checkUnlimited(principal);
    const target = requireFirstKey(channel);
    passing = { ...inbound, principal, channel, target, log };
    const stopWatching = watchRights(parts, passing);
    const status = await callChannel(parts, passing).finally(stopWatching);
    recordCall(parts, passing, { type: 'consume', content: `${describeCall(passing)}: ${status}` });
    inbound.response.end();
  } catch (error) {
    if (passing !== undefined)
      recordCall(parts, passing, { type: 'error', content: `${describeCall(passing)}: ${errorMessage(error)}` });
    refusal = sendError(parts.log, { ...inbound, route: { ...route, framing: 'bytes' } }, error);
  } finally {
    recordRequest(parts, { ...inbound, route }, log, refusal);
    slot?.release(inbound.client);
  }
}

/** @throws RelayError */
function pinnedChannel({ snapshot }: PassthroughParts, { pinnedChannelId }: Principal): ChannelState {
  if (pinnedChannelId === undefined)
    throw new RelayError(
      'channel_not_allowed',
      'Passthrough requests require a channel. An administrator can name it after the key: KEY#id.',
    );
  const channel = snapshot.channel(pinnedChannelId);
  if (channel !== undefined) return channel;
  throw new RelayError(
    'no_available_channel',
    `Channel ${pinnedChannelId} does not exist or is disabled. Choose another channel.`,
  );
}

/**
 * Refuses tokens with limits: neither the model nor the vendor's charge of a passthrough call is known, so limits
 * cannot be enforced.
 * @throws RelayError
 */
function checkUnlimited({ key }: Principal): void {
  if (key === undefined || !(key.limited || key.budgets || key.models)) return;
  throw new RelayError(
    'channel_not_allowed',
    `The token "${key.name}" has a quota, a budget or a list of models, which cannot be enforced on passthrough requests. Use a token without them.`,
  );
}

/** @throws RelayError */
function requireFirstKey({ id, keys }: ChannelState): LoadedKey['target'] {
  const first = keys.find(({ isFirst }) => isFirst);
  if (first !== undefined) return first.target;
  throw new RelayError(
    'no_available_channel',
    `The first key of channel ${id}, whose account stores the files, is disabled. Enable it.`,
  );
}

/** @returns HTTP status. @throws RelayError */
async function callChannel(parts: PassthroughParts, passing: AdmittedPassthrough): Promise<number> {
  const { message, channel, client, response, requestId } = passing;
  const { url = '', headers } = message;
  const method = parseMethod(message.method);
  if (Number(headers['content-length'] ?? 0) > BODY_MAX_BYTES) throw tooLargeError();
  const call = planPassthroughCall(await signIn(parts, passing), removeKeyFromUrl(url), headers);
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const attempt = new PassthroughAttempt({
    response,
    client,
    clock: parts.clock,
    deadlines: parts.deadlines,
    idleMs: channel.deadlines.idleMs,
    totalMs: channel.deadlines.totalMs,
    buildHeaders: (answered) => buildResponseHeaders(answered, requestId),
  });
  try {
    parts.pool.dispatch(
      {
        url: call.url,
        headers: call.headers,
        method,
        body: hasBody ? attempt.countBytes(message, BODY_MAX_BYTES, tooLargeError) : null,
        proxy: parts.proxyOf(channel, passing.principal),
        connectMs: channel.deadlines.connectMs,
      },
      attempt,
    );
  } catch (error) {
    attempt.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
  }
  const { status, headers: answered, error } = await attempt.done;
  if (error === undefined) return status;
  throw toPassthroughError(call.readError(status, answered, error));
}

/** @throws RelayError */
async function signIn({ vendorTokens }: PassthroughParts, { target, channel }: AdmittedPassthrough): Promise<Target> {
  try {
    return { ...(await vendorTokens.signIn(target, channel.proxy)), model: '' };
  } catch (error) {
    throw error instanceof UpstreamError ? toPassthroughError(error) : error;
  }
}

function toPassthroughError(error: UpstreamError): RelayError {
  const nothingRead = { meter: undefined, isDelivered: false, firstContentAt: 0, unsupportedFields: [] };
  return createClientError({ outcome: 'failed', error, status: error.status, ...nothingRead });
}

function parseMethod(value = ''): Dispatcher.HttpMethod {
  const method = methods.find((known) => known === value);
  if (method === undefined) throw new RelayError('not_found', `The method ${value} is not supported.`);
  return method;
}

const tooLargeError = (): RelayError =>
  new RelayError('request_too_large', `The body exceeds the limit of ${BODY_MAX_BYTES} bytes. Send less.`);

/** Removes the gateway's key from the address, which is sent to the vendor. */
function removeKeyFromUrl(address: string): string {
  const sent = parseQuery(address);
  if (!sent.has('key')) return address;
  const query = new URLSearchParams([...sent.entries()]);
  query.delete('key');
  return query.size === 0 ? parsePath(address) : `${parsePath(address)}?${query.toString()}`;
}

/** Returns the headers of a file that is passed through. */
function buildResponseHeaders(answered: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const { 'content-type': type, 'content-length': length, 'content-disposition': disposition } = answered;
  return {
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    ...untrustedContentHeaders,
    'content-type': type ?? 'application/octet-stream',
    ...(length === undefined ? {} : { 'content-length': length }),
    ...(disposition === undefined ? {} : { 'content-disposition': toLatin1(disposition) }),
  };
}

/** Returns the text as latin-1, the only encoding of header values; a file name may have been decoded as UTF-8. */
function toLatin1(text: string): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : Buffer.from(text).toString('latin1');
}

function describeCall({ message }: AdmittedPassthrough): string {
  return `${message.method} ${parsePath(message.url ?? '')}`;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : 'failed';
}

function recordCall(
  { ledger, clock }: PassthroughParts,
  { principal: { user, key }, channel, requestId, address, log }: AdmittedPassthrough,
  entry: { type: 'consume' | 'error'; content: string },
): void {
  ledger.record({
    ...emptyRecord,
    ...entry,
    content: truncateErrorText(entry.content),
    request_id: requestId,
    created_at: nowSeconds(clock),
    user_id: user.id,
    api_key_id: key?.id ?? null,
    channel_id: channel.id,
    group_symbol: user.group,
    duration_ms: log.now() - log.startedAt,
    address,
  });
}
