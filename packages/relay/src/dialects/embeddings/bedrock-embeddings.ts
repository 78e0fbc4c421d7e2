import { garbledError } from '../../errors/response-errors.ts';
import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { EmbeddingsRequest, Vector } from '../../model/neutral-requests.ts';
import { emptyUsage, toTokenCount } from '../../model/usage.ts';

/**
 * Amazon's and Cohere's embedding models at Bedrock's `InvokeModel`; upstream only.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
 */
export const bedrockEmbeddings: UpstreamDialect = {
  id: 'bedrock-embeddings',
  operation: 'embeddings',
  readNonStreaming(answer) {
    const { inputTextTokenCount: tokens } = answer;
    const usage = tokens === undefined ? undefined : { ...emptyUsage(), input: toTokenCount(tokens) };
    return { usage, content: [], binaries: [] };
  },
  resultCount: (answer) => decodeResponse(answer).length,
  embeddings: { encodeRequest, decodeResponse },
};

function encodeRequest({ texts, dimensions }: EmbeddingsRequest, model: string): Record<string, unknown> {
  if (/cohere\./.test(model)) {
    const size = dimensions === undefined ? {} : { output_dimension: dimensions };
    return { texts, input_type: 'search_document', ...size };
  }
  if (!/amazon\.titan-embed/.test(model))
    throw new InvalidRequestError('This model does not support embeddings.', 'model');
  const [inputText, ...others] = texts;
  if (others.length > 0) throw new InvalidRequestError('This model accepts only one text per request.', 'input');
  return { inputText, ...(dimensions !== undefined && { dimensions }) };
}

/** Decodes vectors. Cohere groups them by type if it returns several types. */
function decodeResponse(answer: JsonObject): Vector[] {
  const { embedding, embeddings } = answer;
  const several = Array.isArray(embeddings) ? embeddings : listOf(objectOf(embeddings)['float']);
  return (embedding === undefined ? several : [embedding]).map((vector) => {
    const values = listOf(vector).filter((value) => typeof value === 'number');
    if (values.length === 0) throw garbledError('The upstream sent an embedding without values.');
    return values;
  });
}
