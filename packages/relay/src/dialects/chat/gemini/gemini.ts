import { readChoices, readTokenCap, requireList } from '../../../exchange/check-request-fields.ts';
import { type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import { type Dialect, toNonStreamingResponse } from '../../../model/dialect.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { readTools } from '../../../tokens/external-content-and-tools.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { createStreamDecoder, decodeResponse } from './decoders/decode-response.ts';
import { encodeGeminiError, encodeGeminiStreamError } from './encoders/encode-error.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { createStreamEncoder, encodeResponse } from './encoders/encode-response.ts';
import { listUnknownFields, readField, toSnakeCase } from './snake-and-camel-case-fields.ts';
import { GeminiUsageExtractor } from './usage-extractor.ts';

/** Gemini's `generateContent` and `streamGenerateContent`. https://ai.google.dev/api/generate-content */
export const gemini: Dialect = {
  id: 'gemini',
  operation: 'chat',
  readFacts(body) {
    requireList(body, 'contents');
    const config = objectOf(onlySpelling(body, 'generationConfig'));
    return {
      hasTools: readTools(body).length > 0,
      maxOutputTokens: readTokenCap({ maxOutputTokens: onlySpelling(config, 'maxOutputTokens') }, 'maxOutputTokens'),
      choices: readChoices({ candidateCount: onlySpelling(config, 'candidateCount') }, 'candidateCount'),
    };
  },
  /** The model is in the path, so that a model in the body is ignored. */
  prepare(body, { dropped }) {
    const { model, ...rest } = body;
    return removeUnpricedTools(model === undefined ? body : rest, dropped);
  },
  usageExtractor: {
    watch: {
      content: ['text', 'code', 'output', 'stringValue', 'string_value'],
      binary: ['data'],
      images: ['inlineData', 'inline_data'],
      // Calls, because arguments are not strings.
      notable: [
        'usageMetadata',
        'finishReason',
        'blockReason',
        'groundingMetadata',
        'functionCall',
        'usage_metadata',
        'finish_reason',
        'block_reason',
        'grounding_metadata',
        'function_call',
      ],
      notableValues: [],
      repeated: ['usageMetadata', 'usage_metadata'],
      sources: ['groundingMetadata', 'grounding_metadata', 'citationMetadata', 'citation_metadata'],
    },
    endsWithDone: false,
    create: (_request, choices) => new GeminiUsageExtractor(choices),
  },
  readNonStreaming: (answer, lost) => toNonStreamingResponse(decodeResponse(answer, lost)),
  encodeError: encodeGeminiError,
  encodeStreamError: encodeGeminiStreamError,
  chat: {
    decodeRequest,
    encodeRequest,
    createStreamDecoder,
    encodeResponse,
    createStreamEncoder,
    supportsChoices: true,
    systemAsUser,
    encodeTokenCount: (tokens) => ({ totalTokens: tokens }),
  },
};

/**
 * Tools that the price covers: Google's searches and Maps are counted, the client runs functions and computers, and the
 * others cost their tokens alone. The gateway refuses `retrieval`, which reads the operator's data, at Google. Other
 * searches cost more, and their responses are those of Google's: `enterpriseWebSearch` costs $45 for 1,000 prompts
 * instead of $35, and other vendors bill theirs.
 * https://cloud.google.com/vertex-ai/generative-ai/pricing, https://ai.google.dev/api/caching#Tool
 */
const pricedTools: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'codeExecution',
  'urlContext',
  'fileSearch',
  'computerUse',
  'mcpServers',
  'retrieval',
]);

function removeUnpricedTools(body: JsonObject, dropped: string[]): JsonObject {
  const tools = readTools(body);
  const unpriced = new Set(tools.flatMap((tool) => listUnknownFields(tool, pricedTools)));
  if (unpriced.size === 0) return body;
  for (const name of unpriced) dropped.push(`tools.${name}`);
  const kept = tools.map((tool) => Object.fromEntries(Object.entries(tool).filter(([name]) => !unpriced.has(name))));
  return { ...body, tools: kept.filter((tool) => Object.keys(tool).length > 0) };
}

function systemAsUser({ systemInstruction, system_instruction: snake, ...body }: JsonObject): JsonObject {
  const told = systemInstruction ?? snake;
  if (told === undefined || told === null) return body;
  return { ...body, contents: [{ ...objectOf(told), role: 'user' }, ...listOf(body['contents'])] };
}

/**
 * Returns a field that is given in one spelling. @throws InvalidRequestError for two spellings, which would be ambiguous
 */
function onlySpelling(object: JsonObject, name: string): unknown {
  if (object[name] !== undefined && object[toSnakeCase(name)] !== undefined)
    throw new InvalidRequestError(`${name} is given more than once. Send it once.`, name);
  return readField(object, name);
}
