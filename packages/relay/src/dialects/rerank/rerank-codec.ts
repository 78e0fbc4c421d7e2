import { booleanOf, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json/json.ts';
import type { ClientCodec } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { RankedDocument, RerankRequest } from '../../model/neutral-requests.ts';
import { promptTokens } from '../../model/usage.ts';
import { requireText } from '../../translate/request-fields.ts';
import { pickUncoveredFields } from '../openai/defined-fields.ts';

const covered = new Set(['model', 'query', 'documents', 'top_n', 'return_documents']);

/** Codec of Jina's and Cohere's requests for upstreams with another dialect. */
export const rerankCodec: ClientCodec<RerankRequest, readonly RankedDocument[]> = {
  decodeRequest(body) {
    return {
      query: requireText(body, 'query'),
      documents: readDocuments(body).map(({ text }) => text),
      topN: numberOf(body['top_n']),
      more: pickUncoveredFields(covered, body),
    };
  },
  encodeResponse(ranking, body, { facts }, usage) {
    const documents = readDocuments(body);
    const isShown = booleanOf(body['return_documents']) === true;
    const results = ranking.flatMap(({ index, score }) => {
      const document = documents[index];
      if (document === undefined) return [];
      return [{ index, relevance_score: score, ...(isShown && { document }) }];
    });
    const tokens = usage === undefined ? 0 : promptTokens(usage);
    const billed = {
      ...(usage?.search && { search_units: usage.search }),
      ...(tokens > 0 && { input_tokens: tokens }),
    };
    return {
      model: facts.model,
      results,
      ...(tokens > 0 && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      meta: { billed_units: billed },
    };
  },
};

/** Returns the results that have an index and a score. */
export function readRankedDocuments(results: unknown): RankedDocument[] {
  return listOf(results).flatMap((result) => {
    const { index, relevance_score } = objectOf(result);
    const [place, score] = [numberOf(index), numberOf(relevance_score)];
    return place === undefined || score === undefined ? [] : [{ index: place, score }];
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
