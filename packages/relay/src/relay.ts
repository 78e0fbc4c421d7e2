/**
 * The engine as a pure library: turns a client's request into an upstream call and the upstream's bytes into
 * the client's bytes, metering on the way. It opens no connection and reads no database.
 */
import { dialectOf } from './dialects.ts';
import type { RequestRoute } from './exchange.ts';
import type { ErrorDetail } from './format.ts';
import type { FormatId } from './provider.ts';

export {
  balanceRequest,
  modelListRequest,
  type ReadRequest,
  readBalance,
  readModelList,
} from './account-requests.ts';
export { type Capability, capabilitiesNeeded, conversationOf } from './capabilities.ts';
export type {
  AnswerReader,
  ClientRequest,
  Exchange,
  Expected,
  RequestFacts,
  RequestRoute,
  ResponseHeaders,
} from './exchange.ts';
export { requestPieces } from './form-request.ts';
export { type ErrorDetail, InvalidRequest, type Meter } from './format.ts';
export { DEPTH_MAX, isDeeperThan } from './json.ts';
export { countedUsage, isFullyReported, type TokenCounts } from './meter.ts';
export { canServe, planExchange } from './plan-exchange.ts';
export type { FormatId, Operation, Provider, ProviderField, Target } from './provider.ts';
export { findProvider, providers } from './providers/providers.ts';
export { planRawCall, type RawCall } from './raw-call.ts';
export { readRequest } from './read-request.ts';
export { testRequest } from './test-request.ts';
export { countTokens } from './tokens/count-tokens.ts';
export { type Countable, countable } from './tokens/countable.ts';
export type { Encoding } from './tokens/model-family.ts';
export { type UnitUsage, unitUsage } from './unit-usage.ts';
export { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts';
export {
  emptyUsage,
  outputTokens,
  promptTokens,
  TOKENS_MAX,
  tokenCounters,
  type Usage,
  type UsageCounter,
  unitCounters,
  usageCounters,
} from './usage.ts';

/** JSON body of an error answer in the shape of the client's dialect. */
export function encodeError(format: FormatId, error: ErrorDetail): string {
  return dialectOf(format).encodeError(error);
}

/** The same as the last event of a stream that has begun; nothing may follow it. */
export function encodeStreamError(
  { format, framing = 'sse' }: Pick<RequestRoute, 'format' | 'framing'>,
  error: ErrorDetail,
): string {
  return dialectOf(format).encodeStreamError(error, framing);
}
