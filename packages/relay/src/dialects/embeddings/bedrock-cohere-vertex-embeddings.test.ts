import { describe, expect, test } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';
import { vertexEmbeddings } from './bedrock-cohere-vertex-embeddings.ts';

function usageOf(answer: Record<string, unknown>): number | undefined {
  return vertexEmbeddings.readNonStreaming(answer, { add: () => {} }, {}).usage?.input;
}

describe('a response with vectors', () => {
  test.each([
    [{ predictions: [{ embeddings: { values: [1], statistics: { token_count: 3 } } }] }, 3],
    [
      {
        predictions: [
          { embeddings: { statistics: { token_count: 1e308 } } },
          { embeddings: { statistics: { token_count: 1e308 } } },
        ],
      },
      100_000_000,
    ],
    [{ predictions: [{ embeddings: { statistics: { token_count: '3' } } }] }, 0],
    [{ predictions: [{ embeddings: { values: [1] } }] }, undefined],
    [{ predictions: 'none' }, undefined],
  ])('bills the counted tokens of each text (%#)', (answer, tokens) => {
    expect(usageOf(answer)).toBe(tokens);
  });

  test('refuses a response without values', () => {
    const reader = planExchange(sampleRequest('openai-embeddings'), sampleTarget('vertex')).readResponse();
    reader.push(Buffer.from('{"predictions":[{"embeddings":{"values":["x"]}}]}'));
    expect(() => reader.end()).toThrow('without values');
  });
});
