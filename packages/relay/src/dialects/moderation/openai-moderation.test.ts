import { expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { rawRequest, sampleTarget } from '../../testing/sample-requests.ts';

it('uses OpenAI’s default model for a request without one', () => {
  const request = rawRequest('openai-moderation', '{"input":"hi"}');
  expect(request.facts.model).toBe('omni-moderation-latest');
  const target = sampleTarget('openai', { model: request.facts.model });
  expect(JSON.parse(planExchange(request, target).body.toString())).toEqual({
    model: 'omni-moderation-latest',
    input: 'hi',
  });
});

it('counts reported usage, which most upstreams lack', () => {
  const answered = (body: object) => {
    const request = rawRequest('openai-moderation', '{"input":["a","b"]}');
    const reader = planExchange(request, sampleTarget('openai')).readResponse();
    reader.push(Buffer.from(JSON.stringify({ id: 'modr-1', results: [], ...body })));
    reader.end();
    return reader.meter;
  };
  expect(answered({}).usage).toBeUndefined();
  expect(answered({ usage: { prompt_tokens: 7, total_tokens: 7 } }).usage).toMatchObject({ input: 7 });
});

it('refuses a request without input', () => {
  expect(() => rawRequest('openai-moderation', '{"model":"m"}')).toThrow('input');
});

it('estimates an image by its size instead of its characters', () => {
  const url = `data:image/png;base64,${'A'.repeat(400_000)}`;
  const input = [
    { type: 'text', text: 'hi' },
    { type: 'image_url', image_url: { url } },
  ];
  const { facts } = rawRequest('openai-moderation', JSON.stringify({ input }));
  expect(facts.inputTokensEstimate).toBeLessThan(5_000);
});
