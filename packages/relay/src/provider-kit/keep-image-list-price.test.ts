import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { providers } from '../providers.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

function plan(provider: string, model: string, fields: object) {
  const request = sampleRequest('openai-images', { image: undefined, seed: 7, ...fields });
  const { body, dropped } = planExchange(request, sampleTarget(provider, { model }));
  const text = body.toString().replaceAll(/form-[\w-]{36}/g, 'form');
  const sent: unknown = text.startsWith('{') ? JSON.parse(text) : text;
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
    ['fal', 'fal-ai/ideogram/v3', { rendering_speed: 'QUALITY' }],
    ['recraft', 'recraftv3', { style: 'vector_illustration' }],
    ['recraft', 'recraftv3', { style: 'Vector art', style_id: 'own' }],
    ['volcengine', 'doubao-seedream-5-0-lite', { tools: [{ type: 'web_search' }] }],
    ['byteplus', 'seedream-5-0-lite', { tools: [{ type: 'web_search' }] }],
    ['vercel', 'xai/grok-imagine-image', { providerOptions: { xai: { resolution: '2k' } } }],
    ['siliconflow', 'Kwai-Kolors/Kolors', { batch_size: 4 }],
    ['replicate', 'black-forest-labs/flux-2-pro', { input_images: ['https://a.example/1.png'] }],
    ['fal', 'fal-ai/flux-2-pro/edit', { image_urls: ['https://a.example/1.png'] }],
    ['together', 'black-forest-labs/FLUX.2-pro', { reference_images: ['https://a.example/1.png'] }],
    ['bfl', 'flux-2-pro', { input_image: 'aGk=' }],
    ['deepinfra', 'black-forest-labs/FLUX-1-dev', { num_inference_steps: 100 }],
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
    ['fal', 'fal-ai/flux/dev', { guidance_scale: 3, loras: [{ path: 'https://a.test/l' }], acceleration: 'regular' }],
    ['recraft', 'recraftv3', { style: 'digital_illustration', controls: { no_text: true } }],
    ['recraft', 'recraftv3_vector', { style: 'vector_illustration', style_id: 'own' }],
    ['volcengine', 'doubao-seedream-5-0-lite', { watermark: false, sequential_image_generation: 'auto' }],
    ['zhipu', 'cogview-4', { watermark_enabled: false }],
    ['localai', 'flux.1-dev', { step: 50 }],
    ['custom', 'my-model', { num_inference_steps: 50, anything: true }],
  ])('sends %s for %s options of the list price: %j', (provider, model, fields) => {
    expect(plan(provider, model, fields)).toMatchObject({ sent: { seed: 7, ...fields }, dropped: [] });
  });

  it('keeps the options of a prediction that cost the list price', () => {
    const fields = { resolution: '1K', google_search: false, aspect_ratio: '16:9' };
    expect(plan('replicate', 'google/nano-banana-2', fields)).toMatchObject({ sent: { input: fields }, dropped: [] });
  });

  const ownServers = new Set(['custom', 'localai', 'one-api', 'xinference']);
  // These refuse unknown options themselves.
  const strict = new Set(['openai', 'azure', 'azure-v1']);
  const others = providers.filter(({ id, endpoints }) => endpoints.images && !ownServers.has(id) && !strict.has(id));

  it.each(others.map(({ id }) => id))('removes options that are not known to cost nothing: %s', (id) => {
    const unknown = { turbo_quality: 'max', upscale: 4, constructor: 1 };
    const options = Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`option_${nth}`, nth]));
    const model = id === 'midjourney' ? 'mj_imagine' : 'vendor/model';
    const { sent, dropped } = plan(id, model, unknown);
    expect(dropped).toEqual(expect.arrayContaining(Object.keys(unknown)));
    expect(sent).toEqual(plan(id, model, {}).sent);
    expect(plan(id, model, options).sent).toEqual(sent);
  });
});
