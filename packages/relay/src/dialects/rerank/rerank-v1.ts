import { requireList, requireText } from '../../exchange/check-request-fields.ts';
import { booleanOf, isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json/json.ts';
import type { ClientCodec, Dialect } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { RankedDocument, RerankRequest } from '../../model/neutral-requests.ts';
import { emptyUsage, promptTokens, toCallCount, toTokenCount, type Usage } from '../../model/usage.ts';
import { estimatePrompt, estimateTokens } from '../../tokens/estimate-prompt-tokens.ts';
import { countWideCharacters } from '../../tokens/text-samples-and-counts.ts';
import { findModelFamily } from '../../tokens/tokenizer-family.ts';
import { pickUncoveredFields, setModel } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';

const covered = new Set(['model', 'query', 'documents', 'top_n', 'return_documents']);

/** Codec of Jina's and Cohere's requests for upstreams with another dialect. */
const rerankCodec: ClientCodec<RerankRequest, readonly RankedDocument[]> = {
  decodeRequest: (body) => decodeRerankRequest(body, covered),
  encodeResponse(ranking, body, { facts }, usage) {
    const documents = readDocuments(body);
    const isShown = booleanOf(body['return_documents']) === true;
    const results = rankEachOnce(ranking).flatMap(({ index, score }) => {
      const document = documents[index];
      if (document === undefined) return [];
      return [{ index, relevance_score: score, ...(isShown && { document }) }];
    });
    const billed = writeBilledUnits(usage);
    const tokens = billed.input_tokens;
    return {
      model: facts.model,
      results,
      ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      meta: { billed_units: billed },
    };
  },
};

/** @param covered fields with a neutral form. @throws InvalidRequestError */
export function decodeRerankRequest(body: JsonObject, covered: ReadonlySet<string>): RerankRequest {
  return {
    query: requireText(body, 'query'),
    documents: readDocuments(body).map(({ text }) => text),
    topN: numberOf(body['top_n']),
    more: pickUncoveredFields(covered, body),
  };
}

/** Returns the usage in Cohere's form. */
export function writeBilledUnits(usage: Usage | undefined): { search_units?: number; input_tokens?: number } {
  const tokens = usage === undefined ? 0 : promptTokens(usage);
  return { ...(usage?.search && { search_units: usage.search }), ...(tokens > 0 && { input_tokens: tokens }) };
}

/** Returns the results that have an index and a score. */
export function readRankedDocuments(results: unknown): RankedDocument[] {
  return listOf(results).flatMap((result) => {
    const { index, relevance_score } = objectOf(result);
    const [place, score] = [numberOf(index), numberOf(relevance_score)];
    return place === undefined || score === undefined ? [] : [{ index: place, score }];
  });
}

/**
 * Returns the first result of each document. The response may repeat the text of a document, and an upstream that
 * names a long one in every result would make it thousands of times as large as the request.
 */
export function rankEachOnce(ranking: readonly RankedDocument[]): RankedDocument[] {
  const ranked = new Set<number>();
  return ranking.filter(({ index }) => {
    const isFirst = !ranked.has(index);
    ranked.add(index);
    return isFirst;
  });
}

/** @throws InvalidRequestError when a document is not text */
export function readDocuments(body: JsonObject): { text: string }[] {
  const { documents } = body;
  return (Array.isArray(documents) ? documents : []).map((document) => {
    const text = textOf(document) ?? textOf(objectOf(document)['text']);
    if (text === undefined) throw new InvalidRequestError('This model can rank only text.', 'documents');
    return { text };
  });
}

/** Documents billed as one search. https://docs.cohere.com/docs/how-does-cohere-pricing-work */
const SEARCH_DOCUMENTS = 100;
/** Maximum tokens of the query and a document together that count as one document. */
const CHUNK_TOKENS = 500;
/** Assumed share of a chunk that a long query leaves for the document. */
const DOCUMENT_SHARE_MIN = 0.5;
/** Tokens of a document that are read by default. https://docs.cohere.com/reference/rerank, `max_tokens_per_doc` */
const DOCUMENT_TOKENS = 4_096;

/**
 * `/v1/rerank` of Jina and Cohere: https://jina.ai/reranker, https://docs.cohere.com/reference/rerank. The query is
 * processed with every document.
 */
export const rerank: Dialect = {
  id: 'rerank',
  operation: 'rerank',
  readFacts: readRerankFacts,
  prepare: setModel,
  readNonStreaming: (answer) => ({ usage: readReportedUsage(answer), content: [], binaries: [] }),
  resultCount: (answer) => decodeRanking(answer).length,
  expectedResults: ({ documents }) => ({ least: 1, most: listOf(documents).length }),
  completeResponse,
  clientCodecs: { rerank: rerankCodec },
  upstreamCodecs: { rerank: { encodeRequest, decodeResponse: decodeRanking } },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};

/** Reads the facts of any rerank request. @throws InvalidRequestError */
export function readRerankFacts(body: JsonObject): ReturnType<Dialect['readFacts']> {
  requireText(body, 'query');
  requireList(body, 'documents');
  const chunks = estimateChunks(body);
  const search = Math.ceil(chunks / SEARCH_DOCUMENTS);
  return {
    hasTools: false,
    maxOutputTokens: 0,
    choices: 1,
    inputTokensEstimate: estimateInput(body),
    expected: {
      unit: 'search',
      usage: { ...emptyUsage(), search },
      isCounted: chunks === listOf(body['documents']).length,
    },
  };
}

/** Estimates the chunks into which the vendor splits the documents; a short document is one. */
function estimateChunks(body: JsonObject): number {
  const family = findModelFamily('');
  const query = estimatePrompt({ query: body['query'] }, '');
  const chunkTokens = Math.max(CHUNK_TOKENS - query, CHUNK_TOKENS * DOCUMENT_SHARE_MIN);
  const tokensMax = Math.max(DOCUMENT_TOKENS, numberOf(body['max_tokens_per_doc']) ?? 0);
  return listOf(body['documents']).reduce<number>((sum, document) => {
    const text = textOf(document) ?? textOf(objectOf(document)['text']) ?? '';
    if (text.length <= chunkTokens) return sum + 1;
    const tokens = estimateTokens(family, text.length, countWideCharacters(text));
    return sum + Math.ceil(Math.min(tokens, tokensMax) / chunkTokens);
  }, 0);
}

/** Encodes a request; some fields of Cohere's v2 have other names here, or none. */
function encodeRequest(
  { query, documents, topN, more }: RerankRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  for (const name of Object.keys(more)) dropped.push(name);
  return { model, query, documents, ...(topN !== undefined && { top_n: topN }) };
}

/** Returns the results that have an index and a score. */
function decodeRanking(answer: JsonObject): RankedDocument[] {
  return readRankedDocuments(normalizeResults(answer)['results']);
}

function estimateInput(body: JsonObject): number {
  const query = estimatePrompt({ query: body['query'] }, '');
  return query * listOf(body['documents']).length + estimatePrompt({ documents: body['documents'] }, '');
}

/**
 * Reads the usage: Jina, Voyage and vLLM report `usage`, SiliconFlow `meta.tokens`, Cohere and its resellers
 * searches.
 */
function readReportedUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer['usage']);
  const meta = objectOf(answer['meta']);
  const input =
    toTokenCount(usage['prompt_tokens'] ?? usage['total_tokens']) ||
    toTokenCount(objectOf(meta['tokens'])['input_tokens']) ||
    toTokenCount(objectOf(meta['billed_units'])['input_tokens']);
  const search = toCallCount(objectOf(meta['billed_units'])['search_units']);
  return input + search === 0 ? undefined : { ...emptyUsage(), input, search };
}

/** Adds the reported usage in both forms: Jina's clients read `usage`, Cohere's `meta.billed_units`. */
function completeResponse(raw: JsonObject): JsonObject {
  const answer = normalizeResults(raw);
  const input = readReportedUsage(answer)?.input;
  if (input === undefined || input === 0) return answer;
  const meta = objectOf(answer['meta']);
  return {
    ...answer,
    ...(isObject(answer['usage']) ? {} : { usage: { prompt_tokens: input, total_tokens: input } }),
    ...(isObject(meta['billed_units']) ? {} : { meta: { ...meta, billed_units: { input_tokens: input } } }),
  };
}

/**
 * Normalizes the results of Voyage, Fireworks and Mixedbread, which are in `data`; Mixedbread's have a `score` and
 * the document as `input`.
 */
function normalizeResults(answer: JsonObject): JsonObject {
  const { object: _object, data, ...rest } = answer;
  if (!Array.isArray(data) || answer['results'] !== undefined) return answer;
  const results = data
    .map(objectOf)
    .map(({ index, relevance_score, score, document, input }) => ({
      index,
      relevance_score: relevance_score ?? score,
      ...toDocument(document ?? input),
    }));
  return { ...rest, results };
}

/** Returns a document in the form that clients with `return_documents` expect. */
function toDocument(value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  return { document: typeof value === 'string' ? { text: value } : value };
}
