import { isObject } from '../json.ts';

/** Keywords that the vendor's constrained decoding refuses. */
const refused = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);

/** Keywords under which names of the schema's author stand, not keywords. */
const nameMaps = new Set(['properties', '$defs', 'definitions']);
const verbatim = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** A JSON schema as structured output needs it here: objects without further properties, no limits. */
export function closedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedSchema);
  if (!isObject(schema)) return schema;
  const closed = Object.entries(schema)
    .filter(([keyword]) => !refused.has(keyword))
    .map(([keyword, value]) => [keyword, closedKeyword(keyword, value)]);
  const isObjectSchema = schema['type'] === 'object' || schema['properties'] !== undefined;
  return { ...Object.fromEntries(closed), ...(isObjectSchema && { additionalProperties: false }) };
}

function closedKeyword(keyword: string, value: unknown): unknown {
  if (verbatim.has(keyword)) return value;
  if (!nameMaps.has(keyword) || !isObject(value)) return closedSchema(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, closedSchema(schema)]));
}
