import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/samples.ts';

function plan(provider: string, model: string, fields: object) {
  const request = sampleRequest('openai-images', { image: undefined, seed: 7, ...fields });
  const { body, dropped } = planExchange(request, sampleTarget(provider, { model }));
  const sent: unknown = JSON.parse(body.toString());
  return { sent, dropped };
}

describe('keepImageListPrice', () => {
  it.each([
    ['xai', 'grok-imagine-image', { resolution: '2k' }],
    ['xai', 'grok-imagine-image', { resolution: ['2k'] }],
    ['xai', 'grok-imagine-image', { quality: 'medium' }],
    ['together', 'black-forest-labs/FLUX.1-dev', { steps: 50 }],
    ['together', 'black-forest-labs/FLUX.1-dev', { steps: '50' }],
    ['replicate', 'google/nano-banana-2', { resolution: '4K', google_search: true, image_search: true }],
    ['replicate', 'black-forest-labs/flux-2-pro', { resolution: '4 MP' }],
    ['fal', 'fal-ai/nano-banana-2', { resolution: '4K', enable_web_search: true, thinking_level: 'high' }],
  ])('removes options that raise the price at %s for %s, and reports them: %j', (provider, model, fields) => {
    const { sent, dropped } = plan(provider, model, fields);
    expect(dropped).toEqual(Object.keys(fields));
    expect(sent).toEqual(plan(provider, model, {}).sent);
  });

  it.each([
    ['xai', 'grok-imagine-image', { resolution: '1k' }],
    ['xai', 'grok-imagine-image-2.0', { quality: 'low' }],
    ['together', 'black-forest-labs/FLUX.1-schnell', { steps: 4 }],
    ['fal', 'fal-ai/nano-banana-2', { resolution: '1K', enable_web_search: false }],
  ])('sends %s for %s options of the list price: %j', (provider, model, fields) => {
    expect(plan(provider, model, fields)).toMatchObject({ sent: { seed: 7, ...fields }, dropped: [] });
  });

  it('keeps the options of a prediction that cost the list price', () => {
    const fields = { resolution: '1K', google_search: false, aspect_ratio: '16:9' };
    expect(plan('replicate', 'google/nano-banana-2', fields)).toMatchObject({ sent: { input: fields }, dropped: [] });
  });
});
