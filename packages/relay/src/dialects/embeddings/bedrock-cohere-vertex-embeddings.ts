/** Embeddings dialects that only upstreams have. */

import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import type { UpstreamCodec, UpstreamDialect } from '../../model/dialect.ts';
import type { UpstreamDialectId } from '../../model/dialect-id.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { EmbeddingsRequest, Vector } from '../../model/neutral-requests.ts';
import { emptyUsage, toTokenCount } from '../../model/usage.ts';
import { findVector, requireVector } from './openai-embeddings.ts';

interface EmbeddingsDialectSpec {
  id: UpstreamDialectId;
  encodeRequest: UpstreamCodec<EmbeddingsRequest, readonly Vector[]>['encodeRequest'];
  /** Returns the vectors of a response, unparsed. */
  listVectors: (answer: JsonObject) => readonly unknown[];
  /** Returns the reported input tokens; undefined if the vendor reports none. */
  readTokens: (answer: JsonObject) => number | undefined;
}

function createEmbeddingsDialect(own: EmbeddingsDialectSpec): UpstreamDialect {
  const { id, encodeRequest, listVectors, readTokens } = own;
  return {
    id,
    operation: 'embeddings',
    readNonStreaming(answer) {
      const input = readTokens(answer);
      return { usage: input === undefined ? undefined : { ...emptyUsage(), input }, content: [], binaries: [] };
    },
    resultCount: (answer) => listVectors(answer).map(requireVector).length,
    upstreamCodecs: {
      embeddings: {
        encodeRequest,
        decodeResponse: (answer, _, vectors) => listVectors(answer).map((place) => findVector(place, vectors)),
      },
    },
  };
}

/**
 * Amazon's and Cohere's embedding models at Bedrock's `InvokeModel`.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
 */
export const bedrockEmbeddings = createEmbeddingsDialect({
  id: 'bedrock-embeddings',
  encodeRequest({ texts, dimensions }, model) {
    if (/cohere\./.test(model)) {
      const size = dimensions === undefined ? {} : { output_dimension: dimensions };
      return { texts, input_type: 'search_document', ...size };
    }
    if (!/amazon\.titan-embed/.test(model))
      throw new InvalidRequestError('This model does not support embeddings. Choose another model.', 'model');
    const [inputText, ...others] = texts;
    if (others.length > 0) throw new InvalidRequestError('This model accepts only one text per request.', 'input');
    return { inputText, ...(dimensions !== undefined && { dimensions }) };
  },
  // Cohere groups the vectors by type if it returns several types.
  listVectors({ embedding, embeddings }) {
    if (embedding !== undefined) return [embedding];
    return Array.isArray(embeddings) ? embeddings : listOf(objectOf(embeddings)['float']);
  },
  readTokens: ({ inputTextTokenCount: tokens }) => (tokens === undefined ? undefined : toTokenCount(tokens)),
});

/** Cohere's `/v2/embed`. https://docs.cohere.com/reference/embed */
export const cohereEmbeddings = createEmbeddingsDialect({
  id: 'cohere-embeddings',
  // Cohere requires the purpose of the vectors, which other dialects cannot express. Documents are the most common
  // purpose, and vectors of queries still find them.
  encodeRequest: ({ texts, dimensions }, model) => ({
    model,
    texts,
    input_type: 'search_document',
    embedding_types: ['float'],
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  }),
  listVectors: (answer) => listOf(objectOf(answer['embeddings'])['float']),
  readTokens: (answer) => toTokenCount(objectOf(objectOf(answer['meta'])['billed_units'])['input_tokens']) || undefined,
});

/**
 * Vertex AI's `predict` for texts.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 */
export const vertexEmbeddings = createEmbeddingsDialect({
  id: 'vertex-embeddings',
  encodeRequest: ({ texts, dimensions }) => ({
    instances: texts.map((content) => ({ content })),
    ...(dimensions !== undefined && { parameters: { outputDimensionality: dimensions } }),
  }),
  listVectors: (answer) => listPredictions(answer).map(({ values }) => values),
  readTokens(answer) {
    const counts = listPredictions(answer).map(({ statistics }) => objectOf(statistics)['token_count']);
    if (counts.every((count) => count === undefined)) return undefined;
    return counts.reduce<number>((sum, count) => toTokenCount(sum + toTokenCount(count)), 0);
  },
});

function listPredictions(answer: JsonObject): JsonObject[] {
  return listOf(answer['predictions']).map((prediction) => objectOf(objectOf(prediction)['embeddings']));
}
