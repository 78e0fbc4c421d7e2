import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const serviceAccount = JSON.stringify({ type: 'service_account', project_id: 'p' });

function planned(model: string, format: DialectId, fields: Record<string, unknown>) {
  const exchange = planExchange(sampleRequest(format, fields), sampleTarget('vertex', { model }));
  const read = (answer: object) => {
    const reader = exchange.readResponse();
    reader.push(Buffer.from(JSON.stringify(answer)));
    return { json: JSON.parse(reader.end().toString()), usage: reader.meter.usage };
  };
  return { url: exchange.url, sent: JSON.parse(exchange.body.toString()), read };
}
const content = { parts: [{ text: 'a red kite' }] };
const answer = { embedding: { values: [0.25, -0.5] }, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } };

describe('a Gemini embedding model', () => {
  it.each(['gemini-embedding-2', 'gemini-embedding-2-preview', 'google/gemini-embedding-3'])(
    'named %s embeds one text, and bills the reported tokens',
    (model) => {
      const { url, sent, read } = planned(model, 'openai-embeddings', { input: 'a red kite', dimensions: 256 });
      expect(url).toMatch(/\/gemini-embedding-[\w-]+:embedContent$/);
      expect(sent).toEqual({ content, embedContentConfig: { outputDimensionality: 256 } });
      const { json, usage } = read(answer);
      expect(json).toMatchObject({ data: [{ index: 0, embedding: [0.25, -0.5] }], usage: { prompt_tokens: 4 } });
      expect(usage).toMatchObject({ input: 4 });
    },
  );

  it('gets a Gemini client’s request unchanged', () => {
    const { sent, read } = planned('gemini-embedding-2', 'gemini-embeddings', { content });
    expect(sent).toEqual({ content });
    expect(read(answer).json).toEqual(answer);
  });

  it('returns a batch of one as a batch', () => {
    const { sent, read } = planned('gemini-embedding-2', 'gemini-embeddings', {
      content: undefined,
      requests: [{ content, taskType: 'RETRIEVAL_QUERY' }],
    });
    expect(sent).toEqual({ content, taskType: 'RETRIEVAL_QUERY' });
    expect(read(answer)).toMatchObject({ json: { embeddings: [answer.embedding] }, usage: { input: 4 } });
  });

  it.each([
    ['openai-embeddings', { input: ['a red kite', 'a heron', 'a swift'] }],
    [
      'gemini-embeddings',
      {
        content: undefined,
        requests: ['a red kite', 'a heron', 'a swift'].map((text) => ({ content: { parts: [{ text }] } })),
      },
    ],
  ] as const)('embeds several texts one by one (%s)', (format, fields) => {
    const exchange = planExchange(
      sampleRequest(format, fields),
      sampleTarget('vertex', { model: 'gemini-embedding-2' }),
    );
    const bodies = exchange.calls?.bodies.map((body): unknown => JSON.parse(body.toString()));
    expect(bodies).toEqual(['a red kite', 'a heron', 'a swift'].map((text) => ({ content: { parts: [{ text }] } })));
    const answers = exchange.calls?.join();
    for (const nth of [2, 0, 1])
      expect(answers?.add(nth, Buffer.from(JSON.stringify({ embedding: { values: [nth] } })))).toBe(true);
    const reader = exchange.readResponse();
    reader.push(answers?.end() ?? Buffer.from(''));
    const json = JSON.parse(reader.end().toString()) as { data?: unknown; embeddings?: unknown };
    expect(json.data ?? json.embeddings).toMatchObject(
      format === 'openai-embeddings'
        ? [0, 1, 2].map((index) => ({ index, embedding: [index] }))
        : [0, 1, 2].map((nth) => ({ values: [nth] })),
    );
  });

  it.each([
    [{ input: Array.from({ length: 2_049 }, () => 'x'), dimensions: 128 }, '2048 texts'],
    [{ input: Array.from({ length: 1_366 }, () => 'x') }, '1365 texts'],
  ])('refuses more texts than a response can hold', (fields, words) => {
    expect(() => planned('gemini-embedding-2', 'openai-embeddings', fields)).toThrow(words);
  });
});

it.each(['gemini-embedding-001', 'text-embedding-005', 'text-multilingual-embedding-002'])(
  'uses predict for %s',
  (model) => {
    const { url, sent } = planned(model, 'openai-embeddings', { input: 'a red kite' });
    expect(url).toMatch(/:predict$/);
    expect(sent).toEqual({ instances: [{ content: 'a red kite' }] });
  },
);

describe('model names', () => {
  it.each([
    ['cheap', 'publishers/google/models/cheap'],
    ['google/cheap', 'publishers/google/models/cheap'],
    ['publishers/google/models/cheap', 'publishers/google/models/cheap'],
    ['endpoints/123', 'endpoints/123'],
  ])('accepts the name %s', (model, resource) => {
    expect(planned(model, 'gemini', {}).url).toContain(`/v1beta1/${resource}:`);
  });

  it.each([
    'google/cheap/dear',
    'google/cheap/../dear',
    'google/cheap/endpoints/123',
    'google/models/dear',
    'publishers/google/dear',
    'publishers/google/models/cheap/dear',
    'endpoints/1/2',
    'google/',
  ])('refuses %s, whose last part would be served at the price of its first', (model) => {
    expect(() => planned(model, 'gemini', {})).toThrow(`The model "${model}" is not one of Google's.`);
  });

  it('refuses another publisher’s model for embeddings', () => {
    expect(() => planned('cheap/text-embedding-005', 'openai-embeddings', {})).toThrow('is not one of Google');
  });

  it('keeps anthropic/ in the middle of a Claude model’s name', () => {
    const target = sampleTarget('vertex', {
      model: 'claude-anthropic/opus-4-5',
      credentials: { key: serviceAccount, accessToken: 'token' },
    });
    expect(planExchange(sampleRequest('anthropic-messages'), target).url).toContain('/claude-anthropic%2Fopus-4-5:');
  });
});
