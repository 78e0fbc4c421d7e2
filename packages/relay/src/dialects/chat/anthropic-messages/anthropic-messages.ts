import { emptyResponseError } from '../../../errors/errors-in-successful-responses.ts';
import type { UpstreamError } from '../../../errors/upstream-error.ts';
import { endReasonError } from '../../../exchange/response-end-check.ts';
import { countJson, isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { type Dialect, type ErrorDetail, toNonStreamingResponse, type UsageExtractor } from '../../../model/dialect.ts';
import type { Usage } from '../../../model/usage.ts';
import { readTokenCap, requireList } from '../../../translate/check-request-fields.ts';
import { setModelAndStream } from '../../../translate/pick-fields.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decoders/decode-response.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { encodeResponse } from './encoders/encode-response.ts';
import { createStreamEncoder } from './encoders/event-encoder.ts';
import { readStopReason } from './stop-reasons.ts';
import { UsageReport } from './usage-report.ts';

/** Documented error type for each status. */
const typeByStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const knownTypes = new Set(['api_error', ...Object.values(typeByStatus)]);

/** Encodes an error; another dialect's type is replaced by the type for the status. */
function encodeAnthropicError(error: ErrorDetail): string {
  const { rawError, vendor } = error;
  if (rawError !== undefined) return JSON.stringify({ type: 'error', error: rawError, request_id: vendor?.requestId });
  const fallback = error.status >= 500 ? 'api_error' : 'invalid_request_error';
  const isOwn = error.type !== undefined && knownTypes.has(error.type);
  const type = isOwn ? error.type : (typeByStatus[error.status] ?? fallback);
  return JSON.stringify({ type: 'error', error: { type, message: error.message } });
}

/** Encodes a stream error. The official client ignores events without an `event:` line. */
function encodeAnthropicStreamError(error: ErrorDetail): string {
  return `event: error\ndata: ${encodeAnthropicError(error)}\n\n`;
}

/** Anthropic's `/v1/messages`. */
export const anthropicMessages: Dialect = {
  id: 'anthropic-messages',
  operation: 'chat',
  readFacts(body) {
    requireList(body, 'messages');
    return {
      hasTools: listOf(body['tools']).length > 0,
      maxOutputTokens: readTokenCap(body, 'max_tokens'),
      choices: 1,
    };
  },
  prepare: setModelAndStream,
  usageExtractor: {
    watch: {
      content: ['text', 'thinking', 'partial_json'],
      // Reasoning that only the vendor can decrypt.
      binary: ['data'],
      notable: ['usage', 'stop_reason'],
      // A call without arguments shows only in its start. Searches are counted by their starts and errors.
      notableValues: [
        ['type', 'message_stop'],
        ['type', 'tool_use'],
        ['type', 'server_tool_use'],
        ['type', 'web_search_tool_result_error'],
      ],
    },
    endsWithDone: false,
    create: () => new AnthropicUsageExtractor(),
  },
  readNonStreaming: (answer, lost) => toNonStreamingResponse(decodeResponse(answer, lost)),
  encodeError: encodeAnthropicError,
  encodeStreamError: encodeAnthropicStreamError,
  chat: {
    decodeRequest,
    encodeRequest,
    createStreamDecoder,
    encodeResponse,
    createStreamEncoder,
    systemAsUser({ system, ...body }) {
      if (system === undefined || system === null) return body;
      return { ...body, messages: [{ role: 'user', content: system }, ...listOf(body['messages'])] };
    },
    encodeTokenCount: (tokens) => ({ input_tokens: tokens }),
  },
};

class AnthropicUsageExtractor implements UsageExtractor {
  finished = false;
  /** Characters of the calls: their names, and arguments that arrive as an object. */
  characters = 0;
  readonly #report = new UsageReport();
  #stopReason: string | undefined;

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  readEvent(event: JsonObject): boolean {
    if (event['type'] === 'message_start') this.#report.addStart(objectOf(event['message'])['usage']);
    if (event['type'] === 'message_delta') {
      this.#report.add(event['usage']);
      this.#stopReason = textOf(objectOf(event['delta'])['stop_reason']) ?? this.#stopReason;
    }
    if (event['type'] === 'content_block_start') {
      const block = objectOf(event['content_block']);
      this.#report.addBlock(block);
      if (block['type'] === 'tool_use') this.characters += countCall(block);
    }
    if (event['type'] === 'message_stop') this.finished = true;
    return true;
  }

  emptyStreamError(): UpstreamError | undefined {
    if (this.#stopReason === undefined) return emptyResponseError();
    return endReasonError(readStopReason(this.#stopReason), 'anthropic-messages');
  }
}

/** Counts a call's name, and its arguments if they don't follow in pieces. */
function countCall({ name, input }: JsonObject): number {
  const isWhole = isObject(input) && Object.keys(input).length > 0;
  return (textOf(name)?.length ?? 0) + (isWhole ? countJson(input) : 0);
}
