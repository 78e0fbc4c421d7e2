import { isObject, type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import { type Dialect, type ErrorDetail, toNonStreamingResponse, type UsageExtractor } from '../../../model/dialect.ts';
import { createId } from '../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../model/usage.ts';
import { readTokenCap, requireTextOrList } from '../../../translate/check-request-fields.ts';
import { setModelAndStream } from '../../../translate/pick-fields.ts';
import { buildOpenaiError, encodeOpenaiError } from '../../openai/openai-errors.ts';
import { callKinds, getCallKind } from './client-call-kinds.ts';
import { hasClientTools, isNamed, listDeclaredTools } from './client-tools.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decoders/decode-response.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { createStreamEncoder, encodeResponse } from './encoders/response-builder.ts';
import { readImageTool } from './image-tool.ts';
import {
  createResponseObject,
  externalReferenceFields,
  isFinalEvent,
  serializeResponseObject,
} from './response-object.ts';
import { PARTIAL_IMAGE, UsageReport } from './usage-report.ts';

/**
 * Sequence number of an error event. The earlier numbers are unknown here, and clients expect an increasing number, so
 * this is the largest that fits in 32 bits.
 */
const LAST_NUMBER = 2_147_483_647;

/**
 * Encodes a stream error. The API reference has code, message and param in the event itself, the vendor's actual
 * events in an inner object; clients read one or the other. Codex reads only the failed response after it, which ends
 * the stream.
 */
function encodeResponsesStreamError(detail: ErrorDetail): string {
  const error = buildOpenaiError(detail);
  const { code, message, param } = error;
  const event = { type: 'error', sequence_number: LAST_NUMBER - 1, code, message, param, error };
  const failed = {
    type: 'response.failed',
    sequence_number: LAST_NUMBER,
    response: createFailedResponse(textOf(code) ?? 'server_error', message),
  };
  return `event: error\ndata: ${JSON.stringify(event)}\n\nevent: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
}

/**
 * Returns a response with every member that typed clients require; the request and the earlier output are unknown
 * here.
 */
function createFailedResponse(code: string, message: unknown): JsonObject {
  return {
    ...createResponseObject({}),
    id: createId('resp_'),
    created_at: Math.floor(Date.now() / 1000),
    model: '',
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

const instructing: ReadonlySet<unknown> = new Set(['system', 'developer']);

function systemAsUser({ instructions, ...body }: JsonObject): JsonObject {
  const { input } = body;
  const said = typeof input === 'string' ? [user(input)] : Array.isArray(input) ? input.map(asUser) : [];
  const told = typeof instructions === 'string' && instructions !== '' ? [user(instructions)] : [];
  return { ...body, input: [...told, ...said] };
}

const user = (content: string) => ({ type: 'message', role: 'user', content });

function asUser(item: unknown): unknown {
  return isObject(item) && instructing.has(item['role']) ? { ...item, role: 'user' } : item;
}

/**
 * OpenAI's `/v1/responses`, which most vendors and local servers support.
 * https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponses: Dialect = {
  id: 'openai-responses',
  operation: 'chat',
  readFacts(body) {
    if (externalReferenceFields.every((field) => body[field] == null)) requireTextOrList(body, 'input');
    const tools = listDeclaredTools(body);
    return {
      hasTools: tools.length > 0,
      maxOutputTokens: readTokenCap(body, 'max_output_tokens'),
      choices: 1,
      imageTool: readImageTool(tools, body['max_tool_calls']),
    };
  },
  prepare: setModelAndStream,
  hasClientTools,
  usageExtractor: {
    watch: {
      // Output arrives in `delta`; other fields repeat it as a whole.
      content: ['delta'],
      binary: ['result', 'partial_image_b64'],
      notable: [],
      notableValues: [
        ['type', 'response.output_item.'],
        ['type', PARTIAL_IMAGE],
        ['type', 'response.completed'],
        ['type', 'response.incomplete'],
        ['type', 'response.failed'],
      ],
    },
    endsWithDone: false,
    create: () => new ResponsesUsageExtractor(),
  },
  readNonStreaming: (answer, lost) => toNonStreamingResponse(decodeResponse(answer, lost)),
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeResponsesStreamError,
  chat: {
    decodeRequest,
    encodeRequest,
    createStreamDecoder,
    encodeResponse,
    createStreamEncoder,
    systemAsUser,
    prepareResponses({ json, clientJson }) {
      serializeResponseObject(clientJson ?? json);
    },
    encodeTokenCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
};

class ResponsesUsageExtractor implements UsageExtractor {
  finished = false;
  characters = 0;
  readonly #report = new UsageReport();

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  readEvent(event: JsonObject): boolean {
    this.#report.addEvent(event);
    if (event['type'] === 'response.output_item.done') this.characters += countCall(objectOf(event['item']));
    if (isFinalEvent(event['type'])) {
      this.#report.addResponse(objectOf(event['response']));
      this.finished = true;
    }
    return true;
  }
}

/** Returns the length of a call's name, and of a call that arrives as a whole; other arguments arrive in deltas. */
function countCall(item: JsonObject): number {
  const kind = getCallKind(item);
  if (kind === undefined || kind === 'shell') return 0;
  return isNamed(kind) ? (textOf(item['name'])?.length ?? 0) : callKinds[kind].encodeArguments(item).length;
}
