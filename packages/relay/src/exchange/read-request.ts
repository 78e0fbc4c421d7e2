import { describeType, describeValue } from '../json/describe-value.ts';
import { countMembers, isObject, type JsonObject, parseJson, textOf } from '../json/json.ts';
import { checkJsonSize } from '../json/request-json-limits.ts';
import { findRepeatedKey } from '../json/scan-json-bytes.ts';
import type { ClientRequest, RequestRoute } from '../model/client-request.ts';
import type { Dialect } from '../model/dialect.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { ResponseHeaders } from '../model/upstream-exchange.ts';
import { emptyUsage } from '../model/usage.ts';
import { estimatePromptParts, type PromptEstimate } from '../tokens/estimate-prompt-tokens.ts';
import { formatDroppedFields } from '../translate/dropped-field-names.ts';
import { withoutByteOrderMark } from '../wire/byte-order-mark.ts';
import type { Form } from '../wire/multipart.ts';
import { checkIdentifiers, checkTextLengths } from './check-request-fields.ts';
import { getDialect } from './dialect-registry.ts';
import { getFileBytes, readForm, readFormFields } from './multipart-request.ts';
import { checkSpelling } from './price-fields/check-field-spelling.ts';
import { refuseRegion } from './price-fields/unpriced-fields.ts';

/** Only client headers that a vendor receives. */
const forwardedHeaders = ['anthropic-beta', 'anthropic-version', 'openai-beta'] as const;
const MODEL_NAME_MAX = 256;
/** Size of a body above which its names and ids are checked: a smaller one has too few long ones to cost anything. */
const IDENTIFIERS_MIN_BYTES = 1_048_576;
const noPrompt: PromptEstimate = { text: 0, images: 0, audio: 0, cacheLifetime: undefined };

/**
 * Parses a client's body once and checks what admission needs; everything else is left to the upstream.
 * @param received client's bytes; a leading byte order mark is removed
 * @param headers client's headers in lower case
 * @throws InvalidRequestError
 */
export function readRequest(route: RequestRoute, received: Buffer, headers: ResponseHeaders): ClientRequest {
  const { operation, format } = route;
  const body = withoutByteOrderMark(received);
  if (getDialect(format).operation !== operation)
    throw new InvalidRequestError(`This endpoint does not support ${operation}.`);
  const form = readRequestForm(route, body, headers);
  const json = form === undefined ? readJson(body) : readFormFields(body, form);
  return readParsedRequest(route, { body, form, json, headers: pickHeaders(headers) });
}

/**
 * Reads a request whose body has been parsed: for a submission once more, when the task that it continues is known.
 * @throws InvalidRequestError
 */
export function readParsedRequest(
  route: RequestRoute,
  { body, form, json, headers }: Pick<ClientRequest, 'body' | 'form' | 'json' | 'headers'>,
): ClientRequest {
  const { operation, format } = route;
  const dialect = getDialect(format);
  checkTextLengths(operation, json);
  const order = dialect.readSubmission?.(json, route.submission ?? {});
  const model = checkModelName(route.model ?? order?.model ?? readModel(json, dialect));
  checkSpelling(json);
  refuseRegion(json);
  const asked = mergeWithOrigin({ format, json, submission: order && { ...route.submission, ...order } });
  const own = dialect.readFacts(asked, (name) => form && getFileBytes(body, form, name), order);
  const prompt = own.inputTokensEstimate === undefined ? estimatePromptParts(json, model) : noPrompt;
  return {
    operation,
    format,
    framing: dialect.binaryResponse?.(json) === undefined ? (route.framing ?? 'sse') : 'bytes',
    body,
    form,
    json,
    facts: {
      model,
      stream: route.stream ?? readStreamFlag(json, dialect),
      inputTokensEstimate: prompt.text + prompt.images + prompt.audio,
      imageTokensEstimate: prompt.images,
      ...(prompt.audio > 0 && { audioTokensEstimate: prompt.audio }),
      ...(prompt.cacheLifetime !== undefined && { cacheLifetime: prompt.cacheLifetime }),
      ...own,
      ...(order?.isFree === true && own.expected !== undefined
        ? { expected: { ...own.expected, usage: emptyUsage() } }
        : {}),
    },
    headers,
    submission: order && { ...route.submission, ...order },
  };
}

/** @throws InvalidRequestError when a form is required and missing */
function readRequestForm(route: RequestRoute, body: Buffer, headers: ResponseHeaders): Form | undefined {
  const contentType = headers['content-type'];
  const isForm = typeof contentType === 'string' && /^multipart\//i.test(contentType);
  if (route.form !== undefined && isForm) return readForm(body, contentType);
  if (route.form === 'only') throw new InvalidRequestError('Send the body as multipart/form-data.');
  return undefined;
}

/** @throws InvalidRequestError */
function readJson(body: Buffer): JsonObject {
  if (body.length === 0) throw new InvalidRequestError('The request body is empty. Send JSON.');
  const members = checkJsonSize(body);
  let reason = '';
  const json = parseJson(body.toString('utf8'), (found) => {
    reason = found;
  });
  if (json === undefined) throw new InvalidRequestError(`The request body is not valid JSON${reason}.`);
  if (!isObject(json))
    throw new InvalidRequestError(`The request body must be a JSON object, not ${describeType(json)}.`);
  if (members !== countMembers(json)) throw repeatedFieldError(body);
  if (body.length >= IDENTIFIERS_MIN_BYTES) checkIdentifiers(json, '');
  return json;
}

/**
 * Returns the error for a field that an object has twice, at any depth. Parsers disagree on which value counts, so that
 * the priced or moderated value might differ from the served one.
 */
function repeatedFieldError(body: Buffer): InvalidRequestError {
  const field = formatDroppedFields([findRepeatedKey(body) ?? 'A field']).join();
  return new InvalidRequestError(`${field} is given more than once. Send it once.`, field);
}

function readModel(json: JsonObject, { defaultModel }: Dialect): string {
  const model = textOf(json['model'] ?? defaultModel);
  if (model === undefined)
    throw new InvalidRequestError('You must provide a model parameter. GET /v1/models lists your models.', 'model');
  return model;
}

function checkModelName(model: string): string {
  if (model.length > MODEL_NAME_MAX)
    throw new InvalidRequestError(`The model name is longer than ${MODEL_NAME_MAX} characters.`, 'model');
  // Databases store these characters as others, which would merge two names.
  if (model.includes('\0') || !model.isWellFormed())
    throw new InvalidRequestError('The model name contains a null character or an unpaired surrogate.', 'model');
  return model;
}

function readStreamFlag(json: JsonObject, dialect: Dialect): boolean {
  const stream = json['stream'] ?? false;
  if (typeof stream !== 'boolean')
    throw new InvalidRequestError(`stream must be a boolean, not ${describeValue(stream)}.`, 'stream');
  if (stream && dialect.usageExtractor === undefined)
    throw new InvalidRequestError(
      'This endpoint does not support streaming. Omit stream, or set it to false.',
      'stream',
    );
  return stream;
}

function pickHeaders(headers: ResponseHeaders): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}

/** Merges a submission with the parts of its origin task that still apply. */
export function mergeWithOrigin({
  format,
  json,
  submission,
}: Pick<ClientRequest, 'format' | 'json' | 'submission'>): JsonObject {
  const { origin } = submission ?? {};
  if (origin === undefined) return json;
  return getDialect(format).mergeFollowUp?.(origin, json) ?? { ...origin.request, ...json };
}
