import { isObject, type JsonObject } from '../json/json.ts';

/** Keywords under which names of the schema's author stand, not keywords. */
const nameMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are no schemas. */
const verbatim: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'default',
  'example',
  'examples',
  'required',
]);

/**
 * A JSON Schema with each schema in it replaced by what `change` makes of it, the innermost first.
 * @param change gets a schema whose own subschemas have been changed
 */
export function mapSchemas(schema: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => mapSchemas(inner, change));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    mapKeyword(keyword, value, change),
  ]);
  return change(Object.fromEntries(entries));
}

function mapKeyword(keyword: string, value: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  if (verbatim.has(keyword)) return value;
  if (!nameMaps.has(keyword) || !isObject(value)) return mapSchemas(value, change);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapSchemas(inner, change)]));
}

/** Returns whether the condition holds for a JSON Schema and every schema in it. */
export function everySchema(schema: unknown, isSuch: (schema: JsonObject) => boolean): boolean {
  let areAll = true;
  mapSchemas(schema, (inner) => {
    areAll &&= isSuch(inner);
    return inner;
  });
  return areAll;
}
