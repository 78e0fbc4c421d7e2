import { features } from '@switchyard/contract/all-feature-routes';
import type { Routes } from '@switchyard/contract/route';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findUnknownField } from './unknown-fields.ts';

const inner = z.object({ limit: z.int() });

describe('an unknown field is found', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['in an object', inner, { limit: 1, other: 1 }, 'other'],
    ['below an object', z.object({ inner }), { inner: { limit: 1, other: 1 } }, 'inner.other'],
    ['in an optional object', inner.optional(), { limit: 1, other: 1 }, 'other'],
    ['in an object that may be null', inner.nullable(), { limit: 1, other: 1 }, 'other'],
    ['in an object with a default', inner.default({ limit: 1 }), { limit: 1, other: 1 }, 'other'],
    ['in an object that is refined', inner.refine(() => true), { limit: 1, other: 1 }, 'other'],
    ['in an object that is transformed', inner.transform(() => 1), { limit: 1, other: 1 }, 'other'],
    ['in an element of a list', z.array(inner), [{ limit: 1 }, { limit: 1, other: 1 }], '1.other'],
    ['in a value of a record', z.record(z.string(), inner), { a: { limit: 1, other: 1 } }, 'a.other'],
    ['in a union', z.union([z.int(), inner]), { limit: 1, other: 1 }, 'other'],
    ['in a lazy object', z.lazy(() => inner), { limit: 1, other: 1 }, 'other'],
    ['under a name of every object', inner, { limit: 1, constructor: 1 }, 'constructor'],
  ])('%s', (_where, schema, value, path) => {
    expect(findUnknownField(schema, value)?.path.join('.')).toBe(path);
  });
});

test.each<[string, z.ZodType, unknown]>([
  ['an object that takes any field', z.looseObject({ limit: z.int() }), { limit: 1, other: 1 }],
  ['a value of any kind', z.unknown(), { other: { more: 1 } }],
  ['the option of a union that knows all fields', z.union([inner, z.object({ other: z.int() })]), { other: 1 }],
  ['a record', z.record(z.string(), z.unknown()), { other: { more: 1 } }],
])('%s has no unknown field', (_what, schema, value) => {
  expect(findUnknownField(schema, value)).toBeUndefined();
});

test.each<[string, z.ZodType]>([
  ['a value of any kind', z.unknown()],
  ['JSON', z.json()],
  ['a record of free values', z.record(z.string(), z.unknown())],
  ['a list of texts', z.array(z.string())],
  ['a field of any kind in an object', z.object({ free: z.any() }).shape.free],
])('no element of %s is checked, because it cannot have unknown fields', (_what, schema) => {
  let reads = 0;
  const value = new Proxy([1, 2, 3], {
    get: (list, name) => {
      reads += 1;
      return Reflect.get(list, name);
    },
    ownKeys: (list) => {
      reads += 1;
      return Reflect.ownKeys(list);
    },
  });
  expect(findUnknownField(schema, value)).toBeUndefined();
  expect(reads).toBe(0);
});

test('every body of the contract is of kinds that are looked into', () => {
  const bodies = Object.values<Routes>(features).flatMap((routes) =>
    Object.entries(routes).flatMap(([name, { body }]) => (body === undefined ? [] : [{ name, body }])),
  );
  expect(bodies.length).toBeGreaterThan(50);
  const kinds = new Set(bodies.flatMap(({ body }) => kindsIn(body)));
  expect([...kinds].filter((kind) => kind === 'intersection' || kind === 'tuple')).toEqual([]);
});

function kindsIn(schema: z.ZodType, seen = new Set<z.ZodType>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { def } = schema;
  const below = schema instanceof z.ZodObject ? Object.values(schema.shape) : Object.values(def);
  const schemas = below.flat().filter((part): part is z.ZodType => part instanceof z.ZodType);
  return [def.type, ...schemas.flatMap((part) => kindsIn(part, seen))];
}
