/**
 * Embeddings by `embedContent`, which takes one content per call: a batch becomes several calls, and their responses
 * become one.
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/reference/rest/v1beta1/projects.locations.publishers.models/embedContent
 */
import { HELD_BYTES_MAX } from '../../errors/response-errors.ts';
import { type JsonObject, listOf, numberOf, objectOf, parseJson } from '../../json/json.ts';
import type { JoinedResponses } from '../../model/exchange.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { toTokenCount } from '../../model/usage.ts';
import { isBatch } from './gemini-embeddings.ts';

/** Maximum number of texts, the same as OpenAI's. https://platform.openai.com/docs/api-reference/embeddings/create */
const TEXTS_MAX = 2_048;
/** Default and maximum dimensions. https://ai.google.dev/gemini-api/docs/embeddings */
const DIMENSIONS_DEFAULT = 3_072;
/** Maximum bytes of a vector's number in JSON. */
const NUMBER_BYTES = 16;

/**
 * Returns the body of each call of a batch; undefined if the request is a single call.
 * @throws InvalidRequestError for too many texts
 */
export function splitBatch(body: JsonObject): JsonObject[] | undefined {
  if (!isBatch(body)) return undefined;
  const requests = listOf(body['requests']).map(objectOf);
  const dimensions = requests.reduce(
    (most, { outputDimensionality }) => Math.max(most, numberOf(outputDimensionality) ?? DIMENSIONS_DEFAULT),
    1,
  );
  // Refuses texts whose vectors would not fit into a response, but would be billed.
  const most = Math.min(TEXTS_MAX, Math.floor(HELD_BYTES_MAX / (dimensions * NUMBER_BYTES)));
  if (requests.length > most)
    throw new InvalidRequestError(
      `This model accepts at most ${most} texts of ${dimensions} dimensions per request.`,
      'input',
    );
  return requests.map(toContentCall);
}

function toContentCall({ model: _model, content, outputDimensionality, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    content,
    ...(outputDimensionality !== undefined && { embedContentConfig: { outputDimensionality } }),
  };
}

/** Collector that joins the responses of a batch's calls, with the sum of their usage. */
export class JoinedEmbeddings implements JoinedResponses {
  readonly #embeddings: string[] = [];
  readonly #details: unknown[] = [];
  #bytes = 0;
  /** Undefined after a call without reported tokens. */
  #tokens: number | undefined = 0;

  add(nth: number, answer: Buffer): boolean {
    const json = parseJson(answer.toString('utf8'));
    const { embedding, usageMetadata } = objectOf(json);
    if (listOf(objectOf(embedding)['values']).length === 0 || 'error' in objectOf(json)) return false;
    const text = JSON.stringify(embedding);
    this.#embeddings[nth] = text;
    this.#bytes += text.length;
    this.#addUsage(objectOf(usageMetadata));
    return this.#bytes <= HELD_BYTES_MAX;
  }

  #addUsage({ promptTokenCount, totalTokenCount, promptTokensDetails }: JsonObject): void {
    const tokens = Math.max(toTokenCount(promptTokenCount), toTokenCount(totalTokenCount));
    this.#tokens = tokens === 0 || this.#tokens === undefined ? undefined : this.#tokens + tokens;
    this.#details.push(...listOf(promptTokensDetails));
  }

  end(): Buffer {
    const usage = this.#tokens !== undefined && {
      usageMetadata: { promptTokenCount: this.#tokens, promptTokensDetails: this.#details },
    };
    const rest = JSON.stringify(usage || {}).slice(1);
    return Buffer.from(`{"embeddings":[${this.#embeddings.join(',')}]${rest === '}' ? '' : ','}${rest}`);
  }
}
