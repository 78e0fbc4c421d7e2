import { DetachedStrings } from '@switchyard/relay';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { REMOVED_FIELD, shortenResponse } from './shorten-response.ts';

const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const message = (text: string) => ({
  type: 'message',
  id: 'msg',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const image = (size: number) => ({
  type: 'image_generation_call',
  id: 'ig',
  status: 'completed',
  result: 'A'.repeat(size),
});
const answer = (output: readonly object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output,
  usage,
  instructions: null,
  tools: [],
  ...more,
});
const MEGABYTE = 1_048_576;

test('returns a response that is small enough as it is', () => {
  const response = answer([message('Hello.'), image(MEGABYTE)]);
  expect(shortenResponse(response, 2 * MEGABYTE)).toBe(response);
});

describe('a response that is too large', () => {
  const run = { type: 'code_interpreter_call', outputs: [{ type: 'image', url: 'B'.repeat(MEGABYTE) }] };
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: `"${'c'.repeat(MEGABYTE)}"` };
  const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'D'.repeat(MEGABYTE) };

  test.each<[what: string, response: ReturnType<typeof answer>, removed: string[]]>([
    ['an image', answer([message('Hello.'), image(3 * MEGABYTE)]), ['output.1.result']],
    [
      'the largest of several images',
      answer([image(MEGABYTE / 4), image(3 * MEGABYTE), image(MEGABYTE / 2)]),
      ['output.1.result'],
    ],
    ['images before results', answer([run, image(1.8 * MEGABYTE)]), ['output.1.result']],
    ['results of tools', answer([message('Hello.'), run, run]), ['output.1.outputs.0.url']],
    ['encrypted reasoning', answer([reasoning, reasoning, message('Hello.')]), ['output.0.encrypted_content']],
    [
      'the request’s fields',
      answer([message('x'.repeat(MEGABYTE))], { instructions: 'i'.repeat(MEGABYTE) }),
      ['instructions'],
    ],
    [
      'the request’s tools',
      answer([message('x'.repeat(MEGABYTE))], { tools: [{ description: 't'.repeat(MEGABYTE) }] }),
      ['tools'],
    ],
  ])('removes %s, and names it', (_what, response, removed) => {
    const fitted = shortenResponse(response, 2 * MEGABYTE);
    expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(2 * MEGABYTE);
    expect(fitted).toMatchObject({ status: 'completed', usage, [REMOVED_FIELD]: removed });
    const texts = response.output.filter((item) => 'content' in item);
    expect(texts.every((item) => JSON.stringify(fitted).includes(JSON.stringify(item)))).toBe(true);
  });

  test('keeps the calls that the client has to run', () => {
    expect(shortenResponse(answer([call, image(2 * MEGABYTE)]), 2 * MEGABYTE)).toMatchObject({
      output: [call, { result: null }],
    });
    expect(shortenResponse(answer([call, call]), 2 * MEGABYTE)).toBeUndefined();
  });

  test('the text is cut when nothing else is left, and the response is incomplete', () => {
    const text = '“quoted”\n'.repeat(MEGABYTE / 4);
    const fitted = shortenResponse(answer([message(text), image(MEGABYTE)]), MEGABYTE);
    expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(MEGABYTE);
    expect(fitted).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage,
      [REMOVED_FIELD]: ['output.1.result', 'output.0.content.0.text'],
    });
    const output = Array.isArray(fitted?.['output']) ? fitted['output'] : [];
    const cut: unknown = JSON.parse(JSON.stringify(output)).at(0).content[0].text;
    expect(typeof cut === 'string' && cut.length > MEGABYTE / 2 && text.startsWith(cut)).toBe(true);
  });

  test('leaves the given response unchanged', () => {
    const response = answer([message('Hello.'), image(3 * MEGABYTE)]);
    const before = JSON.stringify(response);
    shortenResponse(response, MEGABYTE);
    expect(JSON.stringify(response)).toBe(before);
  });
});

test('serializes a large response once, and its images never alone', () => {
  const response = answer([message('Hello.'), image(3 * MEGABYTE), image(2 * MEGABYTE)]);
  const { length } = JSON.stringify(response);
  const stringify = vi.spyOn(JSON, 'stringify');
  try {
    expect(shortenResponse(response, MEGABYTE)).toBeDefined();
    const written = stringify.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
    expect(written).toBeLessThan(length + 1_000);
  } finally {
    stringify.mockRestore();
  }
});

test('fits any response, or refuses it', () => {
  const string = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ minLength: 1_500, maxLength: 9_000, unit: 'grapheme' }),
  );
  const item = fc.oneof(
    string.map(message),
    fc.nat({ max: 30_000 }).map(image),
    fc.record({
      type: fc.constantFrom('mcp_call', 'function_call', 'reasoning'),
      value: fc.jsonValue({ maxDepth: 6 }),
      output: string,
    }),
  );
  const MAX = 120_000;
  fc.assert(
    fc.property(fc.array(item, { maxLength: 40 }), fc.option(string, { nil: null }), (output, instructions) => {
      const response = answer(output, { instructions });
      const fitted = shortenResponse(response, MAX);
      if (JSON.stringify(response).length <= MAX) expect(fitted).toBe(response);
      if (fitted === undefined) return;
      expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(MAX);
      expect(fitted['usage']).toEqual(usage);
    }),
    { numRuns: 200 },
  );
});

test.each([2, 4, 6])('shortens a response the same if its long strings are kept aside (to %s MB)', (megabytes) => {
  const response = answer(
    [image(MEGABYTE), message('A'.repeat(2 * MEGABYTE)), image(3 * MEGABYTE), message('word '.repeat(50_000))],
    { instructions: 'B'.repeat(MEGABYTE) },
  );
  const strings = new DetachedStrings();
  const detached = JSON.parse(strings.detach(Buffer.from(JSON.stringify(response)))) as typeof response;
  const shortened = shortenResponse(detached, megabytes * MEGABYTE, strings);
  const json = strings.attach(JSON.stringify(shortened));
  expect(json.length).toBeLessThanOrEqual(megabytes * MEGABYTE);
  expect(json === JSON.stringify(shortenResponse(response, megabytes * MEGABYTE))).toBe(true);
});
