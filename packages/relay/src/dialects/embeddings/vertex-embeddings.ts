import { garbledError } from '../../errors/response-errors.ts';
import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import type { EmbeddingsRequest, Vector } from '../../model/neutral-requests.ts';
import { emptyUsage, toTokenCount } from '../../model/usage.ts';

/**
 * Vertex AI's `predict` for texts; upstream only.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 */
export const vertexEmbeddings: UpstreamDialect = {
  id: 'vertex-embeddings',
  operation: 'embeddings',
  readNonStreaming(answer) {
    const counts = listEmbeddings(answer).map(({ statistics }) => objectOf(statistics)['token_count']);
    if (counts.every((count) => count === undefined)) return { usage: undefined, content: [], binaries: [] };
    const input = counts.reduce<number>((sum, count) => toTokenCount(sum + toTokenCount(count)), 0);
    return { usage: { ...emptyUsage(), input }, content: [], binaries: [] };
  },
  resultCount: (answer) => decodeResponse(answer).length,
  embeddings: { encodeRequest, decodeResponse },
};

function encodeRequest({ texts, dimensions }: EmbeddingsRequest): Record<string, unknown> {
  return {
    instances: texts.map((content) => ({ content })),
    ...(dimensions !== undefined && { parameters: { outputDimensionality: dimensions } }),
  };
}

function decodeResponse(answer: JsonObject): Vector[] {
  return listEmbeddings(answer).map((embedding) => {
    const values = listOf(embedding['values']).filter((value) => typeof value === 'number');
    if (values.length === 0) throw garbledError('The upstream sent an embedding without values.');
    return values;
  });
}

function listEmbeddings(answer: JsonObject): JsonObject[] {
  return listOf(answer['predictions']).map((prediction) => objectOf(objectOf(prediction)['embeddings']));
}
