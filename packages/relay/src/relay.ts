/**
 * Relay engine as a pure library: converts a client's request to an upstream call, and the upstream's bytes to the
 * client's, and meters them. It opens no connections and reads no database.
 */

import { toDialectError } from './errors/dialect-errors.ts';
import { getDialect } from './exchange/dialect-registry.ts';
import { encodeLastElement } from './exchange/json-array-reader.ts';
import type { RequestRoute } from './model/client-request.ts';
import type { ErrorDetail } from './model/dialect.ts';
import type { DialectId } from './model/dialect-id.ts';

export { findMissingCredential, readCredentials, resolveBaseUrl } from './auth/upstream-credentials.ts';
export { createResponseObject } from './dialects/chat/openai-responses/response-object-and-items.ts';
export { estimateVariantTokens } from './dialects/images/image-usage.ts';
export { isModalTask, UPLOAD_PATH } from './dialects/images/midjourney-proxy-tasks.ts';
export { midjourneyPaths } from './dialects/images/midjourney-submissions.ts';
export { klingPaths } from './dialects/video/kling-submissions.ts';
export type { ContextOverflow } from './errors/context-overflow.ts';
export { toDialectError } from './errors/dialect-errors.ts';
export { readError } from './errors/read-upstream-error.ts';
export { redact } from './errors/redact-keys.ts';
export { replaceSecrets } from './errors/replace-secrets.ts';
export {
  type TimedPhase,
  UpstreamError,
  type UpstreamErrorKind,
  type UpstreamTimeout,
  type VendorError,
} from './errors/upstream-error.ts';
export { conversationKey } from './exchange/conversation-key.ts';
export { adjustToTarget } from './exchange/expected-usage-at-target.ts';
export type { StoreImage } from './exchange/link-response-images.ts';
export { getFingerprintBytes } from './exchange/multipart-request.ts';
export { canServe, isPassedThrough, planExchange, toClientParam } from './exchange/plan-exchange.ts';
export { encodeTokenCount, planTokenCount } from './exchange/plan-token-count.ts';
export { mergeWithOrigin, readParsedRequest, readRequest } from './exchange/read-request.ts';
export { type Capability, requiredCapabilities } from './exchange/required-capabilities.ts';
export type { ResponseChanges } from './exchange/response-reader.ts';
export {
  chargeWithoutArtifact,
  encodeTask,
  getClientTasks,
  getPollLimits,
  isAccountUrl,
  planArtifactRequest,
  planSeedRequest,
  planTaskPoll,
  readTaskUpdates,
  type TaskRequest,
} from './exchange/task-polls-and-responses.ts';
export { DetachedStrings } from './json/json-condense-and-detach.ts';
export { estimateParsedBytes, findBodyExcess, isLongJson, isLongMessage } from './json/request-json-limits.ts';
export { detectMediaType, SIGNATURE_BYTES } from './media/media-type.ts';
export {
  computeUnitUsage,
  countedUsage,
  countSpokenSeconds,
  isFullyReported,
  type TokenCounts,
  type UnitUsage,
} from './model/billable-usage.ts';
export { writesCacheUnasked } from './model/cache-breakpoint.ts';
export type {
  ClientRequest,
  ExpectedUsage,
  RequestFacts,
  RequestRoute,
  TaskSubmission,
} from './model/client-request.ts';
export { contentTypeOf } from './model/client-request.ts';
export type { ScopeUserId } from './model/conversation.ts';
export type { ErrorDetail, Meter } from './model/dialect.ts';
export type { DialectId, Operation, UpstreamDialectId } from './model/dialect-id.ts';
export { type ModelModalities, modelOperation } from './model/facts-from-model-name.ts';
export { InvalidRequestError } from './model/invalid-request-error.ts';
export type { BodyChange, RequestChanges } from './model/operator-body-changes.ts';
export { assumePlausibleUsage, PLAUSIBLE_FACTOR, sanitizeMeter } from './model/plausible-usage.ts';
export type { Provider, ProviderField, Target, TokenExchange, TokenRequest } from './model/provider.ts';
export { isDifferentModel } from './model/reported-model.ts';
export type {
  AcceptedTask,
  ClientTasks,
  ShownArtifact,
  TaskArtifact,
  TaskOrigin,
  TaskStatus,
  TaskUpdate,
  TaskView,
} from './model/task-types.ts';
export { measureArtifacts } from './model/task-types.ts';
export type {
  Exchange,
  JoinedCalls,
  JoinedResponses,
  NextPoll,
  ResponseHeaders,
  ResponseReader,
} from './model/upstream-exchange.ts';
export { copyMeter } from './model/usage-meter.ts';
export { createChatTest, createCountTest, type ModelTest, planModelTest } from './model-probe-requests.ts';
export {
  type ChangeTexts,
  changeFields,
  changeTexts,
  changeUpdateTexts,
  hasTokenNumbers,
} from './moderation/change-texts.ts';
export type { ResponseCheck, TextCheck } from './moderation/moderated-reader.ts';
export { RedactedText } from './moderation/redacted-text.ts';
export {
  type AccountRequest,
  type PassthroughCall,
  planBalanceRequest,
  planModelLists,
  planPassthroughCall,
  planResponseDeletion,
  readBalance,
  readModelLists,
} from './provider-kit/passthrough-and-account-requests.ts';
export { isCustomPath } from './provider-kit/upstream-paths.ts';
export {
  findVendorBatch,
  findVendorBody,
  hasVendorBatches,
  planBatchCancellation,
  planBatchCreation,
  planBatchList,
  planBatchPoll,
  planFileDeletion,
  planFileDownload,
  planFileUpload,
  readFileId,
  readLargeVendorLine,
  readNextBatchCursor,
  readVendorBatch,
  readVendorLine,
  toRequestPath,
  type VendorBatch,
  type VendorBatchRequest,
} from './provider-kit/vendor-batches.ts';
export { findProvider, providers } from './providers.ts';
export type { SessionUsage } from './realtime/pending-responses-and-transcriptions.ts';
export {
  type PlannedEvent,
  planClientEvent,
  planSession,
  readClientEvent,
  readEvent,
  redactEvent,
} from './realtime/session-events-and-settings.ts';
export { type MeteredUsage, type ParallelResponses, SessionMeter } from './realtime/session-meter.ts';
export {
  estimateToolCalls,
  readOutputModalities,
  readsExternalContent,
  requestsMedia,
  usesVendorTools,
} from './tokens/external-content-and-tools.ts';
export { readTokenizerInput, type TokenizerInput } from './tokens/read-prompt.ts';
export { sliceText } from './tokens/text-samples-and-counts.ts';
export type { Encoding } from './tokens/tokenizer-family.ts';
export { BytePieces } from './wire/byte-pieces.ts';
export { formBoundary, type PartHeader, readPartHeader } from './wire/multipart.ts';
export { parseSseEvents, SseSplitter, splitEvents } from './wire/sse.ts';

/** Returns the JSON body of an error response in the client's dialect. */
export function encodeError(format: DialectId, error: ErrorDetail): string {
  return getDialect(format).encodeError(toDialectError(format, error));
}

/**
 * Returns an error as the last event of a stream whose head has been sent.
 * @param isFirst true if the client has received no event
 */
export function encodeStreamError(
  { format, framing }: Pick<RequestRoute, 'format' | 'framing'>,
  error: ErrorDetail,
  isFirst = false,
): string {
  const dialect = getDialect(format);
  const told = toDialectError(format, error);
  return framing === 'json-array'
    ? encodeLastElement(dialect.encodeError(told), isFirst)
    : dialect.encodeStreamError(told);
}
