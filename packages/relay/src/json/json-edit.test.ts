import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editJson } from './json-edit.ts';

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
