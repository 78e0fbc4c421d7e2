/** Requests of the gateway itself through a channel, which are neither billed nor recorded. */
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import {
  BytePieces,
  type ClientRequest,
  type Exchange,
  type Meter,
  planExchange,
  planTokenCount,
  type Target,
  UpstreamError,
} from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { isAccountError } from '../health/health-status-and-resume.ts';
import type { LoadedChannel } from '../registry/loaded-channel.ts';
import { getVendorTokens } from './vendor-access-token-cache.ts';
import { type PartialResponse, toVendorCallError, type VendorAccount, VendorCallError } from './vendor-call-error.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const RESPONSE_MAX_BYTES = 8 * 1024 * 1024;
/** Bytes of a response that suffice to distinguish HTML from JSON. */
const BEGINNING_MAX = 4_096;

export interface ProbeResponse {
  /** Response in the dialect of the request. */
  body: Buffer;
  meter: Meter;
  durationMs: number;
  /** Undefined for a non-streaming response. */
  firstContentMs: number | undefined;
  /** Number of pieces with content; 1 for a non-streaming response. */
  pieces: number;
}

/**
 * Sends a request through the channel and reads its response.
 * @param signal aborts it
 * @throws VendorCallError
 */
export async function sendVendorRequest(
  ctx: Context,
  channel: LoadedChannel,
  request: ClientRequest,
  options: VendorRequestOptions = {},
): Promise<ProbeResponse> {
  const asked = await sendPlanned(ctx, channel, request, planExchange, options);
  if (!isEmpty(request, asked.meter)) return asked;
  throw logVendorFailure(ctx, channel.id, new VendorCallError('empty-answer', 'The response has no content'));
}

/** Lets the vendor count a request's tokens, which is free. @throws VendorCallError */
export async function countVendorTokens(
  ctx: Context,
  channel: LoadedChannel,
  request: ClientRequest,
  options: VendorRequestOptions = {},
): Promise<void> {
  const plan = (clientRequest: ClientRequest, target: Target): Exchange => {
    const exchange = planTokenCount(clientRequest, target);
    if (exchange === undefined) throw new VendorCallError('bad-request', 'The provider has no token counting endpoint');
    return exchange;
  };
  await sendPlanned(ctx, channel, request, plan, options);
}

interface VendorRequestOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

async function sendPlanned(
  ctx: Context,
  channel: LoadedChannel,
  request: ClientRequest,
  plan: (request: ClientRequest, target: Target) => Exchange,
  { signal, timeoutMs = REQUEST_TIMEOUT_MS }: VendorRequestOptions,
): Promise<ProbeResponse> {
  const { proxy } = channel;
  const { provider, credentials } = channel.target;
  const missing = provider.credentials.find(({ name, required }) => required && !credentials[name]);
  if (missing !== undefined) throw new VendorCallError('malformed-key', `The key has no ${missing.name}`);
  const deadline = AbortSignal.timeout(timeoutMs);
  let answer: PartialResponse | undefined;
  let account: VendorAccount = channel;
  try {
    account = { target: await getVendorTokens(ctx).signIn(channel.target, proxy), proxy };
    const exchange = plan(request, { ...account.target, model: resolveUpstreamModel(channel, request.facts.model) });
    const begunAt = performance.now();
    const opened = await ctx.outbound.open({
      method: 'POST',
      url: exchange.url,
      headers: toHeaderRecord(exchange.headers),
      body: exchange.body,
      proxy,
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    answer = { status: opened.status, beginning: '' };
    return await readVendorResponse(exchange, opened, answer, begunAt);
  } catch (error) {
    if (error instanceof UpstreamError && isAccountError(error)) getVendorTokens(ctx).invalidate(channel.target);
    throw logVendorFailure(ctx, channel.id, toVendorCallError(error, account, answer));
  }
}

export function resolveUpstreamModel({ modelMapping }: LoadedChannel, model: string): string {
  return resolveModelNames(modelMapping, model).upstreamModel;
}

/** Logs a failure without the original error, which may quote a response that repeats the key. */
export function logVendorFailure(
  ctx: Context,
  channelId: number | undefined,
  failure: VendorCallError,
): VendorCallError {
  const { problem, message } = failure;
  ctx.log.info({ channel: channelId, problem, reason: message }, 'a test or query of a provider failed');
  return failure;
}

async function readVendorResponse(
  exchange: Exchange,
  { status, headers, body }: Awaited<ReturnType<Context['outbound']['open']>>,
  answer: PartialResponse,
  begunAt: number,
): Promise<ProbeResponse> {
  const isAnswer = status >= 200 && status < 300;
  const reader = isAnswer ? exchange.readResponse(headers) : undefined;
  const read = new BytePieces();
  let [size, pieces] = [0, 0];
  let firstContentMs: number | undefined;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > RESPONSE_MAX_BYTES) throw new UpstreamError('garbled', 'The response is too large', { status });
    if (answer.beginning.length < BEGINNING_MAX) answer.beginning += chunk.toString('utf8', 0, BEGINNING_MAX);
    const before = reader?.meter.deliveredCharacters ?? 0;
    read.push(reader?.push(chunk) ?? chunk);
    if ((reader?.meter.deliveredCharacters ?? 0) === before) continue;
    pieces += 1;
    firstContentMs ??= millisecondsSince(begunAt);
  }
  if (reader === undefined) throw exchange.readError(status, headers, read.whole());
  // An accepted task submission counts as a success.
  if (reader.nextPoll?.() === undefined) read.push(reader.end());
  return {
    body: read.whole(),
    meter: reader.meter,
    durationMs: millisecondsSince(begunAt),
    firstContentMs: exchange.isStreaming ? firstContentMs : undefined,
    pieces: Math.max(1, pieces),
  };
}

/** Returns whether a chat response is empty; other responses are files, lists and numbers. */
function isEmpty({ operation }: ClientRequest, { deliveredCharacters, usage }: Meter): boolean {
  if (operation !== 'chat' || deliveredCharacters > 0) return false;
  return (usage?.output ?? 0) + (usage?.reasoning ?? 0) === 0;
}

function millisecondsSince(begunAt: number): number {
  return Math.max(1, Math.round(performance.now() - begunAt));
}

function toHeaderRecord(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < flat.length; i += 2) headers[flat[i] ?? ''] = flat[i + 1] ?? '';
  return headers;
}
