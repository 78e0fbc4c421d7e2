import { expect, it } from 'vitest';
import { toJsonSchema } from './decode-config-and-schema.ts';

it('converts Google’s OpenAPI form to JSON Schema without a change of names and values', () => {
  expect(
    toJsonSchema({
      type: 'OBJECT',
      propertyOrdering: ['type', 'nullable'],
      required: ['type'],
      properties: {
        type: { type: 'STRING', enum: ['A', 'B'], nullable: true },
        nullable: { type: 'ARRAY', min_items: '2', items: { type: 'INTEGER', format: 'int32' } },
        any_of: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
      },
    }),
  ).toEqual({
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: ['string', 'null'], enum: ['A', 'B', null] },
      nullable: { type: 'array', minItems: 2, items: { type: 'integer', format: 'int32' } },
      any_of: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
    },
  });
});

it('leaves JSON Schema unchanged', () => {
  const schema = { type: ['string', 'null'], $ref: '#/$defs/a', $defs: { a: { const: 'X' } } };
  expect(toJsonSchema(schema)).toEqual(schema);
});

it('keeps a keyword whose name is that of a built-in property', () => {
  const schema: unknown = JSON.parse('{"type":"object","constructor":{"a":1},"toString":"b","__proto__":{"c":2}}');
  expect(JSON.stringify(toJsonSchema(schema))).toBe(JSON.stringify(schema));
});
