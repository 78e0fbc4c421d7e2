import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { isBrokenStart, parseJson, parseResponseJson } from './json.ts';
import { exceededLimit, findJsonEnd, hasTooMuchStructure, omitDeepLevels } from './json-text-limits.ts';

const MB = 1_048_576;
const many = (count: number, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(',');

describe('the structure of a long text', () => {
  it.each([
    ['empty objects', `[${many(600_000, () => '{}')}]`],
    ['empty lists', `[${many(600_000, () => '[]')}]`],
    ['lists within each other', '['.repeat(2 * MB)],
    ['one object of many fields', `{${many(100_000, (at) => `"field ${at}":1`)}}`],
    ['a large object inside of others', `{"data":[1,2,{"a":{${many(100_000, (at) => `"field ${at}":1`)}}}]}`],
    ['short strings', `[${many(2_100_000, () => '"a"')}]`],
    ['values of several kinds', `[${'1.5,null,'.repeat(4 * MB)}1]`],
    ['objects behind a text with quotes', `["${'\\"'.repeat(MB)}\\\\",${many(600_000, () => '{}')}]`],
    ['a long field name', `{"text":"${'x'.repeat(MB)}","a":[{"${'k'.repeat(4_097)}" \n: 1}]}`],
    ['a number of too many digits', `{"a":${'1'.repeat(2 * MB)}}`],
    ['too many blanks before its start', `${' '.repeat(2 * MB)}{"a":1}`],
    ['too many blanks before a value', `{"a":${'\r\n'.repeat(MB)}1}`],
    ['too many blanks behind its end', `{"a":1}${' \t'.repeat(MB)}`],
  ])('is refused with %s', (_, text) => {
    expect(findJsonEnd(text)).toBeUndefined();
    expect(parseJson(text)).toBeUndefined();
  });

  it.each([
    ['vectors', `{"data":[${many(2_000, () => `{"embedding":[${many(600, () => '0.25')}]}`)}]}`],
    ['base64', `{"data":[{"b64_json":"${'{,['.repeat(MB)}"}]}`],
    ['quotes in a text', `{"text":"${'\\"{},'.repeat(MB)}"}`],
    ['alternatives of each token', `[${many(10_000, () => `{"top":[${many(20, () => '{"logprob":-1.5}')}]}`)}]`],
    ['a field name of 4,096 characters', `{"text":"${'x'.repeat(MB)}","${'k'.repeat(4_096)}":1}`],
    ['a text without an end', `{"text":"${'{},'.repeat(MB)}`],
    ['half a million blanks in a row', ['', '{"a":', '1}', ''].join(' '.repeat(MB / 2))],
  ])('is accepted with %s', (_, text) => {
    expect(findJsonEnd(text)).toBe(text.length);
  });

  it.each(['\\"', '\\\\', `${'x'.repeat(40)}\\"`])(
    'skips a long string of %s at a few nanoseconds per character',
    (unit) => {
      const text = `{"text":"${unit.repeat((32 * MB) / unit.length)}"}`;
      const tries = Array.from({ length: 3 }, () => {
        const readCpuMs = startCpuTimer();
        expect(findJsonEnd(text)).toBe(text.length);
        return readCpuMs();
      });
      // When each quote was searched for on its own, it was half a second.
      expect(Math.min(...tries)).toBeLessThan(250);
    },
  );

  it('refuses a long text that does not begin as JSON at once', () => {
    const text = Buffer.alloc(64 * MB, 'data:\n').toString('latin1');
    const readCpuMs = startCpuTimer();
    expect(parseJson(text)).toBeUndefined();
    expect(readCpuMs()).toBeLessThan(20);
  });

  it.each([
    ['blanks', '', ' '],
    ['a number', '{"a":', '7'],
    ['blanks before a value', '{"a":', '\n'],
    ['blanks behind an object', '{"a":1}', ' '],
  ])('refuses a long text of %s at once', (_, start, rest) => {
    const bytes = Buffer.alloc(64 * MB, rest);
    bytes.write(start);
    const text = bytes.toString('latin1');
    const readCpuMs = startCpuTimer();
    expect(parseResponseJson(text)).toBeUndefined();
    expect(hasTooMuchStructure(text)).toBe(true);
    expect(readCpuMs()).toBeLessThan(40);
  });

  it('checks a long text faster than the prevented parse', () => {
    const text = `[${many(8_000_000, () => '{}')}]`;
    const tries = Array.from({ length: 3 }, () => {
      const readCpuMs = startCpuTimer();
      expect(parseJson(text)).toBeUndefined();
      return readCpuMs();
    });
    // Garbage collection, which varies, only adds to what the check itself takes.
    expect(Math.min(...tries)).toBeLessThan(200);
  });
});

describe('isBrokenStart', () => {
  it('accepts every beginning of JSON', () => {
    const escapes = '{"\\u00e9\\n\\"":[-1.25e-10,1E+5,true,false,null,"\\ud83d\\ude00 é"]}';
    const expectWhole = (text: string): void => {
      for (let end = 0; end <= text.length; end++)
        expect(isBrokenStart(text.slice(0, end)), text.slice(0, end)).toBe(false);
    };
    expectWhole(escapes);
    const values = fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(0, 1, '\t'));
    fc.assert(fc.property(values, ([value, space]) => expectWhole(JSON.stringify(value, undefined, space))));
  });

  it.each(['data:', '{', ',', '1 ', '"a":1 ', '"a":{} ', '"a":"\n"', '"a":01', '"a":nul ', '} {', '"a":\u00e9'])(
    'refuses {%j',
    (fault) => {
      expect(isBrokenStart(`{${fault}"b":{}${' '.repeat(20)}`)).toBe(true);
    },
  );
});

describe('a response with too much structure', () => {
  const usage = { output_tokens: 9, details: { cached: 1 } };
  const respond = (output: string): string => `{"response":{"output":[${output}],"usage":${JSON.stringify(usage)}}}`;

  it.each([
    ['alternatives', `{"logprobs":[${many(25_000, () => `{"top":[${many(20, () => '{"b":[1]}')}]}`)}]}`],
    ['a large object', `{"tools":[{"hints":{${many(100_000, (at) => `"a field ${at}":1`)}}}]}`],
    ['short strings', `{"words":[${many(2_100_000, () => '"a"')}]}`],
    ['values', `{"numbers":[${'1.5,'.repeat(9_000_000)}1]}`],
  ])('is read without the content of the level that has too many %s', (_, output) => {
    const text = respond(output);
    expect(parseJson(text)).toBeUndefined();
    expect(parseResponseJson(text)).toMatchObject({ response: { output: [expect.anything()], usage } });
  });

  it('loses the alternatives of 8,000 tokens, which a translated response keeps', () => {
    const text = respond(`{"logprobs":[${many(8_000, () => `{"top":[${many(20, () => '{"b":[1]}')}]}`)}]}`);
    expect(parseResponseJson(text)).toMatchObject({
      response: { output: [{ logprobs: expect.arrayContaining([{ top: [] }]) }], usage },
    });
    expect(parseJson(text)).toMatchObject({
      response: {
        output: [{ logprobs: expect.arrayContaining([{ top: Array.from({ length: 20 }, () => ({ b: [1] })) }]) }],
      },
    });
  });

  it('remains unread if even the levels of its usage have too much', () => {
    expect(parseResponseJson(respond(many(600_000, () => '{}')))).toBeUndefined();
  });

  it('keeps the levels that it may have', () => {
    expect(omitDeepLevels('{"a":[[[[["]",1],{}],2]]],"b":"[["}', 5)).toBe('{"a":[[[[],2]]],"b":"[["}');
    expect(omitDeepLevels('{"a":[[[1]]]}', 5)).toBeUndefined();
    expect(omitDeepLevels('{"a":[[[1]]]', 3)).toBeUndefined();
  });

  it('takes linear time, however many levels are open', () => {
    const text = '[{"a":[[{}]]},'.repeat(MB);
    const readCpuMs = startCpuTimer();
    expect(parseResponseJson(text)).toBeUndefined();
    expect(readCpuMs()).toBeLessThan(1_000);
  });
});

describe('a limit of depth or values', () => {
  const limits = { depth: 3, values: 8 };

  it.each([
    ['no container', '"a text"', undefined],
    ['as many levels as it may have', '[[[1]]]', undefined],
    ['one level more', '[[[[1]]]]', 'depth'],
    ['levels beside each other', '[[[1]],[[2]]]', undefined],
    ['as many values as it may hold', '[1,2,3,4,5,6,7]', undefined],
    ['one value more', '[1,2,3,4,5,6,7,8]', 'values'],
    ['fields', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}', undefined],
    ['one field more', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}', 'values'],
    ['empty lists, each of which takes the memory of two values', '[[],[],[],[]]', 'values'],
    ['brackets within a text', '{"[[[[,,,,,,,,,":"\\"[[[[,,,,,,,,,"}', undefined],
    ['a text that ends with a backslash', '["\\\\",[[[1]]]]', 'depth'],
    ['a field name of 4,096 characters', `{"${'k'.repeat(4_096)}":"${'v'.repeat(5_000)}"}`, undefined],
    ['a field name of more characters', `[{"${'k'.repeat(4_097)}" :1}]`, 'name'],
    ['too many levels in a text that is no JSON', ']]]][[[[[[[[[[', 'depth'],
  ])('applies to a text with %s', (_, text, limit) => {
    expect(exceededLimit(text, limits)).toBe(limit);
  });
});
