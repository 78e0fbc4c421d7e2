import { describe, expect, it } from 'vitest';
import { closedSchema } from './closed-schema.ts';

describe('closedSchema', () => {
  it('closes every object and drops limits, at any depth', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', minItems: 1, items: { type: 'object', properties: {} } } },
      $defs: { n: { type: 'integer', minimum: 0 } },
    };
    expect(closedSchema(schema)).toEqual({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
      },
      $defs: { n: { type: 'integer' } },
      additionalProperties: false,
    });
  });

  it('does not take the author’s names and values for keywords', () => {
    const schema = {
      type: 'object',
      properties: { minimum: { type: 'string', enum: ['a'] } },
      required: ['minimum'],
      additionalProperties: false,
    };
    expect(closedSchema(schema)).toEqual(schema);
  });
});
