import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { parseJson } from './json.ts';
import { condenseJson, DetachedStrings, detachVectors, VECTOR_MAX_BYTES } from './json-condense-and-detach.ts';

const condensed = (value: unknown, space?: number) => {
  const body = Buffer.from(JSON.stringify(value, undefined, space));
  const { text = '', cutCharacters } = condenseJson(body, body.length) ?? {};
  return { json: parseJson(text), cutCharacters, length: text.length };
};
const vector = Array.from({ length: 500 }, (_, nth) => (nth - 250) / 1e3);
const picture = 'QUJD'.repeat(50_000);

describe('a condensed response', () => {
  it.each([0, 2])('keeps the first number of each vector, with %d spaces', (space) => {
    const answer = {
      data: [
        { index: 0, embedding: vector },
        { index: 1, embedding: vector },
      ],
      usage: { total_tokens: 5 },
    };
    expect(condensed(answer, space)).toEqual({
      json: {
        data: [
          { index: 0, embedding: [-0.25] },
          { index: 1, embedding: [-0.25] },
        ],
        usage: { total_tokens: 5 },
      },
      cutCharacters: 0,
      length: expect.any(Number),
    });
  });

  it('cuts base64 and data URLs, and counts the removed characters', () => {
    const { json, cutCharacters, length } = condensed({
      data: [{ b64_json: picture }, { url: `data:image/png;base64,${picture}` }],
      usage: { output_tokens: 7 },
    });
    expect(json).toMatchObject({
      data: [{ b64_json: expect.stringMatching(/^QUJD/) }, {}],
      usage: { output_tokens: 7 },
    });
    expect(cutCharacters).toBeGreaterThan(2 * picture.length - 3_000);
    expect(length).toBeLessThan(4_000);
  });

  it.each([
    ['a long text', { choices: [{ message: { content: 'Words with spaces. '.repeat(10_000) } }] }],
    ['a text with escapes', { text: '"\\'.repeat(50_000) }],
    ['wide characters', { text: '漢字'.repeat(50_000) }],
    ['a short list of numbers', { data: [1, 2, 3], matrix: [[1], [2]] }],
    ['brackets in texts', { text: '[1,2,3'.repeat(100), other: ']' }],
    ['a list of other things', { list: [...vector.map(String), { id: 'x' }] }],
    ['nothing', {}],
  ])('leaves %s unchanged', (_, value) => {
    expect(condensed(value)).toMatchObject({ json: value, cutCharacters: 0 });
  });

  it.each([
    ['vectors that are not closed', `[${'1,'.repeat(150)}`],
    ['vectors whose end is no number', `[${'1,'.repeat(150)}`, '"x"]'],
    ['blank lists that are not closed', `[${' '.repeat(300)}`],
    ['lists in lists', '['],
    ['blanks between brackets', '[ '],
  ])('takes no longer for %s', (_, part, end = '') => {
    const body = Buffer.from(part.repeat(16_000_000 / part.length) + end);
    const readCpuMs = startCpuTimer();
    const { text = '' } = condenseJson(body, body.length) ?? {};
    expect(text.length === body.length || parseJson(text) === undefined).toBe(true);
    expect(readCpuMs()).toBeLessThan(1_500);
  });

  it.each(['{"a":[1,2', '{"a":"', '[', '', 'null', '{"a":[[[['])('ends with incomplete JSON: %s', (text) => {
    expect(condenseJson(Buffer.from(text), text.length)?.text).toBe(text);
  });
});

describe('strings kept aside', () => {
  const value = { id: 'a "quoted" id', items: [picture, 'word "é" '.repeat(20_000), picture, 'QUJD'] };
  const json = JSON.stringify(value);

  it('stay in the written value, and not in the parsed one', () => {
    const strings = new DetachedStrings();
    const text = strings.detach(Buffer.from(json));
    expect(text.length).toBeLessThan(json.length - 2 * picture.length + 200);
    const parsed = JSON.parse(text) as typeof value;
    expect([parsed.id, parsed.items[1], parsed.items[3]]).toEqual([value.id, value.items[1], 'QUJD']);
    expect(strings.read(parsed.items[0] ?? '')).toBe(picture);
    expect(strings.read('QUJD')).toBe('QUJD');
    expect([strings.sizeOf(parsed.items[2] ?? ''), strings.sizeOf('QUJD')]).toEqual([picture.length, 4]);
    const written = JSON.stringify({ ...parsed, more: '$& $1' });
    expect(strings.sizeOfAttached(written)).toBe(strings.attach(written).length);
    expect(JSON.parse(strings.attach(written))).toEqual({ ...value, more: '$& $1' });
  });

  it('stay as they are in invalid JSON', () => {
    const strings = new DetachedStrings();
    for (const text of ['', '"', `{"a":"${picture}`, `"\\`, 'no "string"'])
      expect(strings.attach(strings.detach(Buffer.from(text)))).toBe(text);
  });
});

describe('detached vectors', () => {
  it('stand in the text by their indexes, and complete it again', () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 });
    const items = fc.array(fc.record({ name: fc.string(), embedding: numbers, tags: fc.array(fc.string()) }));
    fc.assert(
      fc.property(items, fc.constantFrom(0, 1, 4), (data, space) => {
        const json = JSON.stringify({ data, 'a [1]': '[1,2]\\"[3', empty: [[], {}] }, undefined, space);
        const { text = '', vectors = [] } = detachVectors(Buffer.from(json)) ?? {};
        expect(vectors).toHaveLength(data.length);
        expect(parseJson(text)).toEqual({
          data: data.map((item, nth) => ({ ...item, embedding: [nth] })),
          'a [1]': '[1,2]\\"[3',
          empty: [[], {}],
        });
        expect(vectors.map((bytes) => parseJson(bytes.toString()))).toEqual(
          (JSON.parse(json) as { data: typeof data }).data.map(({ embedding }) => embedding),
        );
      }),
    );
  });

  it.each([
    ['no end', '{"data":[{"embedding":[1,2'],
    ['too many numbers', `{"data":[{"embedding":[${'1,'.repeat(VECTOR_MAX_BYTES / 2)}1]}]}`],
  ])('have no vector with %s', (_, json) => {
    expect(detachVectors(Buffer.from(json))).toBeUndefined();
  });

  it('leave invalid JSON invalid', () => {
    for (const json of ['{"a":[1,"]",2]}', '[[1],x]', `${'['.repeat(600_000)}${']'.repeat(600_000)}`]) {
      const { text = '' } = detachVectors(Buffer.from(json)) ?? {};
      expect(parseJson(text)).toBeUndefined();
    }
  });
});
