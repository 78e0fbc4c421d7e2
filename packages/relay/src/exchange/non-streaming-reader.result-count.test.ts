import { describe, expect, it } from 'vitest';
import type { DialectId } from '../model/dialect-id.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

interface Call {
  provider: string;
  format: DialectId;
  fields: Record<string, unknown>;
  model?: string;
}

function answered({ provider, format, fields, model = 'vendor-model' }: Call, body: unknown): string {
  const reader = planExchange(sampleRequest(format, fields), sampleTarget(provider, { model })).readResponse();
  reader.push(Buffer.from(JSON.stringify(body)));
  return reader.end().toString();
}

const openai = (input: unknown, provider = 'custom'): Call => ({
  provider,
  format: 'openai-embeddings',
  fields: { input },
});
const gemini = (count: number, provider = 'gemini'): Call => ({
  provider,
  format: 'gemini-embeddings',
  fields: {
    content: undefined,
    requests: Array.from({ length: count }, () => ({ content: { parts: [{ text: 'one' }] } })),
  },
});
const ranking = (provider: string, format: DialectId = 'rerank'): Call => ({
  provider,
  format,
  fields: { query: 'which', documents: ['one', 'two', 'three'] },
});
const picture = (format: DialectId = 'openai-images'): Call => ({
  provider: 'custom',
  format,
  fields: format === 'openai-images' ? {} : { image: 'https://pictures.test/1' },
});
const vector = [0.5, -0.25];
const data = (...vectors: unknown[]) => ({
  data: vectors.map((embedding, index) => ({ index, embedding })),
  usage: { prompt_tokens: 3, total_tokens: 3 },
});
const results = (...indexes: number[]) => ({ results: indexes.map((index) => ({ index, relevance_score: 0.5 })) });

describe('accepts a response with the requested results', () => {
  const cases: readonly (readonly [string, Call, unknown])[] = [
    ['one vector for a text', openai('one'), data(vector)],
    ['two vectors for two texts', openai(['one', 'two']), data(vector, vector)],
    ['one vector for a list of tokens', openai([1, 2, 3]), data(vector)],
    ['two vectors for two lists of tokens', openai([[1], [2, 3]]), data(vector, vector)],
    ['a vector as base64', openai('one'), data('AAAAPwAAgL4=')],
    ['several vectors for one text', openai('one'), data([vector, vector])],
    ['a vector in two types', openai('one'), data({ float: vector, int8: [4, -2] })],
    ['one vector for pieces of several kinds', openai([{ text: 'one' }, { image: 'x' }]), data(vector)],
    ['a vector of zeros', openai('one'), data([0, 0])],
    ['a batch of Gemini’s', gemini(2), { embeddings: [{ values: vector }, { values: vector }] }],
    ['some of the documents', ranking('custom'), results(2)],
    ['all of the documents', ranking('custom'), results(2, 0, 1)],
    ['Voyage’s list of documents', ranking('voyage'), { data: [{ index: 0, relevance_score: 0.1 }] }],
    ['Cohere’s', ranking('cohere'), results(1)],
    ['one picture', picture(), { data: [{ url: 'https://pictures.test/1' }] }],
    ['pictures under another name', picture(), { images: [{ url: 'https://pictures.test/1' }] }],
  ];
  it.each(cases)('%s', (_what, call, body) => {
    expect(answered(call, body)).not.toBe('');
  });
});

describe('refuses a response without the requested results', () => {
  const cases: readonly (readonly [string, Call, unknown])[] = [
    ['an empty list', openai('one'), data()],
    ['no list', openai('one'), { usage: { prompt_tokens: 3 } }],
    ['nothing', openai('one'), {}],
    ['an empty list beside a message', openai('one'), { message: 'no', data: [] }],
    ['an entry without a vector', openai('one'), { data: [{ index: 0 }] }],
    ['an empty vector', openai('one'), data([])],
    ['an empty base64', openai('one'), data('')],
    ['a vector of nulls', openai('one'), data([null, null])],
    ['one vector for two texts', openai(['one', 'two']), data(vector)],
    ['three vectors for two texts', openai(['one', 'two']), data(vector, vector, vector)],
    ['one good vector of two', openai(['one', 'two']), data(vector, [])],
    ['an error where a list was expected', openai('one'), { error: { message: 'Overloaded' } }],
    ['an error in an odd form', openai('one'), { code: 500, msg: 'failed' }],
    ['Gemini’s with too few', openai(['one', 'two'], 'gemini'), { embeddings: [{ values: vector }] }],
    ['Gemini’s own without any', gemini(2), { embeddings: [] }],
    ['Gemini’s own with too few', gemini(2), { embeddings: [{ values: vector }] }],
    ['Vertex’s without any', openai('one', 'vertex'), { predictions: [] }],
    ['Cohere’s without any', openai('one', 'cohere'), { embeddings: { float: [] } }],
    ['Cohere’s with too few', openai(['one', 'two'], 'cohere'), { embeddings: { float: [vector] } }],
    ['a ranking of nothing', ranking('custom'), { results: [] }],
    ['no ranking', ranking('custom'), { id: 'x' }],
    ['a ranking of more documents than there are', ranking('custom'), results(0, 1, 2, 3)],
    ['a ranking without scores', ranking('custom'), { results: [{ index: 0 }] }],
    ['Cohere’s ranking of nothing', ranking('cohere'), { results: [] }],
    ['no picture', picture(), { created: 1, data: [] }],
    ['a picture without an address', picture(), { data: [{ url: '' }] }],
    ['no list of pictures', picture(), { created: 1 }],
    ['a ranking of nothing for Cohere’s clients', ranking('custom', 'cohere-rerank'), { results: [] }],
  ];
  it.each(cases)('%s', (_what, call, body) => {
    expect(() => answered(call, body)).toThrow(expect.objectContaining({ name: 'UpstreamError' }));
  });
});
