/** Schemas of tools, as their target takes them. */
import { isObject, type JsonObject, listOf } from '../json/json.ts';
import { combinations, joinedSchema } from './joined-schema.ts';
import { withoutRootReference, withReachableReferences } from './schema-references.ts';
import { everySchema, mapSchemas } from './schema-walk.ts';
import { withSingleType } from './single-type.ts';
import type { TargetFeatures } from './target-features.ts';

type SchemaFeatures = Pick<TargetFeatures, 'rootUnions' | 'typeLists' | 'rootKeywords'>;

/** Keywords that constrain values; their loss is named. */
const meaningful: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
  'if',
  'additionalProperties',
]);
/** Refused beside the combinations, by the same vendors. */
const refusedAtRoot: ReadonlySet<string> = new Set([
  ...combinations,
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
]);

/**
 * Every vendor takes a tool whose arguments are an object with named properties, and many refuse the whole request for
 * another one: `{}`, `{"type": "object"}` alone, a list of types, or a reference at the root.
 * @param lose takes the names of keywords that are left out
 */
export function fitToolSchema(
  schema: unknown,
  features: SchemaFeatures,
  lose: (keyword: string) => void,
): JsonObject {
  const own = isObject(schema) ? withoutRootReference(schema) : {};
  const root = features.rootUnions ? objectRoot(own) : withoutUnions(own, lose);
  const allowed = withAllowedKeywords(root, features.rootKeywords, lose);
  const reachable = allowed === own ? own : withReachableReferences(allowed, own, lose);
  const itemized = everySchema(reachable, hasItems) ? reachable : mapSchemas(reachable, withItems);
  const whole = isObject(itemized) ? itemized : reachable;
  if (features.typeLists) return whole;
  const single = mapSchemas(whole, withSingleType);
  return isObject(single) ? single : whole;
}

/**
 * OpenAI ("array schema missing items") and Google refuse a request with a list whose items are not described, and
 * Anthropic one with the tuples of older drafts. What is added allows the same values.
 * Source: https://json-schema.org/draft/2020-12/release-notes, "Changes to items and additionalItems"
 */
function withItems(schema: JsonObject): JsonObject {
  if (hasItems(schema)) return schema;
  const { items, additionalItems, ...rest } = schema;
  const isTuple = Array.isArray(items) && items.length > 0;
  return {
    ...rest,
    ...(isTuple && { prefixItems: items }),
    items: (isTuple ? additionalItems : undefined) ?? {},
  };
}

function hasItems({ type, items }: JsonObject): boolean {
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array')) || Array.isArray(items);
  return !isList || (items !== undefined && !Array.isArray(items));
}

function objectRoot(schema: JsonObject): JsonObject {
  const { type = 'object', properties } = schema;
  const mayBeObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!mayBeObject) return schema;
  if (type === 'object' && schema['type'] === 'object' && isObject(properties)) return schema;
  return { ...schema, type: 'object', properties: isObject(properties) ? properties : {} };
}

/** Alternatives at the root become one object that has the properties of them all. */
function withoutUnions(schema: JsonObject, lose: (keyword: string) => void): JsonObject {
  const entries = Object.entries(schema);
  const own: JsonObject = Object.fromEntries(entries.filter(([keyword]) => !refusedAtRoot.has(keyword)));
  for (const [keyword] of entries) if (refusedAtRoot.has(keyword) && meaningful.has(keyword)) lose(keyword);
  if (combinations.every((keyword) => listOf(schema[keyword]).length === 0)) return objectRoot(own);
  return { ...own, type: 'object', ...joinedSchema(schema) };
}

function withAllowedKeywords(
  schema: JsonObject,
  allowed: TargetFeatures['rootKeywords'],
  lose: (keyword: string) => void,
): JsonObject {
  if (allowed === 'any') return schema;
  const [kept, lost]: [[string, unknown][], string[]] = [[], []];
  for (const [keyword, value] of Object.entries(schema)) {
    if (allowed.includes(keyword)) kept.push([keyword, value]);
    else lost.push(keyword);
  }
  for (const keyword of lost) if (meaningful.has(keyword)) lose(keyword);
  return Object.fromEntries(kept);
}
