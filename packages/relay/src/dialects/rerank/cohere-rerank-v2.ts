import { type JsonObject, listOf } from '../../json/json.ts';
import type { ClientCodec, Dialect, ErrorDetail } from '../../model/dialect.ts';
import type { RankedDocument, RerankRequest } from '../../model/neutral-requests.ts';
import { createId } from '../../model/task-and-call-ids.ts';
import { pickKnownFields, setModel } from '../../translate/pick-fields.ts';
import {
  decodeRerankRequest,
  rankEachOnce,
  readDocuments,
  readRankedDocuments,
  readRerankFacts,
  rerank,
  writeBilledUnits,
} from './rerank-v1.ts';

const covered = new Set(['model', 'query', 'documents', 'top_n']);
/** Fields that only Cohere has. */
const ownFields = ['max_tokens_per_doc', 'priority'];

/** Conversion from and to the dialects of other clients and upstreams. */
const codec: ClientCodec<RerankRequest, readonly RankedDocument[]> = {
  decodeRequest: (body) => decodeRerankRequest(body, covered),
  encodeResponse(ranking, body, _request, usage) {
    const known = readDocuments(body).length;
    const results = rankEachOnce(ranking)
      .filter(({ index }) => index < known)
      .map(({ index, score }) => ({ index, relevance_score: score }));
    const meta = { api_version: { version: '2' }, billed_units: writeBilledUnits(usage) };
    return { id: createId(''), results, meta };
  },
};

/** Cohere's `/v2/rerank`, which accepts only texts. https://docs.cohere.com/reference/rerank */
export const cohereRerank: Dialect = {
  id: 'cohere-rerank',
  operation: 'rerank',
  readFacts: readRerankFacts,
  prepare: setModel,
  readNonStreaming: (answer, lost, request) => rerank.readNonStreaming(answer, lost, request),
  resultCount: (answer) => decodeResponse(answer).length,
  expectedResults: ({ documents }) => ({ least: 1, most: listOf(documents).length }),
  clientCodecs: { rerank: codec },
  upstreamCodecs: { rerank: { encodeRequest, decodeResponse } },
  encodeError: encodeCohereError,
  encodeStreamError: (error) => `data: ${encodeCohereError(error)}\n\n`,
};

/** Encodes an error. https://docs.cohere.com/reference/errors */
function encodeCohereError({ message }: ErrorDetail): string {
  return JSON.stringify({ message });
}

function encodeRequest(
  { query, documents, topN, more }: RerankRequest,
  model: string,
  dropped: string[],
): Record<string, unknown> {
  const known = pickKnownFields(ownFields, more, dropped);
  return { model, query, documents, ...(topN !== undefined && { top_n: topN }), ...known };
}

function decodeResponse(answer: JsonObject): RankedDocument[] {
  return readRankedDocuments(answer['results']);
}
