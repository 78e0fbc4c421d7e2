import { expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

const sent = (fields: object) =>
  planExchange(
    sampleRequest('openai-images', { image: undefined, ...fields }),
    sampleTarget('fal', { model: 'fal-ai/nano-banana-2' }),
  );

it.each([
  ['image_size', 'landscape_16_9'],
  ['num_images', 4],
  ['sync_mode', true],
  ['resolution', '4K'],
  ['enable_web_search', true],
  ['thinking_level', 'high'],
])('does not pass on %s, which the price does not see, and reports it', (field, value) => {
  const { body, dropped } = sent({ [field]: value, seed: 7 });
  expect(JSON.parse(body.toString())).toEqual({ prompt: 'a cat', seed: 7 });
  expect(dropped).toEqual([field]);
});

it('sends the size and the number that the price counts', () => {
  const { body, dropped } = sent({ n: 2, size: '1024x1536', resolution: '4K' });
  expect(JSON.parse(body.toString())).toEqual({
    prompt: 'a cat',
    num_images: 2,
    image_size: { width: 1024, height: 1536 },
  });
  expect(dropped).toEqual(['resolution']);
});
