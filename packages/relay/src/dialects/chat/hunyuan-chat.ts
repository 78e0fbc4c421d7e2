/**
 * Tencent Cloud's ChatCompletions: OpenAI's request and response with capitalized field names; upstream only.
 * https://cloud.tencent.com/document/api/1729/101836
 */

import { UpstreamError, type UpstreamErrorKind } from '../../errors/upstream-error.ts';
import { isObject, type JsonObject, listOf, objectOf, objectsIn, textOf } from '../../json/json.ts';
import { toNonStreamingResponse, type UpstreamDialect } from '../../model/dialect.ts';
import { createStreamDecoder, decodeResponse } from './openai-chat/decode-response.ts';
import { encodeRequest } from './openai-chat/encode-request.ts';

/** Request fields that the vendor knows; it refuses all others. */
const fields = new Set(['model', 'messages', 'stream', 'temperature', 'top_p', 'stop', 'seed', 'tools', 'tool_choice']);
/** Fields that are dropped without a report, because they have an equivalent or no effect. */
const ignoredFields = new Set(['stream_options']);

const plainCode = /^[A-Za-z]{1,40}(?:\.[A-Za-z]{1,60})?$/;

const kinds: readonly (readonly [RegExp, UpstreamErrorKind])[] = [
  // The gateway's or the vendor's clock is wrong.
  [/^AuthFailure\.SignatureExpire/, 'overloaded'],
  [/^(?:AuthFailure|UnauthorizedOperation)/, 'unauthorised'],
  [/^(?:RequestLimitExceeded|LimitExceeded)/, 'rate-limited'],
  [
    /^(?:ResourceInsufficient|FailedOperation\.(?:ResourcePackExhausted|ServiceNotActivated|UserUnAuthError))/,
    'out-of-credit',
  ],
  [/^(?:InternalError|ResourceUnavailable|FailedOperation\.Engine)/, 'overloaded'],
];

export const hunyuanChat: UpstreamDialect = {
  id: 'hunyuan-chat',
  operation: 'chat',
  readNonStreaming: (answer, lost) => toNonStreamingResponse(decodeResponse(readAnswer(answer), lost)),
  chat: {
    encodeRequest(conversation, ask, dropped) {
      const body = encodeRequest(conversation, ask, dropped);
      const known = Object.entries(body).filter(([name]) => fields.has(name));
      for (const name of Object.keys(body)) if (!fields.has(name) && !ignoredFields.has(name)) dropped.push(name);
      const asked = objectOf(capitalizeFields(Object.fromEntries(known)));
      return { ...asked, Messages: objectsIn(asked['Messages']).map(renameContents) };
    },
    createStreamDecoder(lost) {
      const decoder = createStreamDecoder(lost);
      return {
        get usage() {
          return decoder.usage;
        },
        push: (event, name) => decoder.push(readAnswer(event), name),
        end: (isMarked) => decoder.end(isMarked),
      };
    },
    systemAsUser: (body) => ({
      ...body,
      Messages: listOf(body['Messages'])
        .map(objectOf)
        .map((message) => (message['Role'] === 'system' ? { ...message, Role: 'user' } : message)),
    }),
  },
};

/** Renames `Content` where it has text and images together. */
function renameContents({ Content: content, ...message }: JsonObject): JsonObject {
  return Array.isArray(content) ? { ...message, Contents: content } : { ...message, Content: content };
}

/** Unwraps a non-streaming response; stream events are not wrapped. @throws UpstreamError for an embedded error */
function readAnswer(answer: JsonObject): JsonObject {
  const body = isObject(answer['Response']) ? answer['Response'] : answer;
  const error = [body['Error'], body['ErrorMsg']].find((found) => isObject(found));
  if (error !== undefined) throw createError(objectOf(error));
  const read = objectOf(uncapitalizeFields(body));
  return { ...read, choices: objectsIn(read['choices']).map(readChoice) };
}

function readChoice(choice: JsonObject): JsonObject {
  return choice['finish_reason'] === 'sensitive' ? { ...choice, finish_reason: 'content_filter' } : choice;
}

function createError(error: JsonObject): UpstreamError {
  const code = textOf(error['Code']) ?? textOf(error['Msg']) ?? '';
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'rejected';
  // The vendor's message may repeat what it was sent, and the channel's secrets are unknown here.
  const name = plainCode.test(code) ? code : 'an error';
  return new UpstreamError(kind, `The upstream reported ${name}.`, { status: 200, code: name });
}

/** Capitalizes field names, except within a tool's schema or arguments. */
function capitalizeFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(capitalizeFields);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      // The API takes a schema as text.
      name === 'parameters' ? JSON.stringify(inner) : capitalizeFields(inner),
    ]),
  );
}

function uncapitalizeFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(uncapitalizeFields);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
      uncapitalizeFields(inner),
    ]),
  );
}
