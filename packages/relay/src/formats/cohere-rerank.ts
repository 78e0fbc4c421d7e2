import type { UpstreamDialect } from '../format.ts';
import { type JsonObject, listOf, numberOf, objectOf } from '../json.ts';
import type { Ranked, RerankAsked } from '../surfaces.ts';
import { rerank } from './rerank.ts';
import { knownAmong } from './said-fields.ts';

/** Cohere's `/v2/rerank`, which takes texts alone. https://docs.cohere.com/reference/rerank */
export const cohereRerank: UpstreamDialect = {
  id: 'cohere-rerank',
  operation: 'rerank',
  readWhole: (answer, lost, request) => rerank.readWhole(answer, lost, request),
  serves: { rerank: { encodeRequest, decodeAnswer } },
};

function encodeRequest(
  { query, documents, topN, more }: RerankAsked,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  const known = knownAmong(['max_tokens_per_doc', 'priority'], more, dropped);
  return { model, query, documents, ...(topN !== undefined && { top_n: topN }), ...known };
}

function decodeAnswer(answer: JsonObject): Ranked[] {
  return listOf(answer['results']).flatMap((result) => {
    const { index, relevance_score } = objectOf(result);
    const [place, score] = [numberOf(index), numberOf(relevance_score)];
    return place === undefined || score === undefined ? [] : [{ index: place, score }];
  });
}
