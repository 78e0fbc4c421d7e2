import { describe, expect, it } from 'vitest';
import { fitToolSchema } from './fit-tool-schema.ts';
import { CopyBudget } from './json-schema-references.ts';

const plain = { rootUnions: true, typeLists: true, rootKeywords: 'any' } as const;
const noUnions = { ...plain, rootUnions: false };

function fit(schema: unknown, features: Parameters<typeof fitToolSchema>[1] = plain) {
  const lost: string[] = [];
  return { schema: fitToolSchema(schema, features, new CopyBudget([schema]), (keyword) => lost.push(keyword)), lost };
}

const text = { type: 'string' };
const number = { type: 'number' };

describe('a tool schema', () => {
  it.each([
    ['an object without properties', { type: 'object' }],
    ['nothing', {}],
    ['null', null],
    ['true', true],
    ['properties that are no object', { type: 'object', properties: null }],
    ['a list of types', { type: ['object', 'null'] }],
  ])('becomes an object with properties if the client sent %s', (_name, schema) => {
    expect(fit(schema).schema).toEqual({ type: 'object', properties: {} });
  });

  it('returns a schema that every target accepts unchanged', () => {
    const schema = { type: 'object', properties: { a: text }, required: ['a'], description: 'd' };
    expect(fit(schema).schema).toBe(schema);
  });

  const pair = [text, number];
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a list', { type: 'array' }, { type: 'array', items: {} }],
    ['a list or null', { type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
    [
      'a list of lists',
      { type: 'array', items: { type: 'array' } },
      { type: 'array', items: { type: 'array', items: {} } },
    ],
    ['an empty tuple', { type: 'array', items: [] }, { type: 'array', items: {} }],
    ['a tuple', { type: 'array', items: pair }, { type: 'array', prefixItems: pair, items: {} }],
    [
      'a closed tuple',
      { type: 'array', items: pair, additionalItems: false },
      { type: 'array', prefixItems: pair, items: false },
    ],
    ['a new tuple', { type: 'array', prefixItems: pair }, { type: 'array', prefixItems: pair, items: {} }],
    ['alternatives', { anyOf: [{ type: 'array' }, text] }, { anyOf: [{ type: 'array', items: {} }, text] }],
  ])('gets the items of %s', (_name, given, expected) => {
    const schemaOf = (inner: unknown): unknown => ({
      type: 'object',
      properties: { items: inner, a: { type: 'object', properties: { b: inner } } },
      $defs: { D: inner },
    });
    expect(fit(schemaOf(given))).toEqual({ schema: schemaOf(expected), lost: [] });
  });

  it('resolves a reference at the root', () => {
    const order = { type: 'object', properties: { a: text } };
    expect(fit({ $ref: '#/$defs/Order', $defs: { Order: order } }).schema).toEqual({
      ...order,
      $defs: { Order: order },
    });
    expect(fit({ $ref: '#/$defs/Missing' }).schema).toEqual({ type: 'object', properties: {} });
    expect(fit({ $ref: '#' }).schema).toEqual({ type: 'object', properties: {} });
  });

  it('keeps alternatives if the target accepts them', () => {
    const schema = { type: 'object', properties: {}, anyOf: [{ required: ['a'] }] };
    expect(fit(schema).schema).toBe(schema);
  });

  it.each(['anyOf', 'oneOf'])('merges the alternatives of %s for other targets, and reports it', (keyword) => {
    const branches = [
      { type: 'object', properties: { id: text, a: text }, required: ['id', 'a'] },
      { type: 'object', properties: { id: text, a: number }, required: ['id'] },
    ];
    expect(fit({ [keyword]: branches, description: 'd' }, noUnions)).toEqual({
      schema: {
        type: 'object',
        description: 'd',
        properties: { id: text, a: { anyOf: [text, number] } },
        required: ['id'],
      },
      lost: [keyword],
    });
  });

  it('merges allOf without a loss', () => {
    const base = { type: 'object', properties: { a: text }, required: ['a'] };
    const schema = {
      allOf: [{ $ref: '#/$defs/Base' }, { properties: { b: number }, required: ['b'] }],
      $defs: { Base: base },
    };
    expect(fit(schema, noUnions)).toEqual({
      schema: { type: 'object', properties: { a: text, b: number }, required: ['a', 'b'], $defs: { Base: base } },
      lost: [],
    });
  });

  it('does not follow a self-reference forever', () => {
    const schema = { anyOf: [{ $ref: '#/$defs/Loop' }], $defs: { Loop: { anyOf: [{ $ref: '#/$defs/Loop' }] } } };
    expect(fit(schema, noUnions).schema).toMatchObject({ type: 'object', properties: {} });
  });

  it.each(['not', 'enum', 'const'])('loses %s at the root, and reports it', (keyword) => {
    expect(fit({ type: 'object', properties: {}, [keyword]: [{}] }, noUnions)).toEqual({
      schema: { type: 'object', properties: {} },
      lost: [keyword],
    });
  });

  it('has one type per value if lists of types are refused', () => {
    const property = { type: ['string', 'null'], description: 'd', maxLength: 3, default: null };
    const { schema } = fit({ type: 'object', properties: { a: property } }, { ...plain, typeLists: false });
    expect(schema['properties']).toEqual({
      a: { description: 'd', default: null, anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
    });
  });

  it('has only the root keywords that the target accepts', () => {
    const schema = {
      type: 'object',
      properties: { a: text },
      required: ['a'],
      title: 't',
      $schema: 's',
      additionalProperties: false,
    };
    expect(fit(schema, { ...noUnions, rootKeywords: ['type', 'properties', 'required'] })).toEqual({
      schema: { type: 'object', properties: { a: text }, required: ['a'] },
      lost: ['additionalProperties'],
    });
  });
});
