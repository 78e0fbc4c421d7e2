import { readTokenCap, requireList } from '../../../exchange/check-request-fields.ts';
import { listOf } from '../../../json/json.ts';
import { type Dialect, toNonStreamingResponse } from '../../../model/dialect.ts';
import { setModelAndStream } from '../../../translate/pick-fields.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decoders/decode-response.ts';
import { encodeAnthropicError, encodeAnthropicStreamError } from './encoders/encode-error.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { encodeResponse } from './encoders/encode-response.ts';
import { createStreamEncoder } from './encoders/event-encoder.ts';
import { AnthropicUsageExtractor } from './usage-report.ts';

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
