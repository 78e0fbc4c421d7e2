import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { isClosedSchema, toClosedSchema } from './closed-json-schema.ts';

describe('toClosedSchema', () => {
  it('closes objects at any depth, describes limits in text and reports them', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', minItems: 2, items: { type: 'object', properties: {} } } },
      $defs: { n: { type: 'integer', minimum: 0, maximum: 9, description: 'How many' } },
    };
    const lost: string[] = [];
    expect(toClosedSchema(schema, (keyword) => lost.push(keyword))).toEqual({
      type: 'object',
      properties: {
        list: {
          type: 'array',
          description: '(minItems: 2)',
          items: { type: 'object', properties: {}, additionalProperties: false },
        },
      },
      $defs: { n: { type: 'integer', description: 'How many (minimum: 0, maximum: 9)' } },
      additionalProperties: false,
    });
    expect(lost.toSorted()).toEqual(['maximum', 'minItems', 'minimum']);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    ['one of several', { oneOf: [{ type: 'null' }] }, { anyOf: [{ type: 'null' }] }, []],
    [
      'two kinds of alternatives',
      { oneOf: [{ type: 'null' }], anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'string' }] },
      ['oneOf'],
    ],
    ['a known format', { type: 'string', format: 'uuid' }, { type: 'string', format: 'uuid' }, []],
    [
      'another format',
      { type: 'string', format: 'color' },
      { type: 'string', description: '(format: color)' },
      ['format'],
    ],
    ['a negation', { not: { type: 'null' } }, { description: '(not: {"type":"null"})' }, ['not']],
    [
      'names by pattern',
      { type: 'object', patternProperties: { '^x': { type: 'string' } } },
      { type: 'object', additionalProperties: false, description: '(patternProperties: {"^x":{"type":"string"}})' },
      ['patternProperties'],
    ],
  ])('replaces %s by its supported equivalent', (_name, schema, closed, expected) => {
    const lost: string[] = [];
    expect(toClosedSchema(schema, (keyword) => lost.push(keyword))).toEqual(closed);
    expect(lost).toEqual(expected);
  });

  it('reports a map, which it cannot enforce', () => {
    const lost: string[] = [];
    toClosedSchema({ type: 'object', additionalProperties: { type: 'string' } }, (keyword) => lost.push(keyword));
    expect(lost).toEqual(['additionalProperties']);
  });

  it('distinguishes keywords from the author’s names and values', () => {
    const schema = {
      type: 'object',
      properties: { minimum: { type: 'string', enum: ['a'] } },
      required: ['minimum'],
      additionalProperties: false,
    };
    expect(toClosedSchema(schema, () => undefined)).toEqual(schema);
  });
});

const text = { type: 'string' };

/** An object with this one property, closed. */
function closed(property: unknown, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { a: property }, required: ['a'], additionalProperties: false, ...more };
}

describe('a strict schema', () => {
  it.each<[string, JsonObject]>([
    ['closed objects within each other', closed(closed(text))],
    ['a value that may be null', closed({ type: ['string', 'null'], description: 'd' })],
    ['alternatives', closed({ anyOf: [text, closed(text)] })],
    ['values without a type', closed({ enum: ['a', 'b'] })],
    ['a bare reference', closed({ $ref: '#/$defs/A' }, { $defs: { A: text } })],
  ])('can be enforced with %s', (_name, schema) => {
    expect(isClosedSchema(schema)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['an open object', closed({ type: 'object', properties: {} })],
    ['a property that is not required', closed(text, { required: [] })],
    ['a required name without a property', closed(text, { required: ['a', 'b'] })],
    ['a value of which nothing is said', closed({ description: 'anything' })],
    ['an empty schema', closed({})],
    ['something beside a reference', closed({ $ref: '#/$defs/A', description: 'd' }, { $defs: { A: text } })],
    ['a definition that is open', closed({ $ref: '#/$defs/A' }, { $defs: { A: { type: 'object' } } })],
    ['alternatives at the root', closed(text, { anyOf: [{ required: ['a'] }] })],
  ])('cannot be enforced with %s', (_name, schema) => {
    expect(isClosedSchema(schema)).toBe(false);
  });
});
