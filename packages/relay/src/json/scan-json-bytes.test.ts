import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonValue, findRepeatedKey } from './scan-json-bytes.ts';

describe('findRepeatedKey', () => {
  it.each<[text: string, key: string | undefined]>([
    [String.raw`{"x":{"model":2},"model":1,"m":"\"model\":","mod\u0065l":3}`, 'model'],
    ['{"a":{"b":1,"c":[{"d":1,"e":{"d":2}, "d" : 3}]}}', 'd'],
    ['{"a":[{"b":1},{"b":{"__proto__":1,"__proto__":2}}]}', '__proto__'],
    ['{"a":{"a":1},"b":["a","a"],"c":[{"a":":"},{"a":"\\":"}]}', undefined],
  ])('finds a key that one object has twice, in any spelling: %s', (text, key) => {
    expect(findRepeatedKey(Buffer.from(text))).toBe(key);
  });
});

describe('findJsonValue', () => {
  it('returns the bytes of any value, however it is nested and spaced', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), spaces, (value, other, name, space) => {
        const json = JSON.stringify(
          { [`x${name}`]: other, response: { other, body: value, name }, other },
          null,
          space,
        );
        const found = findJsonValue(Buffer.from(json), ['response', 'body']);
        expect(JSON.parse(String(found))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each(['[1,2,"]",3]', '[[1],[2]]', '[1,{"a":[2]}]', '[[]]', '[ ]', '[1,2]'])('returns all of %s', (value) => {
    const json = `{"a":{"b":${value}},"c":[3]}`;
    expect(String(findJsonValue(Buffer.from(json), ['a', 'b']))).toBe(value);
  });

  it('returns nothing for a path that is missing', () => {
    for (const json of ['{"a":1}', '{"a":[{"b":1}]}', '{"b":{"a":1}}', '[]', '', '{"a'])
      expect(findJsonValue(Buffer.from(json), ['a', 'b'])).toBeUndefined();
  });
});
