import { readTokenCap, requireTextOrList } from '../../../exchange/check-request-fields.ts';
import { isObject, type JsonObject } from '../../../json/json.ts';
import { type Dialect, toNonStreamingResponse } from '../../../model/dialect.ts';
import { setModelAndStream } from '../../../translate/pick-fields.ts';
import { encodeOpenaiError } from '../../openai/openai-errors.ts';
import { hasClientTools, listDeclaredTools } from './client-tools.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decoders/decode-response.ts';
import { encodeResponsesStreamError } from './encoders/encode-error.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { createStreamEncoder, encodeResponse } from './encoders/response-builder.ts';
import { readImageTool } from './image-tool-usage.ts';
import { externalReferenceFields, serializeResponseObject } from './response-object-and-items.ts';
import { PARTIAL_IMAGE, ResponsesUsageExtractor } from './usage-report.ts';

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
