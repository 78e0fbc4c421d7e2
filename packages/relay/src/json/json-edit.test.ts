import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editJson, findJsonValue, findRepeatedKey } from './json-edit.ts';

function edit(text: string, change: (body: Record<string, unknown>) => Record<string, unknown>): string {
  const before = JSON.parse(text);
  return editJson(Buffer.from(text), before, change({ ...before })).toString();
}

describe('editJson', () => {
  it('returns the same bytes if nothing changes', () => {
    const body = Buffer.from('{"model":"a"}');
    const before = { model: 'a' };
    expect(editJson(body, before, { ...before })).toBe(body);
  });

  it('leaves every other byte unchanged', () => {
    const text = '{ "seed" : 12345678901234567890,\n"messages":[{"model":"x\\"}"}], "model"\t: "old" , "t":1.0e0 }';
    expect(edit(text, (body) => ({ ...body, model: 'new' }))).toBe(text.replace('"old"', '"new"'));
  });

  it('changes each of several members with the same key, in any spelling', () => {
    const text = String.raw`{"model":"a","mod\u0065l":"b"}`;
    expect(edit(text, (body) => ({ ...body, model: 'c' }))).toBe(String.raw`{"model":"c","mod\u0065l":"c"}`);
  });

  it.each(['"', '\\', '\\"', '","model":"x'])('finds the end of a long string that ends with %s', (ending) => {
    const text = JSON.stringify({ long: 'x'.repeat(60) + ending, model: 'old', last: ending });
    expect(edit(text, (body) => ({ ...body, model: 'new' }))).toBe(text.replace('"old"', '"new"'));
  });

  it('adds to an empty object', () => {
    expect(edit('{ }', (body) => ({ ...body, a: 1, b: 2 }))).toBe('{"a":1,"b":2 }');
  });

  it('removes members and keeps the bytes of the rest', () => {
    const text = '{"a":1.0,"b":[1, 2],"c":{"d" :null}}';
    expect(edit(text, ({ a, c }) => ({ a, c }))).toBe('{"a":1.0,"c":{"d" :null}}');
    expect(edit('{"a":1}', () => ({}))).toBe('{}');
  });

  it('produces the intended object for any object, spacing and change', () => {
    const keys = fc.constantFrom('model', 'stream', 'a', 'é"\\', '');
    const object = fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.string({ minLength: 40, unit: 'binary' })), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(object, object, fc.subarray(['model', 'a']), fc.nat(3), (before, changes, removed, indent) => {
        const after: Record<string, unknown> = { ...before, ...changes };
        for (const key of removed) delete after[key];
        const text = JSON.stringify(before, null, indent);
        expect(JSON.parse(editJson(Buffer.from(text), JSON.parse(text), after).toString())).toEqual(
          JSON.parse(JSON.stringify(after)),
        );
      }),
      { numRuns: 500 },
    );
  });
});

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
