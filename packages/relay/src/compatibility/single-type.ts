import type { JsonObject } from '../json/json.ts';

/** The types that a keyword says something about; the others say something about values of any type. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  properties: ['object'],
  patternProperties: ['object'],
  additionalProperties: ['object'],
  propertyNames: ['object'],
  required: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
  items: ['array'],
  prefixItems: ['array'],
  contains: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  format: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  exclusiveMinimum: ['number', 'integer'],
  exclusiveMaximum: ['number', 'integer'],
  multipleOf: ['number', 'integer'],
};

/** Annotations, which stand beside the alternatives. */
const annotations: ReadonlySet<string> = new Set(['description', 'title', 'default']);
/** Keywords with values of any type, from which each alternative takes those of its own. */
const valueLists: ReadonlySet<string> = new Set(['enum', 'examples']);

/**
 * Returns a schema with a list of types as alternatives of one type each. Each keyword goes to the types that it is
 * about, and other schemas to the first alternative only: copies within copies would grow beyond any limit.
 */
export function withSingleType(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types: readonly unknown[] = type;
  if (types.length < 2) return types.length === 0 ? rest : { ...rest, type: types[0] };
  const entries = Object.entries(rest);
  const main = types.find((one) => one !== 'null');
  return {
    ...Object.fromEntries(entries.filter(([keyword]) => annotations.has(keyword))),
    anyOf: types.map((one) => ({
      type: one,
      ...Object.fromEntries(entries.flatMap(([keyword, value]) => constraint(keyword, value, one, main))),
    })),
  };
}

/** Null has no constraints but being null. */
function constraint(keyword: string, value: unknown, type: unknown, main: unknown): [string, unknown][] {
  if (annotations.has(keyword) || type === 'null') return [];
  if (valueLists.has(keyword) && Array.isArray(value)) {
    const own = value.filter((one) => isOfType(one, type));
    return own.length > 0 ? [[keyword, own]] : [];
  }
  const about = Object.hasOwn(typesOf, keyword) ? typesOf[keyword] : undefined;
  if (about !== undefined) return about.some((one) => one === type) ? [[keyword, value]] : [];
  return type === main || typeof value !== 'object' ? [[keyword, value]] : [];
}

function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return typeof value === 'number' ? type === 'number' || type === 'integer' : typeof value === type;
}
