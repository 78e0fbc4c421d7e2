/** Images are priced by the size and the quality that the vendor gets; other fields don't matter. */
import { describe, expect, test } from 'vitest';
import { adjustToTarget } from './exchange/expected-usage-at-target.ts';
import { canServe, planExchange } from './exchange/plan-exchange.ts';
import type { ClientRequest } from './model/client-request.ts';
import type { UpstreamDialectId } from './model/dialect-id.ts';
import type { Target } from './model/provider.ts';
import { providers } from './providers.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

const url = 'https://pictures.test/cat.png';

/** A response with one image, by the dialect of the upstream; other dialects have OpenAI's. */
const responses: Partial<Record<UpstreamDialectId, object>> = {
  'replicate-images': { output: [url] },
  'bfl-images': { status: 'Ready', result: { sample: url } },
  'kling-images': { code: 0, data: { task_status: 'succeed', task_result: { images: [{ url }] } } },
  'midjourney-images': { status: 'SUCCESS', imageUrl: url },
  'fal-images': { images: [{ url }] },
  'stability-images': { image: 'QUJD' },
};

/** Models that get other fields than the others of their provider. */
const models: Readonly<Record<string, readonly string[]>> = {
  xai: ['grok-imagine-image', 'grok-imagine-image-2.0'],
  bfl: ['flux-2-pro', 'flux-kontext-max', 'flux-pro-1.1-ultra'],
  ideogram: ['ideogram-v3', 'ideogram-v3-turbo'],
  replicate: ['openai/gpt-image-1.5'],
  fal: ['fal-ai/gpt-image-1.5'],
  midjourney: ['mj_imagine'],
};

const clients = ['openai-images', 'openai-image-edits', 'openai-image-variations'] as const;
const channels = providers.flatMap(({ id }) =>
  (models[id] ?? ['vendor-model']).flatMap((model) =>
    clients
      .filter((format) => canServe(sampleTarget(id), model, { operation: 'images', format }))
      .map((format) => [id, model, format] as const),
  ),
);

/** Returns the outgoing body without the boundary of its form, and the names of the removed fields. */
function send(request: ClientRequest, target: Target): { body: string; dropped: readonly string[] } {
  const { body, dropped } = planExchange(request, target);
  return { body: body.toString().replaceAll(/form-[\w-]{36}/g, 'form'), dropped };
}

function readCharged(request: ClientRequest, target: Target): string | undefined {
  const reader = planExchange(request, target).readResponse({ 'content-type': 'application/json' });
  const format = target.provider.endpoints.images?.map((endpoint) => endpoint.format).find((one) => responses[one]);
  reader.push(Buffer.from(JSON.stringify(format === undefined ? { data: [{ url }] } : responses[format])));
  reader.end();
  return reader.meter.usage?.imageVariant;
}

describe.each(channels)('%s with %s (%s)', (id, model, format) => {
  const sample = sampleTarget(id, { model });
  const target = { ...sample, options: { ...sample.options, fileUrls: 'pass' } };
  const picture = format === 'openai-images' ? { image: undefined } : {};
  const createRequest = (fields: object) => sampleRequest(format, { ...picture, ...fields });
  const without = send(createRequest({}), target);

  const isSent = (field: string, fields: object): boolean => {
    const { body, dropped } = send(createRequest(fields), target);
    const isDropped = dropped.includes(field);
    // A ratio may replace an unsupported size, but every loss must be reported.
    expect(isDropped || body !== without.body).toBe(true);
    return !isDropped;
  };

  test.each<object>([
    { size: '1536x1024' },
    { image_size: '1536x1024' },
    { width: 1536, height: 1024 },
    { quality: 'high' },
    { quality: 'hd' },
    { quality: 'low' },
    { size: '1536x1024', quality: 'high' },
    { size: '1536x1024', quality: 'auto' },
  ])('holds and charges only what it gets: %j', (fields) => {
    const { quality, ...sized } = { quality: 'auto', ...fields };
    const size = Object.keys(sized).length > 0 && isSent('size', sized) ? '1536x1024' : '1024x1024';
    const variant = quality !== 'auto' && isSent('quality', { quality }) ? `${size}/${quality}` : size;
    const request = createRequest(fields);
    expect(adjustToTarget(request, target).facts.expected?.usage.imageVariant).toBe(variant);
    expect(readCharged(request, target)).toBe(variant);
  });
});

test('a size or quality that an operator’s change removes has no price', () => {
  const change = { models: [], rename: {}, remove: ['quality'], defaults: {}, set: {} };
  const changes = { systemAsUser: false, streaming: 'as-asked', bodies: [change] } as const;
  const request = sampleRequest('openai-images', { image: undefined, quality: 'low', size: '1536x1024' });
  expect(readCharged(request, sampleTarget('openai', { changes }))).toBe('1536x1024');
});
