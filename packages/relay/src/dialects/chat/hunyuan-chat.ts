/**
 * Tencent Cloud's ChatCompletions: OpenAI's request and answer with every word in capitals. No client speaks it.
 * https://cloud.tencent.com/document/api/1729/101836
 */

import { UpstreamError, type UpstreamErrorKind } from '../../errors/upstream-error.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import { type UpstreamDialect, wholeAnswer } from '../../model/format.ts';
import { createStreamDecoder, decodeAnswer } from './openai-chat/decode-answer.ts';
import { encodeRequest } from './openai-chat/encode-request.ts';

/** Request fields that the vendor knows; it refuses all others. */
const fields = new Set([
  'model',
  'messages',
  'stream',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'tools',
  'tool_choice',
]);
/** Said in another way, or nothing that anybody asked for. */
const silent = new Set(['stream_options']);

const plainCode = /^[A-Za-z]{1,40}(?:\.[A-Za-z]{1,60})?$/;

const kinds: readonly (readonly [RegExp, UpstreamErrorKind])[] = [
  // Our clock, or theirs.
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
  readWhole: (answer, lost) => wholeAnswer(decodeAnswer(readAnswer(answer), lost)),
  chat: {
    encodeRequest(conversation, ask, dropped) {
      const body = encodeRequest(conversation, ask, dropped);
      const known = Object.entries(body).filter(([name]) => fields.has(name));
      for (const name of Object.keys(body)) if (!fields.has(name) && !silent.has(name)) dropped.push(name);
      const asked = objectOf(capital(Object.fromEntries(known)));
      return { ...asked, Messages: listOf(asked['Messages']).map(objectOf).map(withContents) };
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

/** Text and pictures together have another name. */
function withContents({ Content: content, ...message }: JsonObject): JsonObject {
  return Array.isArray(content) ? { ...message, Contents: content } : { ...message, Content: content };
}

/** A whole answer is wrapped, an event of a stream is not. @throws UpstreamError that stands inside */
function readAnswer(answer: JsonObject): JsonObject {
  const body = isObject(answer['Response']) ? answer['Response'] : answer;
  const error = [body['Error'], body['ErrorMsg']].find((found) => isObject(found));
  if (error !== undefined) throw failure(objectOf(error));
  const read = objectOf(small(body));
  return { ...read, choices: listOf(read['choices']).map(objectOf).map(readChoice) };
}

function readChoice(choice: JsonObject): JsonObject {
  return choice['finish_reason'] === 'sensitive' ? { ...choice, finish_reason: 'content_filter' } : choice;
}

function failure(error: JsonObject): UpstreamError {
  const code = textOf(error['Code']) ?? textOf(error['Msg']) ?? '';
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'rejected';
  // The vendor's sentence may repeat what it was sent, and nothing here knows the channel's secrets.
  const name = plainCode.test(code) ? code : 'an error';
  return new UpstreamError(kind, `The upstream reported ${name}.`, { status: 200, code: name });
}

/** Names of fields; what is said in a tool's schema or its arguments is left alone. */
function capital(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(capital);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      // A schema is sent as text.
      name === 'parameters' ? JSON.stringify(inner) : capital(inner),
    ]),
  );
}

function small(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(small);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
      small(inner),
    ]),
  );
}
