import { isObject, type JsonObject, numberOf } from '../../../json/json.ts';

/** Keywords whose members are names that the schema's author chose. */
const nameMaps = new Set(['properties', '$defs', 'defs', 'definitions']);
const verbatim = new Set(['enum', 'const', 'default', 'required', 'example', 'examples']);
/** 64-bit integers are strings in Google's JSON. */
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']); // prettier-ignore
const camelCased: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/** Converts a schema in Google's OpenAPI form (`type: 'STRING'`, `nullable`) to JSON Schema. */
export function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema)
    .map(([name, value]) => [camelCased[name] ?? name, value] as const)
    .filter(([keyword]) => keyword !== 'nullable' && keyword !== 'propertyOrdering')
    .map(([keyword, value]) => [keyword, keywordValue(keyword, value)] as const);
  return withNull(Object.fromEntries(entries), schema['nullable'] === true);
}

function keywordValue(keyword: string, value: unknown): unknown {
  if (verbatim.has(keyword) || typeof value === 'bigint') return value;
  if (keyword === 'type') return typeOf(value);
  if (counts.has(keyword)) return numberOf(Number(value)) ?? value;
  if (!nameMaps.has(keyword) || !isObject(value)) return toJsonSchema(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

function typeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typeOf);
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function withNull(schema: JsonObject, isNullable: boolean): JsonObject {
  if (!isNullable) return schema;
  const { type } = schema;
  if (typeof type === 'string') {
    const options = schema['enum'];
    return {
      ...schema,
      type: [type, 'null'],
      ...(Array.isArray(options) && !options.includes(null) && { enum: [...options, null] }),
    };
  }
  return schema['anyOf'] === undefined ? schema : { ...schema, anyOf: [...[schema['anyOf']].flat(), { type: 'null' }] };
}
