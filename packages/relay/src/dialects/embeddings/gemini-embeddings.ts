import { HELD_BYTES_MAX } from '../../errors/response-limits.ts';
import { requireList } from '../../exchange/check-request-fields.ts';
import { type JsonObject, listOf, numberOf, objectOf, objectsIn, parseJson, textOf } from '../../json/json.ts';
import type { ClientRequest } from '../../model/client-request.ts';
import type { Dialect, UnsupportedFields } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { EmbeddingsRequest, Vector } from '../../model/neutral-requests.ts';
import type { JoinedResponses } from '../../model/upstream-exchange.ts';
import { toTokenCount } from '../../model/usage.ts';
import { encodeGeminiError, encodeGeminiStreamError } from '../chat/gemini/encoders/encode-error.ts';
import { listUnknownFields, readField } from '../chat/gemini/snake-and-camel-case-fields.ts';
import { embeddingRates, readPromptDetails, UsageReport } from '../chat/gemini/usage-report.ts';
import { findVector, requireVector, writeNumbers } from './openai-embeddings.ts';

const covered = new Set(['model', 'content', 'outputDimensionality']);

/**
 * Gemini's `embedContent` and `batchEmbedContents`, for one vector and for several; the latter has `requests`.
 * https://ai.google.dev/api/embeddings
 */
export const geminiEmbeddings: Dialect = {
  id: 'gemini-embeddings',
  operation: 'embeddings',
  readFacts(body) {
    if (body['content'] === undefined) requireList(body, 'requests');
    return { hasTools: false, maxOutputTokens: 0, choices: 1 };
  },
  /** Sets the model of the URL, which each request of a batch repeats. */
  prepare(body, { model }) {
    const { model: own, ...rest } = body;
    if (!isBatch(body)) return own === undefined ? body : rest;
    const requests = objectsIn(body['requests']);
    if (own === undefined && requests.every((request) => request['model'] === toResourceName(model))) return body;
    return { ...rest, requests: requests.map((request) => ({ ...request, model: toResourceName(model) })) };
  },
  readNonStreaming(answer) {
    const report = new UsageReport(embeddingRates);
    report.add(answer);
    return { usage: report.usage, content: [], binaries: [] };
  },
  /**
   * Converts a single embedding to a list if the client requested a batch of one:
   * https://ai.google.dev/api/embeddings
   */
  completeResponse(answer, { json }) {
    const { embedding, ...rest } = answer;
    return isBatch(json) && embedding !== undefined ? { ...rest, embeddings: [embedding] } : answer;
  },
  resultCount: (answer) => listVectors(answer).map(requireVector).length,
  expectedResults(body) {
    const count = isBatch(body) ? listOf(body['requests']).length : 1;
    return { least: count, most: count };
  },
  encodeError: encodeGeminiError,
  encodeStreamError: encodeGeminiStreamError,
  clientCodecs: { embeddings: { decodeRequest, encodeResponse } },
  upstreamCodecs: { embeddings: { encodeRequest, decodeResponse } },
};
/** Maximum number of texts, the same as OpenAI's. https://platform.openai.com/docs/api-reference/embeddings/create */
const TEXTS_MAX = 2_048;
/** Default and maximum dimensions. https://ai.google.dev/gemini-api/docs/embeddings */
const DIMENSIONS_DEFAULT = 3_072;
/** Maximum bytes of a vector's number in JSON. */
const NUMBER_BYTES = 16;

export function isBatch(body: JsonObject): boolean {
  return body['requests'] !== undefined;
}

/** Returns the resource name; the model may already be one. */
function toResourceName(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}

function decodeRequest(body: JsonObject, _: ClientRequest, dropped: string[]): EmbeddingsRequest {
  const requests = (isBatch(body) ? listOf(body['requests']) : [body]).map(objectOf);
  const sizes = new Set(requests.map((request) => numberOf(readField(request, 'outputDimensionality'))));
  if (sizes.size > 1)
    throw new InvalidRequestError('All requests of a batch need the same outputDimensionality.', 'requests');
  const [dimensions] = sizes;
  for (const request of requests) for (const name of listUnknownFields(request, covered)) dropped.push(name);
  return { texts: requests.map(readText), dimensions };
}

function readText(request: JsonObject): string {
  const parts = objectsIn(objectOf(request['content'])['parts']);
  const texts = parts.map((part) => textOf(part['text']));
  if (texts.length === 0 || texts.includes(undefined))
    throw new InvalidRequestError('This model can embed only text.', 'content');
  return texts.join('\n');
}

/** Encodes a request, always as a batch. */
function encodeRequest({ texts, dimensions }: EmbeddingsRequest, model: string): Record<string, unknown> {
  return {
    requests: texts.map((text) => ({
      model: toResourceName(model),
      content: { parts: [{ text }] },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    })),
  };
}

function listVectors({ embedding, embeddings }: JsonObject): unknown[] {
  const list = embedding === undefined ? listOf(embeddings) : [embedding];
  return list.map((one) => objectOf(one)['values']);
}

function decodeResponse(answer: JsonObject, _: UnsupportedFields, vectors: readonly Buffer[]): Vector[] {
  return listVectors(answer).map((place) => findVector(place, vectors));
}

function* encodeResponse(vectors: readonly Vector[], body: JsonObject): Generator<Buffer> {
  yield Buffer.from(isBatch(body) ? '{"embeddings":[' : '{"embedding":');
  for (const [index, vector] of (isBatch(body) ? vectors : vectors.slice(0, 1)).entries()) {
    yield Buffer.from(`${index === 0 ? '' : ','}{"values":`);
    yield writeNumbers(vector);
    yield Buffer.from('}');
  }
  yield Buffer.from(isBatch(body) ? ']}' : '}');
}

/**
 * Returns the body of each call of a batch at a vendor whose `embedContent` takes one content per call; undefined if
 * the request is a single call.
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/reference/rest/v1beta1/projects.locations.publishers.models/embedContent
 * @throws InvalidRequestError for too many texts
 */
export function splitBatch(body: JsonObject): JsonObject[] | undefined {
  if (!isBatch(body)) return undefined;
  const requests = objectsIn(body['requests']);
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

const commaBytes = Buffer.from(',');
/** Maximum bytes of the response to one call: a vector has some thousand numbers. */
const CALL_BYTES_MAX = 1_048_576;

/** Collector that joins the responses of a batch's calls, with the sum of their usage. */
export class JoinedEmbeddings implements JoinedResponses {
  readonly #embeddings: Buffer[] = [];
  readonly #details: unknown[] = [];
  #bytes = 0;
  /** Undefined after a call without reported tokens. */
  #tokens: number | undefined = 0;

  add(nth: number, answer: Buffer): boolean {
    if (answer.length > CALL_BYTES_MAX) return false;
    const json = parseJson(answer.toString('utf8'));
    const { embedding, usageMetadata } = objectOf(json);
    if (listOf(objectOf(embedding)['values']).length === 0 || 'error' in objectOf(json)) return false;
    const bytes = Buffer.from(JSON.stringify(embedding));
    this.#embeddings[nth] = bytes;
    this.#bytes += bytes.length;
    this.#addUsage(objectOf(usageMetadata));
    return this.#bytes <= HELD_BYTES_MAX;
  }

  #addUsage(report: JsonObject): void {
    const { promptTokenCount, totalTokenCount } = report;
    const tokens = Math.max(toTokenCount(promptTokenCount), toTokenCount(totalTokenCount));
    this.#tokens = tokens === 0 || this.#tokens === undefined ? undefined : this.#tokens + tokens;
    for (const detail of listOf(readPromptDetails(report))) this.#details.push(detail);
  }

  end(): Buffer {
    const usage = this.#tokens !== undefined && {
      usageMetadata: { promptTokenCount: this.#tokens, promptTokensDetails: this.#details },
    };
    const rest = JSON.stringify(usage || {}).slice(1);
    const listed = this.#embeddings.flatMap((embedding, nth) => (nth === 0 ? [embedding] : [commaBytes, embedding]));
    return Buffer.concat([
      Buffer.from('{"embeddings":['),
      ...listed,
      Buffer.from(`]${rest === '}' ? '' : ','}${rest}`),
    ]);
  }
}
