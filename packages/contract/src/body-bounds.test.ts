import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { features } from './all-feature-routes.ts';
import { getBodyMaxBytes, getBodyMaxValues, type Route, type Routes } from './route.ts';

const MIB = 1_048_576;
const bodies = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries<Route>(routes).flatMap(([name, route]) =>
    route.body === undefined ? [] : [{ name: `${feature}.${name}`, route, body: route.body }],
  ),
);

/** Free JSON has no lists in its schema; the count of values bounds it. `z.json()` is the only lazy schema. */
const isFree = (schema: z.ZodType): boolean => schema instanceof z.ZodLazy;
/** A boolean as a text has one of a few words. */
const isBooleanText = (schema: z.ZodType): boolean => schema instanceof z.ZodPipe && schema.out instanceof z.ZodBoolean;

function schemasBelow(schema: z.ZodType, seen = new Set<z.ZodType>()): ReadonlySet<z.ZodType> {
  if (seen.has(schema) || isFree(schema) || isBooleanText(schema)) return seen;
  seen.add(schema);
  const parts = schema instanceof z.ZodObject ? Object.values(schema.shape) : Object.values(schema.def);
  for (const part of parts.flat()) if (part instanceof z.ZodType) schemasBelow(part, seen);
  return seen;
}

const isBounded = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodArray
    ? 'maxItems' in z.toJSONSchema(schema, { unrepresentable: 'any' })
    : typeof schema.meta()?.['maxProperties'] === 'number';

const addresses = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries<Route>(routes).flatMap(([name, { params, query }]) =>
    [params, query].flatMap((schema) => (schema === undefined ? [] : [{ name: `${feature}.${name}`, schema }])),
  ),
);

/** Texts of some formats, such as UUIDs and dates, have few characters. */
const isShort = (schema: z.ZodType): boolean => {
  const { maxLength, format, pattern } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return maxLength !== undefined || format !== undefined || /^\^[^*+]*\$$/.test(pattern ?? '*');
};

test.each(addresses)('every text in the path and the query of $name has a maximum length', ({ schema }) => {
  const texts = [...schemasBelow(schema)].filter((part) => part instanceof z.ZodString);
  expect(texts.filter((part) => !isShort(part)).map((part) => z.toJSONSchema(part))).toEqual([]);
});

describe('request bodies of the contract', () => {
  test.each(bodies)('limits the size of every list and record in $name', ({ body }) => {
    const lists = [...schemasBelow(body)].filter(
      (schema) => schema instanceof z.ZodArray || schema instanceof z.ZodRecord,
    );
    expect(lists.filter((schema) => !isBounded(schema)).map(({ def }) => def)).toEqual([]);
  });

  test('allows anonymous callers 16 KiB, and users 64 KiB unless the route allows more', () => {
    const [declared, others] = [
      bodies.filter(({ route }) => route.bodyMaxBytes !== undefined),
      bodies.filter(({ route }) => route.bodyMaxBytes === undefined),
    ];
    for (const { name, route } of others)
      expect(getBodyMaxBytes(route), name).toBe(route.access === 'anyone' ? 16_384 : 65_536);
    for (const { name, route } of declared) {
      expect(route.access, name).not.toBe('anyone');
      expect(getBodyMaxBytes(route), name).toBeLessThanOrEqual(8 * MIB);
    }
  });

  test('allows users 50,000 values', () => {
    for (const { name, route } of bodies)
      if (route.access === 'user' || route.access === 'anyone') expect(getBodyMaxValues(route), name).toBe(50_000);
  });
});
