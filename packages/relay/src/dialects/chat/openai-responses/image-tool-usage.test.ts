import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import { emptyUsage, type Usage } from '../../../model/usage.ts';
import { sampleRequest, sampleTarget } from '../../../testing/sample-requests.ts';
import { readImageTool } from './image-tool-usage.ts';
import { UsageReport } from './usage-report.ts';

const drawn = (size: string, quality: string) => ({
  type: 'image_generation_call',
  status: 'completed',
  result: 'QQ==',
  size,
  quality,
});
const text = { input_tokens: 12, output_tokens: 3, total_tokens: 15 };
const image_gen = {
  input_tokens: 90,
  input_tokens_details: { text_tokens: 30, image_tokens: 60 },
  output_tokens: 1_600,
  output_tokens_details: { text_tokens: 16, image_tokens: 1_584 },
  total_tokens: 1_690,
};

function usageOf(response: Record<string, unknown>): Usage | undefined {
  const report = new UsageReport();
  report.addResponse(response);
  return report.usage;
}

describe('the images of a response', () => {
  it('counts images as usage of the image model, with the reported tokens', () => {
    const usage = usageOf({
      output: [drawn('1024x1536', 'medium')],
      tools: [{ type: 'image_generation', model: 'picture-1' }],
      usage: text,
      tool_usage: { image_gen },
    });
    expect(usage).toEqual({
      ...emptyUsage(),
      input: 12,
      output: 3,
      others: [
        {
          model: 'picture-1',
          tool: 'image_generation',
          usage: {
            ...emptyUsage(),
            input: 30,
            imageInput: 60,
            output: 16,
            imageOutput: 1_584,
            image: 1,
            imageVariant: '1024x1536/medium',
          },
        },
      ],
    });
  });

  it('have an entry per size and quality, and their tokens in one of them', () => {
    const output = [drawn('1024x1024', 'low'), drawn('1536x1024', 'high'), drawn('1024x1024', 'low')];
    const others = usageOf({ output, tool_usage: { image_gen } })?.others ?? [];
    expect(others.map(({ usage }) => [usage.imageVariant, usage.image, usage.imageOutput])).toEqual([
      ['1024x1024/low', 2, 1_584],
      ['1536x1024/high', 1, 0],
    ]);
  });

  it.each([
    ['no tool ran', { usage: text }],
    ['the report is of zeros', { usage: text, tool_usage: { image_gen: { input_tokens: 0, output_tokens: 0 } } }],
    ['the report is of another tool', { usage: text, tool_usage: { web_search: { num_requests: 1 } } }],
    ['the image failed', { usage: text, output: [{ ...drawn('1024x1024', 'low'), status: 'failed' }] }],
    ['the image is missing', { usage: text, output: [{ type: 'image_generation_call', result: null }] }],
  ])('are none if %s', (_why, response) => {
    expect(usageOf(response)?.others).toBeUndefined();
  });

  it('count by their tokens alone if the output contains none of them', () => {
    const others = usageOf({ usage: text, tool_usage: { image_gen } })?.others ?? [];
    expect(others.map(({ usage }) => [usage.image, usage.imageOutput])).toEqual([[0, 1_584]]);
  });

  it('keeps the images of a stream that breaks off', () => {
    const answer = planExchange(
      sampleRequest('openai-responses', { stream: true, tools: [{ type: 'image_generation' }] }),
      sampleTarget('openai'),
    ).readResponse();
    const event = { type: 'response.output_item.done', item: drawn('1536x1024', 'high') };
    answer.push(Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
    expect(answer.meter.finished).toBe(false);
    expect(answer.meter.usage?.others).toMatchObject([
      { model: '', usage: { image: 1, imageVariant: '1536x1024/high' } },
    ]);
  });

  const partial = (item_id: string) => ({
    type: 'response.image_generation_call.partial_image',
    item_id,
    size: '1024x1024',
    quality: 'high',
    partial_image_b64: 'QQ==',
  });
  const done = (id: string, more: object = {}) => ({
    type: 'response.output_item.done',
    item: { ...drawn('1024x1024', 'high'), id, ...more },
  });

  it.each([
    ['only previews came', [partial('a'), partial('a'), partial('b')], 2],
    ['one came whole and one as a preview', [partial('a'), done('a'), partial('b')], 2],
    ['all came whole', [partial('a'), done('a'), partial('b'), done('b')], 2],
    ['one failed after its preview', [partial('a'), done('a', { status: 'failed', result: null })], 0],
  ])('count once when a stream breaks off while %s', (_what, events, images) => {
    const answer = planExchange(
      sampleRequest('openai-responses', { stream: true, tools: [{ type: 'image_generation' }] }),
      sampleTarget('openai'),
    ).readResponse();
    for (const event of events) answer.push(Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
    const counted = (answer.meter.usage?.others ?? []).map(({ usage }) => usage.image);
    expect(counted).toEqual(images === 0 ? [] : [images]);
  });
});

it.each([
  [[], undefined],
  [[{ type: 'web_search' }], undefined],
  [[{ type: 'image_generation' }], { model: undefined, usage: { imageVariant: '1024x1024', imageOutput: 6_240 } }],
  [
    [{ type: 'function' }, { type: 'image_generation', model: 'p', size: '1536x1024', quality: 'high' }],
    { model: 'p', usage: { imageVariant: '1536x1024/high', imageOutput: 6_240 } },
  ],
])('finds the image tool in %j, and the maximum usage of one image', (tools, expected) => {
  if (expected === undefined) expect(readImageTool(tools, undefined)).toBeUndefined();
  else expect(readImageTool(tools, undefined)).toMatchObject(expected);
});

it.each([
  ['the calls that are allowed', [{}], 3, 3, 3 * 6_240],
  ['the images of each call', [{ n: 2, quality: 'low', size: '1024x1024' }], 3, 6, 6 * 272],
  ['previews', [{ partial_images: 3 }], undefined, 1, 6_240 + 300],
  ['the dearest of several tools', [{ quality: 'low' }, { quality: 'high' }], 2, 2, 2 * 6_240],
  ['one where nothing is said', [{ n: null, partial_images: 'x' }], null, 1, 6_240],
  ['one for numbers that are none', [{ n: -4, size: 'auto', quality: 'auto' }], 0, 1, 6_240],
  ['no more than anyone could run', [{ n: 1e9 }], 1e9, 10_000, 10_000 * 6_240],
])('expects images for %s', (_what, tools, maxToolCalls, image, imageOutput) => {
  const declared = tools.map((tool) => ({ type: 'image_generation', ...tool }));
  expect(readImageTool(declared, maxToolCalls)?.usage).toMatchObject({ image, imageOutput });
});
