/** A change keeps omitted fields: no `PUT` fills in a default, at any depth. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { features } from './all-feature-routes.ts';

/** A price is replaced as a whole, as documented; an empty secret keeps the stored one. */
const exceptions = /^prices\.(?:update|saveGroup)\.|^contentSafety\.update\.secret$/;

/** Returns the paths of fields with defaults. The content of a list or record is replaced with it. */
function listDefaults(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((item) => listDefaults(item, path));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'default') return [path];
    if (key === 'items' || key === 'additionalProperties') return [];
    if (key === 'properties' && typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([name, field]) => listDefaults(field, `${path}.${name}`));
    return listDefaults(value, path);
  });
}

test('no change fills in a default', () => {
  const found = Object.entries(features).flatMap(([feature, routes]) =>
    Object.entries(routes).flatMap(([name, { method, body }]) =>
      method === 'PUT' && body !== undefined
        ? listDefaults(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), `${feature}.${name}`)
        : [],
    ),
  );
  expect(found.filter((path) => !exceptions.test(path))).toEqual([]);
});
