import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../json/json.ts';
import { splitTypeLists } from './fit-tool-schema.ts';
import { mapSchemas } from './json-schema-references.ts';

const text = { type: 'string' };

describe('a schema with a list of types', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['one type', { type: ['string'], minLength: 1 }, { type: 'string', minLength: 1 }],
    ['no type', { type: [], title: 't' }, { title: 't' }],
    [
      'values of both types',
      { type: ['string', 'null'], enum: ['a', null] },
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    [
      'limits of both types',
      { type: ['string', 'integer'], minLength: 2, minimum: 1, description: 'd' },
      {
        description: 'd',
        anyOf: [
          { type: 'string', minLength: 2 },
          { type: 'integer', minimum: 1 },
        ],
      },
    ],
    [
      'properties and items',
      { type: ['array', 'object'], items: text, properties: { a: text }, required: ['a'] },
      {
        anyOf: [
          { type: 'array', items: text },
          { type: 'object', properties: { a: text }, required: ['a'] },
        ],
      },
    ],
  ])('gives each type its own keywords, with %s', (_name, schema, expected) => {
    expect(splitTypeLists(schema)).toEqual(expected);
  });

  it('names each type once, and stays as it is with another name', () => {
    const type = Array.from({ length: 1_000 }, (_, nth) => (nth % 2 === 0 ? 'string' : 'null'));
    expect(splitTypeLists({ type, enum: ['a', null] })).toEqual({
      anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }],
    });
    const unknown = { type: ['string', 'text'], enum: ['a'] };
    expect(splitTypeLists(unknown)).toBe(unknown);
  });

  it.each(['properties', 'anyOf'])('keeps its size, nested in %s', (keyword) => {
    let schema: JsonObject = text;
    for (let depth = 0; depth < 25; depth++) {
      const inner = keyword === 'anyOf' ? [schema] : { a: schema };
      schema = { type: ['object', 'array', 'string'], [keyword]: inner };
    }
    const single = mapSchemas(schema, splitTypeLists);
    expect(isObject(single)).toBe(true);
    expect(JSON.stringify(single).length).toBeLessThan(4 * JSON.stringify(schema).length);
  });
});
