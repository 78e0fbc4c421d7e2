import { describe, expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import type { ClientRequest } from '../../model/client-request.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { geminiRequest, sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

const google = sampleTarget('gemini', { model: 'gemini-embedding-001' });
const openai = sampleTarget('custom', { model: 'some-embedding' });
const route = { operation: 'embeddings', format: 'gemini-embeddings' } as const;
const content = { parts: [{ text: 'a' }] };

function answered(request: ClientRequest, target: typeof google, body: unknown): unknown {
  const reader = planExchange(request, target).readResponse();
  reader.push(Buffer.from(JSON.stringify(body)));
  return JSON.parse(reader.end().toString());
}

describe('an OpenAI client with Google’s embeddings', () => {
  it('sends a batch, and gets its vectors in order', () => {
    const request = sampleRequest('openai-embeddings', { input: ['a', 'b'], dimensions: 2, user: 'u' });
    const { url, body, dropped } = planExchange(request, google);
    expect(url).toMatch(/\/v1beta\/models\/gemini-embedding-001:batchEmbedContents$/);
    expect(JSON.parse(body.toString())).toEqual({
      requests: ['a', 'b'].map((text) => ({
        model: 'models/gemini-embedding-001',
        content: { parts: [{ text }] },
        outputDimensionality: 2,
      })),
    });
    expect(dropped).toEqual(['user']);
    const answer = { embeddings: [{ values: [0.5, -1] }, { values: [0.25, 2] }] };
    expect(answered(request, google, answer)).toMatchObject({
      object: 'list',
      data: [
        { index: 0, embedding: [0.5, -1] },
        { index: 1, embedding: [0.25, 2] },
      ],
      usage: { prompt_tokens: expect.any(Number) },
    });
  });

  it('gets base64 on request', () => {
    const request = sampleRequest('openai-embeddings', { input: 'a', encoding_format: 'base64' });
    const answer = { embeddings: [{ values: [0.5, -1] }] };
    const floats = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64');
    expect(answered(request, google, answer)).toMatchObject({ data: [{ embedding: floats }] });
  });

  it.each([[[1, 2]], [[[1], [2]]], [['a', 1]]])('is refused with tokens %j', (input) => {
    const request = sampleRequest('openai-embeddings', { input });
    expect(() => planExchange(request, google)).toThrow(InvalidRequestError);
  });

  it('gets a large response in parts, between which others are served', () => {
    const count = 400;
    const values = Array.from({ length: 3_072 }, (_, nth) => (nth - 1_500) / 7_000);
    for (const format of ['float', 'base64']) {
      const input = Array.from({ length: count }, () => 'a');
      const request = sampleRequest('openai-embeddings', { input, encoding_format: format });
      const reader = planExchange(request, google).readResponse();
      reader.push(Buffer.from(JSON.stringify({ embeddings: input.map(() => ({ values })) })));
      let parts = 1;
      while (reader.translatePart?.() === true) parts += 1;
      const bytes = reader.end();
      expect(bytes.length / parts).toBeLessThan(300_000);
      const { data } = JSON.parse(bytes.toString()) as { data: { embedding: unknown }[] };
      const floats = Buffer.from(new Float32Array(values).buffer).toString('base64');
      expect(data).toHaveLength(count);
      for (const { embedding } of [data[0], data[count - 1]].flatMap((one) => one ?? []))
        expect(embedding).toEqual(format === 'float' ? values : floats);
    }
  });

  it('gets an error for a vector of megabytes, which nobody waits for', () => {
    const request = sampleRequest('openai-embeddings');
    const values = Array.from({ length: 600_000 }, () => 0);
    expect(() => answered(request, google, { embeddings: [{ values }] })).toThrow('an embedding that is too large');
    const base64 = 'AAAA'.repeat(300_000);
    const batch = geminiRequest({ requests: [{ content }] }, route);
    expect(() => answered(batch, openai, { data: [{ embedding: base64 }] })).toThrow('an embedding that is too large');
  });

  it.each([{ embeddings: [{ values: ['x'] }] }, { embeddings: [null] }, { embeddings: [{ values: [1, 'x'] }] }])(
    'gets an error for invalid vectors %j',
    (answer) => {
      const request = sampleRequest('openai-embeddings');
      expect(() => answered(request, google, answer)).toThrow(expect.objectContaining({ kind: 'garbled' }));
    },
  );
});

describe('a Gemini client', () => {
  it('reaches Google unchanged, with the URL’s model in every request', () => {
    const one = geminiRequest({ content, taskType: 'RETRIEVAL_QUERY' }, route);
    const exchange = planExchange(one, google);
    expect(exchange.url).toMatch(/:embedContent$/);
    expect(exchange.body).toBe(one.body);
    const batch = geminiRequest({ requests: [{ model: 'models/other', content }] }, route);
    const { url, body } = planExchange(batch, google);
    expect(url).toMatch(/:batchEmbedContents$/);
    expect(JSON.parse(body.toString())).toEqual({ requests: [{ model: 'models/gemini-embedding-001', content }] });
  });

  it('gets one vector or a batch from an OpenAI upstream, even if that returns base64', () => {
    const one = geminiRequest({ content, output_dimensionality: 2, taskType: 'X' }, route);
    const { body, dropped } = planExchange(one, openai);
    expect(JSON.parse(body.toString())).toEqual({
      model: 'some-embedding',
      input: ['a'],
      encoding_format: 'float',
      dimensions: 2,
    });
    expect(dropped).toEqual(['taskType']);
    const floats = Buffer.from(new Float32Array([0.5]).buffer).toString('base64');
    expect(answered(one, openai, { data: [{ index: 0, embedding: floats }] })).toEqual({
      embedding: { values: [0.5] },
    });
    const batch = geminiRequest({ requests: [{ content }, { content }] }, route);
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    expect(answered(batch, openai, { data })).toEqual({ embeddings: [{ values: [1] }, { values: [2] }] });
  });

  it('gets one vector of a response with another one without values', () => {
    const one = geminiRequest({ content }, route);
    const data = [
      { index: 0, embedding: [0.5] },
      { index: 1, embedding: '' },
    ];
    expect(answered(one, openai, { data })).toEqual({ embedding: { values: [0.5] } });
    expect(() => answered(one, openai, { data: [{ embedding: 'AA==' }] })).toThrow('without values');
  });

  it('refuses content that other dialects cannot embed, and differing dimensions', () => {
    const refused = (body: unknown): unknown =>
      expect(() => planExchange(geminiRequest(body, route), openai)).toThrow(InvalidRequestError);
    refused({ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'A' } }] } });
    refused({ content: 'a' });
    refused({ requests: [{ content, outputDimensionality: 1 }, { content }] });
    refused({ requests: [] });
    refused({ requests: [null] });
  });
});
