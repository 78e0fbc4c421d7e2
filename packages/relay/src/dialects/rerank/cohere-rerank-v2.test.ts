import { describe, expect, it } from 'vitest';
import { getDialect } from '../../exchange/dialect-registry.ts';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

const fields = {
  query: 'Which stone floats?',
  documents: ['pumice', { text: 'basalt' }],
  top_n: 1,
  max_tokens_per_doc: 512,
};

function exchanged(provider: string, body: unknown) {
  const target = sampleTarget(provider, { model: 'ranker-at-vendor' });
  const exchange = planExchange(sampleRequest('cohere-rerank', fields), target);
  const reader = exchange.readResponse();
  reader.push(Buffer.from(JSON.stringify(body)));
  return {
    ...exchange,
    sent: JSON.parse(exchange.body.toString()),
    json: JSON.parse(reader.end().toString()),
    usage: reader.meter.usage,
  };
}

describe('a request of Cohere’s clients', () => {
  it('reaches Cohere unchanged, and so does its response', () => {
    const answer = {
      id: 'r-1',
      results: [{ index: 0, relevance_score: 0.93 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    };
    const { url, sent, json, usage } = exchanged('cohere', answer);
    expect(url).toMatch(/\/v2\/rerank$/);
    expect(sent).toEqual({ ...fields, model: 'ranker-at-vendor' });
    expect(json).toEqual(answer);
    expect(usage).toMatchObject({ search: 1 });
  });

  it.each([
    ['jina', { results: [{ index: 0, relevance_score: 0.93, document: { text: 'pumice' } }] }],
    ['voyage', { data: [{ index: 0, relevance_score: 0.93 }] }],
    ['mixedbread', { data: [{ index: 0, score: 0.93, input: 'pumice' }] }],
  ])('is translated for %s, and its response to Cohere’s form', (provider, answer) => {
    const { url, sent, json, usage, dropped } = exchanged(provider, { ...answer, usage: { total_tokens: 21 } });
    expect(url).toMatch(/\/v1\/rerank/);
    expect(sent['documents'] ?? sent['input']).toEqual(['pumice', 'basalt']);
    expect(sent['model']).toBe('ranker-at-vendor');
    expect(json).toEqual({
      id: expect.stringMatching(/./),
      results: [{ index: 0, relevance_score: 0.93 }],
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 21 } },
    });
    expect(usage).toMatchObject({ input: 21 });
    expect(dropped).toEqual(['max_tokens_per_doc']);
  });

  it('gets an error in Cohere’s form', () => {
    const error = { status: 429, message: 'Slow down', code: 'rate_limited' };
    expect(JSON.parse(getDialect('cohere-rerank').encodeError(error))).toEqual({ message: 'Slow down' });
  });

  it.each([[{ query: 7 }], [{ documents: [] }], [{ documents: 'one' }]])('with %j is refused', (wrong) => {
    expect(() => sampleRequest('cohere-rerank', wrong)).toThrow();
  });
});
