import { describe, expect, it } from 'vitest';
import { adjustToTarget } from '../../exchange/expected-usage-at-target.ts';
import { planExchange } from '../../exchange/plan-exchange.ts';
import type { ResponseReader } from '../../model/upstream-exchange.ts';
import { formRequest, sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

const reader = (fields = {}): ResponseReader =>
  planExchange(sampleRequest('openai-images', fields), sampleTarget('openai')).readResponse();
const usage = {
  total_tokens: 1_180,
  input_tokens: 50,
  output_tokens: 1_130,
  input_tokens_details: { text_tokens: 10, image_tokens: 30, cached_tokens: 10 },
};
const counted = { input: 10, cachedRead: 10, imageInput: 30, imageOutput: 1_130, output: 0 };

function whole(body: object, fields = {}) {
  const answer = reader(fields);
  answer.push(Buffer.from(JSON.stringify({ created: 1, ...body })));
  answer.end();
  return answer.meter;
}

describe('a non-streaming response', () => {
  it('meters images with the reported size and quality, and disjoint tokens', () => {
    const data = [{ b64_json: 'AAAA' }, { url: 'https://pictures.test/1' }, {}];
    const meter = whole({ data, size: '1024x1536', quality: 'high', usage }, { size: 'auto' });
    expect(meter).toMatchObject({ finished: true, usage: { image: 2, imageVariant: '1024x1536/high', ...counted } });
  });

  it('meters cached images separately', () => {
    const kinds = { text_tokens: 20, image_tokens: 30, cached_tokens: 10 };
    const input_tokens_details = { ...kinds, cached_tokens_details: { text_tokens: 4, image_tokens: 6 } };
    const data = [{ b64_json: 'AAAA' }];
    const cached = { input: 16, cachedRead: 4, cachedImageInput: 6, imageInput: 24 };
    expect(whole({ data, usage: { ...usage, input_tokens_details } }).usage).toMatchObject(cached);
  });

  it('prices a response without usage by the size and quality of the request', () => {
    const variant = (fields: object) => whole({ data: [{ url: 'x' }] }, fields).usage?.imageVariant;
    expect(variant({})).toBe('1024x1024');
    expect(variant({ size: '256x256' })).toBe('256x256');
    expect(variant({ quality: 'hd' })).toBe('1024x1024/hd');
    expect(variant({ size: 'auto', quality: null })).toBe('1024x1024');
    expect(variant({ size: '2048*1024' })).toBe('2048x1024');
    expect(variant({ width: 2048, height: 1024 })).toBe('2048x1024');
  });

  it('counts the searches that Volcengine reports', () => {
    const tool_usage = { web_search: 7 };
    const meter = whole({ data: [{ url: 'x' }], usage: { generated_images: 1, output_tokens: 4_096, tool_usage } });
    expect(meter.usage).toMatchObject({ image: 1, imageOutput: 4_096, webSearch: 7 });
  });

  it('reads and writes images under another field name', () => {
    const answer = reader();
    answer.push(Buffer.from(JSON.stringify({ images: [{ url: 'x' }, { url: 'y' }], seed: 7 })));
    expect(JSON.parse(answer.end().toString())).toMatchObject({ data: [{ url: 'x' }, { url: 'y' }], seed: 7 });
    expect(answer.meter.usage).toMatchObject({ image: 2 });
  });

  it('meters text tokens separately when the response contains text', () => {
    const meter = whole({
      data: [{ b64_json: 'AAAA' }],
      usage: { ...usage, output_tokens_details: { image_tokens: 1_000, text_tokens: 130 } },
    });
    expect(meter.usage).toMatchObject({ imageOutput: 1_000, output: 130 });
  });

  it.each([[{ usage: 'x' }], [{ usage: { input_tokens: '9', output_tokens: -1, input_tokens_details: [] } }]])(
    'counts only the image if the usage is empty: %j',
    (body) => {
      const data = [null, 7, { url: 'https://pictures.test/1' }];
      expect(whole({ data, ...body }).usage).toMatchObject({ image: 1, input: 0, imageOutput: 0 });
    },
  );

  it.each([
    {},
    { data: 'x' },
    { data: null },
    { data: [] },
    { data: [null, 7, {}] },
    { data: [{ url: '' }, { b64_json: '', url: null }] },
    { data: [], usage },
    { images: [] },
  ])('is refused without an image: %j', (body) => {
    expect(() => whole(body)).toThrow('0 results instead of at least 1');
  });

  it('uses the URL beside empty bytes', () => {
    expect(whole({ data: [{ b64_json: '', url: 'x' }] }).usage).toMatchObject({ image: 1 });
  });
});

describe('a stream', () => {
  const partial = (index: number) =>
    `data: ${JSON.stringify({ type: 'image_generation.partial_image', partial_image_index: index, b64_json: 'AAAA' })}\n\n`;
  const completed = `data: ${JSON.stringify({ type: 'image_generation.completed', b64_json: 'AAAA', size: '1024x1024', quality: 'low', usage })}\n\n`;

  it('ends with the image, and counts a partial one only without a finished one', () => {
    const answer = reader({ stream: true, partial_images: 2 });
    answer.push(Buffer.from(partial(0)));
    expect(answer.meter).toMatchObject({ finished: false, usage: { image: 1, imageOutput: 0 } });
    answer.push(Buffer.from(partial(1) + completed));
    answer.end();
    expect(answer.meter).toMatchObject({
      finished: true,
      usage: { image: 1, imageVariant: '1024x1024/low', ...counted },
    });
  });

  it('finishes a stream of several images with the last one', () => {
    const answer = reader({ stream: true, n: 2 });
    answer.push(Buffer.from(completed + partial(0)));
    expect(answer.meter).toMatchObject({ finished: false, usage: { image: 1, ...counted } });
    answer.push(Buffer.from(completed));
    expect(answer.meter).toMatchObject({ finished: true, usage: { image: 2 } });
  });

  it.each([
    ['no report', undefined],
    ['null', null],
    ['an empty report', {}],
    ['zeros', { input_tokens: 0, output_tokens: 0 }],
    ['a lower report', { ...usage, output_tokens: 30, input_tokens: 5, input_tokens_details: {} }],
  ])('keeps the earlier report when a later image has %s', (_what, later) => {
    const answer = reader({ stream: true, n: 2 });
    const last = { type: 'image_generation.completed', b64_json: 'AAAA', size: '1024x1024', quality: 'low' };
    answer.push(Buffer.from(`${completed}data: ${JSON.stringify({ ...last, usage: later })}\n\n`));
    expect(answer.meter).toMatchObject({ finished: true, usage: { image: 2, ...counted } });
  });

  it('takes the later report when it is larger', () => {
    const answer = reader({ stream: true, n: 2 });
    const total = { ...usage, output_tokens: 2_260 };
    const last = { type: 'image_generation.completed', b64_json: 'AAAA', usage: total };
    answer.push(Buffer.from(`${completed}data: ${JSON.stringify(last)}\n\n`));
    expect(answer.meter.usage).toMatchObject({ image: 2, imageOutput: 2_260 });
  });
});

describe("Volcengine's stream of related images", () => {
  const asked = { stream: true, size: '2K', sequential_image_generation: 'auto' };
  const event = (type: string, fields: object) =>
    `event: image_generation.${type}\ndata: ${JSON.stringify({ type: `image_generation.${type}`, ...fields })}\n\n`;
  const succeeded = (image_index: number) =>
    event('partial_succeeded', { image_index, url: `https://pictures.test/${image_index}`, size: '2048x2048' });
  const failed = (code: string) => event('partial_failed', { image_index: 1, error: { code, message: 'It failed.' } });
  const completed = (generated_images?: number) =>
    event('completed', { usage: { generated_images, output_tokens: (generated_images ?? 0) * 16_384 } });
  const stream = (...events: string[]) => {
    const answer = reader(asked);
    const bytes = answer.push(Buffer.from(events.join(''))).toString();
    return { answer, bytes, meter: answer.meter };
  };

  it('counts each image, and charges those of a stream that breaks off', () => {
    const { meter, answer } = stream(succeeded(0), succeeded(1), succeeded(2));
    const usage = { image: 3, imageVariant: '2K', imageOutput: 3 * 16_384 };
    expect(meter).toMatchObject({ finished: false, usage });
    answer.push(Buffer.from(completed(3)));
    expect(meter).toMatchObject({ finished: true, usage });
  });

  it.each([
    ['the report, if it has more', 3, 3],
    ['the delivered images, if the report has fewer', 1, 2],
    ['at most the requested number', 9_000, 15],
    ['the delivered images without a report', undefined, 2],
  ])('counts %s', (_case, generated, image) => {
    expect(stream(succeeded(0), succeeded(1), completed(generated)).meter.usage).toMatchObject({ image });
  });

  it('continues after a refused image, which costs nothing', () => {
    const events = [succeeded(0), failed('OutputImageSensitiveContentDetected'), succeeded(2), completed(2)];
    const { meter, bytes } = stream(...events);
    expect(bytes).toBe(events.join(''));
    expect(meter).toMatchObject({ finished: true, usage: { image: 2 } });
    const none = stream(failed('OutputImageSensitiveContentDetected'), completed());
    expect(none.meter).toMatchObject({ finished: true, usage: { image: 0, imageOutput: 0 } });
  });

  it('ends with an internal error, and charges the images before it', () => {
    const { meter, answer, bytes } = stream(succeeded(0), failed('InternalServiceError'));
    expect(bytes).toBe(succeeded(0));
    expect(meter).toMatchObject({ finished: false, usage: { image: 1 } });
    expect(() => answer.end()).toThrow('It failed.');
  });

  it('takes the size of the first image if the request has none', () => {
    const data = [{ url: 'x', size: '2304x1728' }];
    expect(whole({ data }).usage?.imageVariant).toBe('2304x1728');
    expect(whole({ data }, { size: '2K' }).usage?.imageVariant).toBe('2K');
  });
});

describe('a request', () => {
  it('estimates the images, and the tokens by their size and quality', () => {
    const { facts } = sampleRequest('openai-images', { n: 3, size: '1536x1024', quality: 'high', partial_images: 1 });
    expect(facts).toMatchObject({ choices: 3, maxOutputTokens: 6_340 });
    expect(facts.expected?.usage).toMatchObject({ image: 3, imageVariant: '1536x1024/high', imageOutput: 19_020 });
  });

  it.each([
    ['gpt-image-1', { size: '1024x1024', quality: 'low' }, 272],
    ['gpt-image-1', { size: '1536x1024', quality: 'standard' }, 1_584],
    ['gpt-image-1', { size: '256x256', quality: 'hd' }, 4_160],
    ['gpt-image-1', { size: '1024x1024' }, 4_160],
    ['gpt-image-1', {}, 6_240],
    ['gpt-image-1', { size: 'auto', quality: 'low' }, 408],
    ['gpt-image-1', { quality: 'constructor' }, 6_240],
    ['model', {}, 4_160],
    ['model', { size: 'auto' }, 6_240],
    ['gpt-image-1', { size: '16:9', quality: 'auto' }, 6_240],
    ['openai/gpt-image-2', {}, 7_024],
    ['gpt-image-2', { size: '2880x2880' }, 23_719],
    ['gpt-image-2-2026-04-21', { size: '3840x2160', quality: 'auto' }, 13_342],
    ['gpt-image-2', { size: '1024x1536', quality: 'medium' }, 1_372],
    ['doubao-seedream-4-0-250828', {}, 4 * 4_160],
    ['seedream-5-0-lite', { size: 'auto' }, 4 * 4_160],
    ['ep-20260101123456-abcde', {}, 4 * 4_160],
    ['doubao-seedream-3-0-t2i-250415', {}, 4_160],
    ['doubao-seedream-4-0-250828', { size: '2K' }, 4 * 4_160],
    ['doubao-seedream-4-0-250828', { size: '4096x4096' }, 16 * 4_160],
  ])('expects the tokens of the size, and of the highest quality that the vendor may choose: %s, %j', (...row) => {
    const [model, fields, imageOutput] = row;
    const { facts } = sampleRequest('openai-images', { model, ...fields });
    expect(facts.expected?.usage.imageOutput).toBe(imageOutput);
    const aliased = sampleRequest('openai-images', { model: 'alias', ...fields });
    const adjusted = adjustToTarget(aliased, sampleTarget('custom', { model }));
    expect(adjusted.facts.expected?.usage.imageOutput).toBe(imageOutput);
  });

  it.each([
    [{ sequential_image_generation: 'auto' }, 15],
    [{ sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 4 } }, 4],
    [{ sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 9e9 } }, 15],
    [{ sequential_image_generation: 'disabled', sequential_image_generation_options: { max_images: 4 } }, 1],
  ])('expects as many related images as Volcengine may generate: %j', (fields, image) => {
    const { facts } = sampleRequest('openai-images', { prompt: 'p', ...fields });
    expect(facts.expected?.usage.image).toBe(image);
    expect(facts.choices).toBe(1);
  });

  it.each([{ size: '02048X2048' }, { width: '02048', height: 2048 }])('prices a size by its pixels: %j', (fields) => {
    const { facts } = sampleRequest('openai-images', { prompt: 'p', ...fields });
    expect(facts.expected?.usage.imageVariant).toBe('2048x2048');
  });

  it('expects the input tokens of the images to edit', () => {
    const fields = { model: 'm', prompt: 'x', 'image[]': Buffer.alloc(9), mask: Buffer.alloc(9) };
    expect(formRequest('openai-image-edits', fields).facts.expected?.usage.imageInput).toBe(646);
    const faithful = formRequest('openai-image-edits', { ...fields, input_fidelity: 'high' });
    expect(faithful.facts.expected?.usage.imageInput).toBe(12_288);
  });

  it.each([
    ['gpt-image-1', 323],
    ['gpt-image-1-mini', 323],
    ['gpt-image-1.5', 323],
    ['chatgpt-image-latest', 323],
    ['gpt-image-2', 6_144],
    ['openai/gpt-image-2-2026-04-21', 6_144],
    ['gpt-image-2.5', 6_144],
  ])('expects the input tokens with which %s reads an image', (model, imageInput) => {
    const fields = { prompt: 'x', images: [{ image_url: 'https://pictures.test/1.png' }] };
    const named = sampleRequest('openai-image-edits', { ...fields, model });
    expect(named.facts.expected?.usage.imageInput).toBe(imageInput);
    const aliased = sampleRequest('openai-image-edits', { ...fields, model: 'alias' });
    const adjusted = adjustToTarget(aliased, sampleTarget('custom', { model }));
    expect(adjusted.facts.expected?.usage.imageInput).toBe(imageInput);
  });

  it.each([
    [{ prompt: undefined }],
    [{ n: 0 }],
    [{ n: 1_000 }],
    [{ n: '2' }],
    [{ partial_images: -1 }],
    [{ model: undefined }],
    [{ Quality: 'hd' }],
  ])('with %j is refused', (fields) => {
    expect(() => sampleRequest('openai-images', fields)).toThrow();
  });

  it.each(['size', 'quality'])('refuses a value of %s that the price would count as the default', (field) => {
    for (const value of [['2048x2048'], { width: 2048 }, 2048, true, 'x'.repeat(50), 'a b'])
      for (const format of ['openai-images', 'openai-image-edits', 'openai-image-variations'] as const)
        expect(() => sampleRequest(format, { [field]: value })).toThrow(`${field} must`);
    const form = { model: 'm', prompt: 'x', image: Buffer.alloc(9) };
    for (const part of [{ [field]: Buffer.from('2048x2048') }, { [`${field}[]`]: '2048x2048' }])
      expect(() => formRequest('openai-image-edits', { ...form, ...part })).toThrow(`${field} must be a string`);
    const tools = [{ type: 'image_generation', [field]: ['2048x2048'] }];
    expect(() => sampleRequest('openai-responses', { tools })).toThrow(`${field} must be a string`);
  });

  it.each<[fields: Record<string, unknown>, sent: string | undefined, dropped: string[]]>([
    [{ image_size: '2048x1024' }, '2048x1024', []],
    [{ width: 2048, height: 1024 }, '2048x1024', []],
    [{ width: '2048', height: '1024', size: null }, '2048x1024', []],
    [{ size: '512x512', width: 2048, height: 1024 }, '512x512', ['width', 'height']],
    [{ size: '512x512', image_size: '512x512' }, '512x512', []],
    [{ size: 'auto', image_size: '2048x1024' }, 'auto', ['image_size']],
    [{ image_size: 'landscape_16_9', width: null }, undefined, ['image_size']],
    [{ width: 2048 }, undefined, ['width']],
    [{ width: { toString: 1, valueOf: 1 }, height: [2048] }, undefined, ['width', 'height']],
  ])('prices and sends one size of %j', (fields, sent, lost) => {
    const request = sampleRequest('openai-images', fields);
    const { body, dropped } = planExchange(request, sampleTarget('custom'));
    const { size, ...others } = JSON.parse(body.toString());
    expect([size ?? undefined, dropped]).toEqual([sent, lost]);
    expect(Object.keys(others)).toEqual(['model', 'prompt', 'image']);
    const priced = sent === undefined || sent === 'auto' ? '1024x1024' : sent;
    expect(request.facts.expected?.usage.imageVariant).toBe(priced);
  });

  it.each([
    ['together', { width: 2048, height: 1024 }],
    ['siliconflow', { image_size: '2048x1024' }],
  ])('sends %s the priced size by its own names', (provider, own) => {
    for (const fields of [own, { size: '2048x1024' }]) {
      const { body, dropped } = planExchange(sampleRequest('openai-images', fields), sampleTarget(provider));
      expect([JSON.parse(body.toString()), dropped]).toMatchObject([own, []]);
    }
  });

  it('expects no text tokens for an image URL to edit', () => {
    const images = [{ image_url: `data:image/png;base64,${'A'.repeat(400_000)}` }];
    const { facts } = sampleRequest('openai-image-edits', { images });
    expect(facts.inputTokensEstimate).toBeLessThan(10);
    expect(facts.expected?.usage.imageInput).toBe(323);
  });

  it('refuses another model that would be billed as well', () => {
    const exchange = planExchange(sampleRequest('openai-images', { svg: { model: 'gpt-5' } }), sampleTarget('openai'));
    expect(exchange.dropped).toEqual(['svg']);
    expect(exchange.body.toString()).not.toContain('gpt-5');
  });
});
