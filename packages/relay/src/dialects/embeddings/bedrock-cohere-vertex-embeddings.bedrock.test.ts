import { describe, expect, test } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

const ask = (model: string, fields: Record<string, unknown> = {}) =>
  planExchange(sampleRequest('openai-embeddings', fields), sampleTarget('bedrock', { model }));

function read(model: string, answer: unknown) {
  const reader = ask(model).readResponse();
  reader.push(Buffer.from(JSON.stringify(answer)));
  return { answer: JSON.parse(reader.end().toString()), usage: reader.meter.usage };
}

describe('embeddings from Bedrock', () => {
  test('embeds several texts at once with Cohere’s models', () => {
    const { body } = ask('cohere.embed-multilingual-v3', { input: ['a', 'b'], dimensions: 256 });
    const input = { texts: ['a', 'b'], input_type: 'search_document', output_dimension: 256 };
    expect(JSON.parse(String(body))).toEqual(input);
    for (const embeddings of [[[1, 2]], { float: [[1, 2]], int8: [[3, 4]] }])
      expect(read('cohere.embed-v4:0', { embeddings })).toMatchObject({
        answer: { data: [{ index: 0, embedding: [1, 2] }] },
        usage: undefined,
      });
  });

  test('embeds one text at a time with Amazon’s models and bills the reported tokens', () => {
    const { body } = ask('amazon.titan-embed-text-v2:0', { input: ['a'] });
    expect(JSON.parse(String(body))).toEqual({ inputText: 'a' });
    const titan = read('amazon.titan-embed-text-v2:0', { embedding: [1, 2], inputTextTokenCount: 3 });
    expect(titan).toMatchObject({ answer: { data: [{ embedding: [1, 2] }] }, usage: { input: 3 } });
  });

  test('refuses other models, and several texts for a model that takes one', () => {
    expect(() => ask('amazon.titan-embed-text-v2:0', { input: ['a', 'b'] })).toThrow(InvalidRequestError);
    expect(() => ask('amazon.nova-lite-v1:0')).toThrow(InvalidRequestError);
  });

  test.each([{ embedding: [] }, { embeddings: ['x'] }, { embeddings: { float: [null] } }])(
    'rejects a response with invalid vectors: %j',
    (answer) => {
      expect(() => read('cohere.embed-v4:0', answer)).toThrow('without values');
    },
  );
});
