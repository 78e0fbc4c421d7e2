/**
 * The engine as a pure library: turns a client's request into an upstream call and the upstream's bytes into
 * the client's bytes, metering on the way. It opens no connection and reads no database.
 */

import { inDialect } from './errors/dialect-errors.ts';
import { lastElement } from './exchange/array-reader.ts';
import { dialectOf } from './exchange/dialects.ts';
import type { RequestRoute } from './model/client-request.ts';
import type { ErrorDetail } from './model/format.ts';
import type { FormatId } from './model/format-id.ts';

export { addressOf, missingCredential, readCredentials } from './auth/credentials.ts';
export { responseObject } from './dialects/chat/openai-responses/response-object.ts';
export { variantTokens } from './dialects/images/image-kind.ts';
export { isWindow } from './dialects/images/midjourney.ts';
export { midjourneyPaths } from './dialects/images/midjourney-submissions.ts';
export { UPLOAD_PATH } from './dialects/images/midjourney-uploads.ts';
export { klingPaths } from './dialects/video/kling-submissions.ts';
export { paramOfClient } from './errors/client-param.ts';
export type { ContextOverflow } from './errors/context-overflow.ts';
export { inDialect } from './errors/dialect-errors.ts';
export { readError } from './errors/read-error.ts';
export { UpstreamError, type UpstreamErrorKind } from './errors/upstream-error.ts';
export type { VendorError } from './errors/vendor-error.ts';
export { type Capability, capabilitiesNeeded, conversationOf } from './exchange/capabilities.ts';
export { encodeTokenCount, planTokenCount } from './exchange/count-request.ts';
export { mergeWithOrigin as askedInAll } from './exchange/merge-with-origin.ts';
export { asMade, canServe, passesThrough, planExchange } from './exchange/plan-exchange.ts';
export { readRequest } from './exchange/read-request.ts';
export type { AnswerChanges } from './exchange/response-reader.ts';
export {
  clientTasks,
  encodeTask as tellTask,
  endWithoutWorks,
  isAtAccount,
  orderLimits,
  readTasks,
  seedQuestion,
  type TaskCall,
  taskQuestion,
  workCall,
} from './exchange/task-calls.ts';
export { hasManyValues } from './json/json-size.ts';
export { SIGNATURE_BYTES, typeOfBytes } from './media/file-signature.ts';
export type {
  ClientOrder,
  ClientRequest,
  Expected,
  RequestFacts,
  RequestRoute,
} from './model/client-request.ts';
export type {
  AnswerReader,
  Exchange,
  FollowUp,
  JoinedAnswers,
  JoinedCalls,
  ResponseHeaders,
} from './model/exchange.ts';
export type { ErrorDetail, Meter } from './model/format.ts';
export type { FormatId, Operation, UpstreamFormatId } from './model/format-id.ts';
export { contentTypeOf } from './model/framing.ts';
export { InvalidRequest } from './model/invalid-request.ts';
export { copyOfMeter, countedUsage, isFullyReported, type TokenCounts } from './model/meter.ts';
export { type ModelModalities, modelOperation } from './model/model-operation.ts';
export type { AccessToken, Provider, ProviderField, Target, TokenRequest } from './model/provider.ts';
export type { BodyChange, RequestChanges } from './model/request-changes.ts';
export type {
  ClientTasks,
  Order,
  Origin,
  ShownWork,
  TaskNews,
  TaskStatus,
  TaskView,
  Work,
} from './model/task-types.ts';
export { changeNews } from './moderation/change-events.ts';
export { type ChangeTexts, changeFields, changeTexts, hasTokenNumbers } from './moderation/change-texts.ts';
export { type AnswerCheck, coverPiece, type TextCheck } from './moderation/checked-answer.ts';
export type { KeepPicture } from './moderation/linked-images.ts';
export {
  balanceRequest,
  forgetResponseRequest,
  modelListRequests,
  type ReadRequest,
  readBalance,
  readModelLists,
} from './provider-kit/account-requests.ts';
export { isOwnPath } from './provider-kit/own-paths.ts';
export { planRawCall, type RawCall } from './provider-kit/passthrough-call.ts';
export {
  askBatch,
  batchPath,
  cancelBatch,
  fileContent,
  fileUpload,
  findVendorBatch,
  listBatches,
  nextBatches,
  orderBatch,
  readFileId,
  readVendorAnswer,
  readVendorBatch,
  removeFile,
  runsBatches,
  type VendorBatch,
  type VendorCall,
} from './provider-kit/vendor-batches.ts';
export { findProvider, providers } from './providers.ts';
export { type PlannedEvent, planEvent } from './realtime/plan-event.ts';
export { planSession } from './realtime/plan-session.ts';
export { readEvent } from './realtime/read-event.ts';
export { type Metered, SessionMeter } from './realtime/session-meter.ts';
export { withoutSecrets } from './realtime/without-secrets.ts';
export { chatTestRequest, countTestRequest, type ModelTest, modelTest } from './test-request.ts';
export { type Countable, countable } from './tokens/countable.ts';
export type { Encoding } from './tokens/model-family.ts';
export { sliceText } from './tokens/slice-text.ts';
export { requestPieces } from './translate/form-request.ts';
export { plausibleMeter, TIMES_MAX } from './translate/plausible-usage.ts';
export { redact } from './translate/redact.ts';
export { isOtherModel } from './translate/served-model.ts';
export { type UnitUsage, unitUsage } from './translate/unit-usage.ts';
export { BytePieces } from './wire/byte-pieces.ts';
export { formBoundary, type PartHeader, readPartHeader } from './wire/multipart.ts';
export { SseSplitter, sseEvents } from './wire/sse.ts';

/** JSON body of an error answer in the shape of the client's dialect. */
export function encodeError(format: FormatId, error: ErrorDetail): string {
  return dialectOf(format).encodeError(inDialect(format, error));
}

/**
 * The same as the last event of a stream whose head has gone out; nothing may follow it.
 * @param isFirst the client has got no event
 */
export function encodeStreamError(
  { format, framing }: Pick<RequestRoute, 'format' | 'framing'>,
  error: ErrorDetail,
  isFirst = false,
): string {
  const dialect = dialectOf(format);
  const told = inDialect(format, error);
  return framing === 'json-array'
    ? lastElement(dialect.encodeError(told), isFirst)
    : dialect.encodeStreamError(told);
}
