import { describe, expect, it } from 'vitest';
import { toClosedSchema } from './close-json-schema.ts';

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
