import { describe, expect, it } from 'vitest';
import { DEPTH_MAX, type JsonObject } from '../json/json.ts';
import { CopyBudget, copyReferencedDefinitions, inlineRootReference } from './json-schema-references.ts';

const text = { type: 'string' };
const order = { type: 'object', properties: { id: text } };

function reachable(schema: JsonObject, original: JsonObject) {
  const lost: string[] = [];
  return {
    schema: copyReferencedDefinitions(schema, original, new CopyBudget([original]), (keyword) => lost.push(keyword)),
    lost,
  };
}

describe('a root with a reference', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['directly', { A: order }, order],
    ['through another one', { A: { $ref: '#/$defs/B' }, B: order }, order],
    [
      'with something beside it',
      { A: { $ref: '#/$defs/B', title: 'A' }, B: { ...order, title: 'B' } },
      { ...order, title: 'A' },
    ],
    ['in a circle', { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } }, {}],
    ['to the root', { A: { $ref: '#' } }, {}],
    ['to nothing', {}, {}],
  ])('is replaced by its target %s', (_name, $defs, meant) => {
    expect(inlineRootReference({ $ref: '#/$defs/A', $defs })).toEqual({ ...meant, $defs });
  });
});

describe('a schema without the definitions of its original', () => {
  const referring = { type: 'object', properties: { a: { $ref: '#/$defs/A', description: 'd' } } };

  it('gets copies of the referenced definitions', () => {
    expect(reachable(referring, { ...referring, $defs: { A: order } })).toEqual({
      schema: { type: 'object', properties: { a: { ...order, description: 'd' } } },
      lost: [],
    });
  });

  it('keeps the references to its own definitions', () => {
    const whole = { ...referring, $defs: { A: order } };
    expect(reachable(whole, whole)).toEqual({ schema: whole, lost: [] });
  });

  it('reports the reference of a definition to itself', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#/$defs/A' } } };
    expect(reachable(referring, { ...referring, $defs: { A: tree } })).toEqual({
      schema: { type: 'object', properties: { a: { type: 'object', properties: { child: {} }, description: 'd' } } },
      lost: ['$ref'],
    });
  });

  it('limits the copies of definitions that each refer to two others', () => {
    const next = (at: number): JsonObject => ({ $ref: `#/$defs/${at}` });
    const $defs = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [at, { properties: { l: next(at + 1), r: next(at + 1) } }]),
    );
    const schema = { properties: { a: next(0) } };
    const { schema: whole, lost } = reachable(schema, { ...schema, $defs });
    expect(JSON.stringify(whole).length).toBeLessThan(2_000_000);
    expect(lost).toContain('$ref');
  });

  it.each([
    ['20,000 characters of a short one', 50, 20_000],
    ['four times the characters of a long one', 2_000, 4 * 43_500],
  ])('copies at most %s', (_, references, most) => {
    const schema = { not: { anyOf: Array.from({ length: references }, () => ({ $ref: '#/$defs/A' })) } };
    const $defs = { A: { enum: Array.from({ length: 500 }, () => '') } };
    const { schema: whole, lost } = reachable(schema, { ...schema, $defs });
    expect(lost).toContain('$ref');
    const copied = JSON.stringify(whole).length;
    expect(copied).toBeGreaterThan(0.9 * most);
    expect(copied).toBeLessThan(1.1 * most);
  });

  it('limits the depth of definitions that each refer to the next one', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [at, { items: { $ref: `#/$defs/${at + 1}` } }]),
    );
    const schema = { items: { $ref: '#/$defs/0' } };
    const { schema: whole, lost } = reachable(schema, { ...schema, $defs });
    expect(JSON.stringify(whole).split('items')).toHaveLength(DEPTH_MAX + 2);
    expect(lost).toEqual(['$ref']);
  });
});
