import { garbled } from '../../errors/answer-errors.ts';
import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import type { EmbeddingsAsked, Vector } from '../../model/embeddings.ts';
import type { UpstreamDialect } from '../../model/format.ts';
import { emptyUsage, tokenCount } from '../../model/usage.ts';

/** Cohere's `/v2/embed`. No client speaks it. https://docs.cohere.com/reference/embed */
export const cohereEmbeddings: UpstreamDialect = {
  id: 'cohere-embeddings',
  operation: 'embeddings',
  readWhole(answer) {
    const input = tokenCount(objectOf(objectOf(answer['meta'])['billed_units'])['input_tokens']);
    return { usage: input === 0 ? undefined : { ...emptyUsage(), input }, content: [], binaries: [] };
  },
  resultCount: (answer) => decodeAnswer(answer).length,
  embeddings: { encodeRequest, decodeAnswer },
};

/**
 * Encodes a request. Cohere requires the purpose of the vectors, which other dialects cannot express. Documents are the
 * most common purpose, and vectors of queries still find them.
 */
function encodeRequest({ texts, dimensions }: EmbeddingsAsked, model: string): Record<string, unknown> {
  return {
    model,
    texts,
    input_type: 'search_document',
    embedding_types: ['float'],
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  };
}

function decodeAnswer(answer: JsonObject): Vector[] {
  return listOf(objectOf(answer['embeddings'])['float']).map((vector) => {
    const values = listOf(vector).filter((value) => typeof value === 'number');
    if (values.length === 0) throw garbled('The upstream sent an embedding without values.');
    return values;
  });
}
