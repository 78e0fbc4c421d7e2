import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { mergeUnions } from './fit-tool-schema.ts';
import { CopyBudget } from './json-schema-references.ts';

const text = { type: 'string' };
const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
const named = (name: string): Record<string, unknown> => ({ properties: { [name]: text }, required: [name] });

describe('a schema that combines others', () => {
  it.each<[string, Record<string, unknown>, string[], string[]]>([
    ['alternatives', { anyOf: [named('a'), named('b')] }, ['a', 'b'], []],
    ['parts', { allOf: [named('a'), named('b')] }, ['a', 'b'], ['a', 'b']],
    ['parts within alternatives', { oneOf: [{ allOf: [named('a'), named('b')] }, named('a')] }, ['a', 'b'], ['a']],
    [
      'a reference with something beside it',
      { anyOf: [{ $ref: '#/$defs/A', description: 'first' }], $defs: { A: named('a') } },
      ['a'],
      ['a'],
    ],
    [
      'a chain of references',
      { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { $ref: '#/$defs/B' }, B: named('b') } },
      ['b'],
      ['b'],
    ],
    [
      'a name with encoded brackets',
      { anyOf: [{ $ref: '#/$defs/Page%3CRow%3E' }], $defs: { 'Page<Row>': named('rows') } },
      ['rows'],
      ['rows'],
    ],
    ['a list entry', { anyOf: [named('a'), { $ref: '#/anyOf/0' }] }, ['a'], ['a']],
    [
      'a schema within itself',
      { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { oneOf: [{ $ref: '#/$defs/A' }, named('a')] } } },
      ['a'],
      ['a'],
    ],
    [
      'names that every object has',
      { anyOf: [named('constructor'), named('toString')] },
      ['constructor', 'toString'],
      [],
    ],
  ])('has the properties of %s', (_name, schema, properties, required) => {
    const joined = mergeUnions(schema, new CopyBudget([schema]));
    expect(Object.keys(joined['properties'] ?? {})).toEqual(properties);
    expect(joined['required'] ?? []).toEqual(required);
  });

  it('copies few properties of large schemas within each other', () => {
    const path = (depth: number): string => '/properties/a'.repeat(depth);
    const large = many(20, (at) => at).reduce<object>((inner) => ({ properties: { a: inner } }), {
      description: 'x'.repeat(1_500_000),
    });
    const schema = { ...large, anyOf: many(20, (at) => ({ $ref: `#${path(at + 1)}` })) };
    expect(JSON.stringify(mergeUnions(schema, new CopyBudget([schema]))).length).toBeLessThan(4_000_000);
  });

  it.each<[string, Record<string, unknown>]>([
    [
      'different alternatives for one property',
      { anyOf: many(20_000, (at) => ({ properties: { kind: { const: at } } })) },
    ],
    [
      'references to itself',
      {
        anyOf: [{ $ref: '#/$defs/A' }],
        $defs: { A: { anyOf: many(2_000, (at) => ({ $ref: '#/$defs/A', title: `${at}` })) } },
      },
    ],
    [
      'references to many alternatives',
      {
        anyOf: many(5_000, (at) => ({ $ref: '#/$defs/A', title: `${at}` })),
        $defs: { A: { anyOf: many(5_000, (at) => named(`p${at}`)) } },
      },
    ],
    [
      'references to many required names',
      {
        anyOf: many(6_000, (at) => ({ $ref: '#/$defs/A', title: `${at}` })),
        $defs: { A: { required: many(6_000, (at) => `name ${at}`) } },
      },
    ],
  ])('reads each part once, with thousands of %s', (_name, schema) => {
    const readCpuMs = startCpuTimer();
    mergeUnions(schema, new CopyBudget([schema]));
    expect(readCpuMs()).toBeLessThan(2_000);
  });
});
