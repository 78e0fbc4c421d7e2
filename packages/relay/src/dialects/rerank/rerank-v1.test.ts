import { describe, expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { emptyUsage } from '../../model/usage.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

function answered(body: object) {
  const reader = planExchange(sampleRequest('rerank'), sampleTarget('custom')).readResponse();
  reader.push(Buffer.from(JSON.stringify(body)));
  return { json: JSON.parse(reader.end().toString()), usage: reader.meter.usage };
}
const results = [{ index: 0, relevance_score: 0.9 }];

describe('a rerank response', () => {
  it.each([
    ['Jina’s', { usage: { total_tokens: 815 } }],
    ['SiliconFlow’s', { meta: { tokens: { input_tokens: 815, output_tokens: 0 } } }],
    ['one for Cohere’s clients', { meta: { billed_units: { input_tokens: 815 } } }],
  ])('of %s reports its tokens to both kinds of clients', (_, said) => {
    const { json, usage } = answered({ results, ...said });
    expect(usage).toMatchObject({ input: 815 });
    expect(json).toMatchObject({
      results,
      usage: { total_tokens: 815 },
      meta: { billed_units: { input_tokens: 815 } },
    });
  });

  it.each([
    [
      'Voyage’s',
      { object: 'list', data: [{ relevance_score: 0.9, index: 0, document: 'hello' }], usage: { total_tokens: 6 } },
    ],
    ['Mixedbread’s', { object: 'list', data: [{ index: 0, score: 0.9, input: 'hello', object: 'rank' }] }],
  ])('of %s lists its results where clients expect them', (_, body) => {
    const { json } = answered(body);
    expect(json.results).toEqual([{ index: 0, relevance_score: 0.9, document: { text: 'hello' } }]);
    expect(json).not.toHaveProperty('data');
  });

  it.each([[{ data: [null, 1] }], [{ data: { x: 1 } }]])('is refused without results: %j', (body) => {
    expect(() => answered(body)).toThrow('sent 0 results');
  });

  it('forwards Cohere’s response unchanged and counts its searches', () => {
    const body = { id: 'x', results, meta: { billed_units: { search_units: 1 } } };
    expect(answered(body)).toEqual({ json: body, usage: { ...emptyUsage(), search: 1 } });
  });
});

it('expects the query to be read with every document', () => {
  const tokens = (count: number) =>
    sampleRequest('rerank', { query: 'word '.repeat(100), documents: Array.from({ length: count }, () => 'short') })
      .facts.inputTokensEstimate;
  expect(tokens(10)).toBeGreaterThan(tokens(1) * 8);
});

describe('the expected searches', () => {
  const expectSearches = (query: string, documents: unknown[], more = {}) =>
    sampleRequest('rerank', { query, documents, ...more }).facts.expected;
  const repeat = (count: number, document: unknown) => Array.from({ length: count }, () => document);
  const long = 'word '.repeat(4_000);

  it.each([
    [100, 'short', 1],
    [101, 'short', 2],
    [100, { text: 'short' }, 1],
    [1, long, 1],
  ])('are counted by the documents: %i', (count, document, search) => {
    expect(expectSearches('hi', repeat(count, document))?.usage.search).toBe(search);
  });

  it('estimates the chunks of long documents, whose query is read with each', () => {
    const documents = repeat(100, long);
    expect(expectSearches('hi', repeat(100, 'short'))?.isCounted).toBe(true);
    expect(expectSearches('hi', documents)).toMatchObject({ isCounted: false, usage: { search: 9 } });
    expect(expectSearches('hi', repeat(100, { text: long }))?.usage.search).toBe(9);
    expect(expectSearches('word '.repeat(1_000), documents)?.usage.search).toBe(17);
    expect(expectSearches('hi', documents, { max_tokens_per_doc: 1_000_000 })?.usage.search).toBeGreaterThan(9);
    expect(expectSearches('hi', documents, { max_tokens_per_doc: 1 })?.usage.search).toBe(9);
  });
});

it.each([[{ query: 1 }], [{ documents: [] }], [{ documents: 'x' }]])('refuses a request with %j', (fields) => {
  expect(() => sampleRequest('rerank', fields)).toThrow();
});

it('repeats the text of a document once, however often the upstream ranks it', () => {
  const documents = ['x'.repeat(100_000), ...Array.from({ length: 99 }, () => 'short')];
  const request = sampleRequest('rerank', { documents, return_documents: true });
  const reader = planExchange(request, sampleTarget('cohere')).readResponse();
  const ranked = Array.from({ length: 100 }, () => ({ index: 0, relevance_score: 0.9 }));
  reader.push(Buffer.from(JSON.stringify({ id: 'x', results: ranked, meta: { billed_units: { search_units: 1 } } })));
  const { results: shown } = JSON.parse(reader.end().toString());
  expect(shown).toEqual([{ index: 0, relevance_score: 0.9, document: { text: documents[0] } }]);
});
