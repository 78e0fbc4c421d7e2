import { garbledError } from '../../errors/response-errors.ts';
import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { EmbeddingsRequest, Vector } from '../../model/neutral-requests.ts';
import { emptyUsage, toTokenCount } from '../../model/usage.ts';

/** Cohere's `/v2/embed`; upstream only. https://docs.cohere.com/reference/embed */
export const cohereEmbeddings: UpstreamDialect = {
  id: 'cohere-embeddings',
  operation: 'embeddings',
  readNonStreaming(answer) {
    const input = toTokenCount(objectOf(objectOf(answer['meta'])['billed_units'])['input_tokens']);
    return { usage: input === 0 ? undefined : { ...emptyUsage(), input }, content: [], binaries: [] };
  },
  resultCount: (answer) => decodeResponse(answer).length,
  embeddings: { encodeRequest, decodeResponse },
};

/**
 * Encodes a request. Cohere requires the purpose of the vectors, which other dialects cannot express. Documents are the
 * most common purpose, and vectors of queries still find them.
 */
function encodeRequest({ texts, dimensions }: EmbeddingsRequest, model: string): Record<string, unknown> {
  return {
    model,
    texts,
    input_type: 'search_document',
    embedding_types: ['float'],
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  };
}

function decodeResponse(answer: JsonObject): Vector[] {
  return listOf(objectOf(answer['embeddings'])['float']).map((vector) => {
    const values = listOf(vector).filter((value) => typeof value === 'number');
    if (values.length === 0) throw garbledError('The upstream sent an embedding without values.');
    return values;
  });
}
