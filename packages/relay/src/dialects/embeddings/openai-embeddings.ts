import { garbledError, tooLargeError, type UpstreamError } from '../../errors/upstream-error.ts';
import { requireTextOrList } from '../../exchange/check-request-fields.ts';
import { type JsonObject, listOf, numberOf, objectOf, objectsIn, parseJson } from '../../json/json.ts';
import { VECTOR_MAX_BYTES } from '../../json/json-condense-and-detach.ts';
import type { ClientRequest } from '../../model/client-request.ts';
import type { Dialect, UnsupportedFields } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { EmbeddingsRequest, ResultRange, Vector } from '../../model/neutral-requests.ts';
import { promptTokens, type Usage } from '../../model/usage.ts';
import { setModelAndStream } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import { readOpenaiUsage } from '../openai/openai-usage.ts';

/** OpenAI's `/v1/embeddings`. Only input tokens are billed; vectors don't count as output. */
export const openaiEmbeddings: Dialect = {
  id: 'openai-embeddings',
  operation: 'embeddings',
  readFacts(body) {
    requireTextOrList(body, 'input');
    return { hasTools: false, maxOutputTokens: 0, choices: 1 };
  },
  prepare: setModelAndStream,
  readNonStreaming(answer) {
    const usage = objectOf(answer['usage']);
    // Voyage reports only the total, which equals the prompt.
    const prompt = usage['prompt_tokens'] ?? usage['total_tokens'];
    return { usage: readOpenaiUsage({ ...usage, prompt_tokens: prompt }), content: [], binaries: [] };
  },
  resultCount: (answer) => objectsIn(answer['data']).filter(hasVector).length,
  expectedResults,
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
  clientCodecs: { embeddings: { decodeRequest, encodeResponse } },
  upstreamCodecs: { embeddings: { encodeRequest, decodeResponse } },
};

/**
 * Returns whether a result has a vector: numbers, base64, several vectors for one text, or one in several types by
 * name.
 */
function hasVector({ embedding, embeddings }: JsonObject): boolean {
  const vector = embedding ?? embeddings;
  if (Array.isArray(vector))
    return vector.length > 0 && vector.every((value) => typeof value === 'number' || Array.isArray(value));
  return typeof vector === 'string' ? vector !== '' : Object.keys(objectOf(vector)).length > 0;
}

/**
 * Returns the number of expected vectors: one per text, or per list of tokens; other vendors' inputs may be parts of
 * one.
 */
function expectedResults({ input }: JsonObject): ResultRange {
  if (!Array.isArray(input) || input.every((one) => typeof one === 'number')) return { least: 1, most: 1 };
  const isPlain = input.every((one) => typeof one === 'string' || Array.isArray(one));
  return { least: isPlain ? input.length : 1, most: isPlain ? input.length : Number.POSITIVE_INFINITY };
}

const covered = new Set(['model', 'input', 'dimensions', 'encoding_format']);
const FLOAT_BYTES = 4;

function decodeRequest(body: JsonObject, _: ClientRequest, dropped: string[]): EmbeddingsRequest {
  const input = body['input'];
  const texts = (Array.isArray(input) ? input : [input]).filter((text) => typeof text === 'string');
  if (texts.length === 0 || (Array.isArray(input) && texts.length < input.length))
    throw new InvalidRequestError('This model accepts text, not token arrays.', 'input');
  for (const name of Object.keys(body)) if (!covered.has(name) && body[name] != null) dropped.push(name);
  return { texts, dimensions: numberOf(body['dimensions']) };
}

function encodeRequest({ texts, dimensions }: EmbeddingsRequest, model: string): Record<string, unknown> {
  return { model, input: texts, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) };
}

/** Returns the vectors sorted by index, in base64 if the upstream prefers that. */
function decodeResponse(answer: JsonObject, _: UnsupportedFields, vectors: readonly Buffer[]): Vector[] {
  const data = objectsIn(answer['data']);
  const sorted = data.toSorted((a, b) => (numberOf(a['index']) ?? 0) - (numberOf(b['index']) ?? 0));
  return sorted.map(({ embedding }) => (typeof embedding === 'string' ? embedding : findVector(embedding, vectors)));
}

/** Returns the detached vector at its place in a response. @throws UpstreamError `garbled` when it has no numbers */
export function findVector(place: unknown, vectors: readonly Buffer[]): Buffer {
  const vector = vectors[requireVector(place)];
  if (vector === undefined) throw withoutValues();
  return vector;
}

/** Returns the first number of a vector. @throws UpstreamError `garbled` when it has none */
export function requireVector(value: unknown): number {
  const [first] = listOf(value);
  if (typeof first !== 'number') throw withoutValues();
  return first;
}

function withoutValues(): UpstreamError {
  return garbledError('The upstream sent an embedding without values.');
}

function* encodeResponse(
  vectors: readonly Vector[],
  body: JsonObject,
  { facts }: ClientRequest,
  usage: Usage | undefined,
): Generator<Buffer> {
  const isBase64 = body['encoding_format'] === 'base64';
  const tokens = (usage && promptTokens(usage)) || facts.inputTokensEstimate;
  yield Buffer.from('{"object":"list","data":[');
  for (const [index, vector] of vectors.entries()) {
    yield Buffer.from(`${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":`);
    yield isBase64 ? writeFloats(vector) : writeNumbers(vector);
    yield Buffer.from('}');
  }
  const rest = { model: facts.model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  yield Buffer.from(`],${JSON.stringify(rest).slice(1)}`);
}

/** Returns the JSON of a vector as little-endian 32-bit floats in base64, which OpenAI's own clients request. */
function writeFloats(vector: Vector): Buffer {
  const values = readNumbers(vector);
  const bytes = Buffer.alloc(values.length * FLOAT_BYTES);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * FLOAT_BYTES);
  return Buffer.from(`"${bytes.toString('base64')}"`);
}

/** Returns the JSON of a vector as a list of numbers. @throws UpstreamError `garbled` when it contains anything else */
export function writeNumbers(vector: Vector): Buffer {
  const numbers = readNumbers(vector);
  return typeof vector === 'string' ? Buffer.from(JSON.stringify(numbers)) : vector;
}

function readNumbers(vector: Vector): number[] {
  const values = typeof vector === 'string' ? readFloats(vector) : listOf(parseJson(vector.toString('latin1')));
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === 0 || numbers.length < values.length) throw withoutValues();
  return numbers;
}

function readFloats(base64: string): number[] {
  if (base64.length > VECTOR_MAX_BYTES) throw tooLargeError('The upstream sent an embedding that is too large.');
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, index) =>
    bytes.readFloatLE(index * FLOAT_BYTES),
  );
}
