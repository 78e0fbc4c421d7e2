/**
 * The engine as a pure library: turns a client's request into an upstream call and the upstream's bytes into
 * the client's bytes, metering on the way. It opens no connection and reads no database.
 */
import { lastElement } from './array-reader.ts';
import type { RequestRoute } from './client-request.ts';
import { inDialect } from './dialect-errors.ts';
import { dialectOf } from './dialects.ts';
import type { ErrorDetail } from './format.ts';
import type { FormatId } from './format-id.ts';

export {
  balanceRequest,
  forgetResponseRequest,
  modelListRequests,
  type ReadRequest,
  readBalance,
  readModelLists,
} from './account-requests.ts';
export type { AnswerChanges } from './answer-reader.ts';
export { askedInAll } from './asked-in-all.ts';
export { type Capability, capabilitiesNeeded, conversationOf } from './capabilities.ts';
export { paramOfClient } from './client-param.ts';
export type { ClientOrder, ClientRequest, Expected, RequestFacts, RequestRoute } from './client-request.ts';
export { changeNews } from './content/change-news.ts';
export { type ChangeTexts, changeFields, changeTexts, hasTokenNumbers } from './content/change-texts.ts';
export { type AnswerCheck, coverPiece, type TextCheck } from './content/checked-answer.ts';
export type { KeepPicture } from './content/linked-pictures.ts';
export type { ContextOverflow } from './context-overflow.ts';
export { encodeTokenCount, planTokenCount } from './count-request.ts';
export { addressOf, missingCredential, readCredentials } from './credentials.ts';
export { inDialect } from './dialect-errors.ts';
export type {
  AnswerReader,
  Exchange,
  FollowUp,
  JoinedAnswers,
  JoinedCalls,
  ResponseHeaders,
} from './exchange.ts';
export { SIGNATURE_BYTES, typeOfBytes } from './file-signature.ts';
export { requestPieces } from './form-request.ts';
export type { ErrorDetail, Meter } from './format.ts';
export type { FormatId, Operation, UpstreamFormatId } from './format-id.ts';
export { klingPaths } from './formats/kling-orders.ts';
export { isWindow } from './formats/midjourney.ts';
export { midjourneyPaths } from './formats/midjourney-orders.ts';
export { UPLOAD_PATH } from './formats/midjourney-uploads.ts';
export { responseObject } from './formats/openai-responses/response-object.ts';
export { variantTokens } from './formats/picture-kind.ts';
export { contentTypeOf } from './framing.ts';
export { InvalidRequest } from './invalid-request.ts';
export { hasManyValues } from './json-size.ts';
export { countedUsage, isFullyReported, type TokenCounts } from './meter.ts';
export { type ModelModalities, modelOperation } from './model-operation.ts';
export { isOwnPath } from './own-paths.ts';
export { asMade, canServe, passesThrough, planExchange } from './plan-exchange.ts';
export type { AccessToken, Provider, ProviderField, Target, TokenRequest } from './provider.ts';
export { findProvider, providers } from './providers/providers.ts';
export { planRawCall, type RawCall } from './raw-call.ts';
export { readError } from './read-error.ts';
export { readRequest } from './read-request.ts';
export { type PlannedEvent, planEvent } from './realtime/plan-event.ts';
export { planSession } from './realtime/plan-session.ts';
export { readEvent } from './realtime/read-event.ts';
export { type Metered, SessionMeter } from './realtime/session-meter.ts';
export { withoutSecrets } from './realtime/without-secrets.ts';
export { redact } from './redact.ts';
export type { BodyChange, RequestChanges } from './request-changes.ts';
export { isOtherModel } from './served-model.ts';
export {
  clientTasks,
  endWithoutWorks,
  isAtAccount,
  orderLimits,
  readTasks,
  seedQuestion,
  type TaskCall,
  taskQuestion,
  tellTask,
  workCall,
} from './task-calls.ts';
export type { ClientTasks, Order, Origin, ShownWork, TaskNews, TaskStatus, TaskView, Work } from './tasks.ts';
export { chatTestRequest, countTestRequest, type ModelTest, modelTest } from './test-request.ts';
export { type Countable, countable } from './tokens/countable.ts';
export type { Encoding } from './tokens/model-family.ts';
export { sliceText } from './tokens/slice-text.ts';
export { type UnitUsage, unitUsage } from './unit-usage.ts';
export { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts';
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
} from './vendor-batches.ts';
export type { VendorError } from './vendor-error.ts';
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
