import { expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { rawRequest, sampleTarget } from '../../testing/samples.ts';

it('a moderation without a model is asked of the one that OpenAI would take', () => {
  const request = rawRequest('openai-moderation', '{"input":"hi"}');
  expect(request.facts.model).toBe('omni-moderation-latest');
  const target = sampleTarget('openai', { model: request.facts.model });
  expect(JSON.parse(planExchange(request, target).body.toString())).toEqual({
    model: 'omni-moderation-latest',
    input: 'hi',
  });
});

it('a moderation counts what its upstream reports, which most do not', () => {
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

it('a moderation of nothing is refused', () => {
  expect(() => rawRequest('openai-moderation', '{"model":"m"}')).toThrow('input');
});

it('a picture to moderate is expected to cost what a picture costs, not its letters', () => {
  const url = `data:image/png;base64,${'A'.repeat(400_000)}`;
  const input = [
    { type: 'text', text: 'hi' },
    { type: 'image_url', image_url: { url } },
  ];
  const { facts } = rawRequest('openai-moderation', JSON.stringify({ input }));
  expect(facts.inputTokensEstimate).toBeLessThan(5_000);
});
