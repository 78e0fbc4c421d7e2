import type { Dialect } from '../format.ts';
import { isObject, type JsonObject, listOf, objectOf } from '../json.ts';
import { requireList, requireText } from '../request-fields.ts';
import { estimatePrompt } from '../tokens/estimate.ts';
import { callCount, emptyUsage, tokenCount, type Usage } from '../usage.ts';
import { asNamed } from './as-asked.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from './openai-errors.ts';
import { rerankSurface } from './rerank-surface.ts';

/** What is billed as one search. https://docs.cohere.com/docs/how-does-cohere-pricing-work */
const SEARCH_DOCUMENTS = 100;

/**
 * `/v1/rerank` as Jina and Cohere have it: https://jina.ai/reranker, https://docs.cohere.com/reference/rerank. The query
 * is read with every document.
 */
export const rerank: Dialect = {
  id: 'rerank',
  operation: 'rerank',
  readFacts(body) {
    requireText(body, 'query');
    requireList(body, 'documents');
    return {
      hasTools: false,
      maxOutputTokens: 0,
      choices: 1,
      inputTokensEstimate: estimatedInput(body),
      expected: {
        unit: 'search',
        usage: { ...emptyUsage(), search: Math.ceil(listOf(body['documents']).length / SEARCH_DOCUMENTS) },
        isCounted: true,
      },
    };
  },
  prepare: asNamed,
  readWhole: (answer) => ({ usage: reportedUsage(answer), content: [], binaries: [] }),
  completeAnswer,
  asks: { rerank: rerankSurface },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};

function estimatedInput(body: JsonObject): number {
  const query = estimatePrompt({ query: body['query'] }, '');
  return query * listOf(body['documents']).length + estimatePrompt({ documents: body['documents'] }, '');
}

/** Jina, Voyage and vLLM report `usage`, SiliconFlow `meta.tokens`, Cohere and who sells its models searches. */
function reportedUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer['usage']);
  const meta = objectOf(answer['meta']);
  const input =
    tokenCount(usage['prompt_tokens'] ?? usage['total_tokens']) ||
    tokenCount(objectOf(meta['tokens'])['input_tokens']) ||
    tokenCount(objectOf(meta['billed_units'])['input_tokens']);
  const search = callCount(objectOf(meta['billed_units'])['search_units']);
  return input + search === 0 ? undefined : { ...emptyUsage(), input, search };
}

/** Clients of Jina's read `usage`, those of Cohere's `meta.billed_units`: each finds what the upstream reported. */
function completeAnswer(raw: JsonObject): JsonObject {
  const answer = withResults(raw);
  const input = reportedUsage(answer)?.input;
  if (input === undefined || input === 0) return answer;
  const meta = objectOf(answer['meta']);
  return {
    ...answer,
    ...(isObject(answer['usage']) ? {} : { usage: { prompt_tokens: input, total_tokens: input } }),
    ...(isObject(meta['billed_units']) ? {} : { meta: { ...meta, billed_units: { input_tokens: input } } }),
  };
}

/** Voyage, Fireworks and Mixedbread list their results as `data`, the last with a `score` and the document as `input`. */
function withResults(answer: JsonObject): JsonObject {
  const { object: _object, data, ...rest } = answer;
  if (!Array.isArray(data) || answer['results'] !== undefined) return answer;
  const results = data.map(objectOf).map(({ index, relevance_score, score, document, input }) => ({
    index,
    relevance_score: relevance_score ?? score,
    ...documentOf(document ?? input),
  }));
  return { ...rest, results };
}

/** As clients find it where they asked for documents to be returned. */
function documentOf(value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  return { document: typeof value === 'string' ? { text: value } : value };
}
