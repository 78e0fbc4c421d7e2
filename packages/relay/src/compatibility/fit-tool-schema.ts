/** Tool schemas in the form that their target accepts. */

import { DEPTH_MAX, isObject, type JsonObject, listOf, textsIn } from '../json/json.ts';
import {
  type CopyBudget,
  copyReferencedDefinitions,
  everySchema,
  inlineRootReference,
  mapSchemas,
  resolveReference,
} from './json-schema-references.ts';
import type { TargetFeatures } from './target-features.ts';

/** Keywords that combine schemas. */
const combinations = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * Merges a schema with all that it combines: all their properties, and the names that every alternative requires. The
 * work is linear in the schema's size, regardless of references between its parts.
 */
export function mergeUnions(root: JsonObject, budget: CopyBudget): JsonObject {
  const required = new RequiredNames(root, budget).namesFor(root);
  return {
    properties: mergedProperties(schemasIn(root), budget),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** Returns the schema and the schemas that it combines or refers to, also indirectly, each once. */
function schemasIn(root: JsonObject): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (schema: JsonObject, depth: number): void => {
    if (found.has(schema) || depth > DEPTH_MAX) return;
    found.add(schema);
    const referred = resolveReference(schema, root);
    if (referred !== undefined) add(referred, depth + 1);
    for (const keyword of combinations) for (const branch of listBranches(schema, keyword)) add(branch, depth + 1);
  };
  add(root, 0);
  return [...found];
}

function listBranches(schema: JsonObject, keyword: (typeof combinations)[number]): JsonObject[] {
  return listOf(schema[keyword]).map((branch) => (isObject(branch) ? branch : {}));
}

const anything: JsonObject = {};

/**
 * Merges properties. A property that alternatives describe differently allows all descriptions. A property that the
 * budget doesn't cover allows everything: schemas within each other would be copied once for each.
 */
function mergedProperties(schemas: readonly JsonObject[], budget: CopyBudget): JsonObject {
  const found = new Map<string, Map<string, unknown>>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const known = found.get(name) ?? new Map<string, unknown>();
      const text = budget.isSpent ? '' : JSON.stringify(property);
      const isCopied = text !== '' && budget.take(text.length);
      known.set(isCopied ? text : '{}', isCopied ? property : anything);
      found.set(name, known);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, kinds]) => {
      const [first, ...others] = kinds.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}

/**
 * Names that a schema requires in all cases. Each reference copies its target's names; a part that the budget doesn't
 * cover requires none, which allows more.
 */
class RequiredNames {
  readonly #root: JsonObject;
  readonly #budget: CopyBudget;
  /** Holds undefined for a schema in progress, so that a recursive schema adds no names. */
  readonly #known = new Map<JsonObject, ReadonlySet<string> | undefined>();

  constructor(root: JsonObject, budget: CopyBudget) {
    this.#root = root;
    this.#budget = budget;
  }

  namesFor(schema: JsonObject): ReadonlySet<string> {
    return this.#lookUp(schema, 0) ?? new Set();
  }

  #lookUp(schema: JsonObject, depth: number): ReadonlySet<string> | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema);
    if (depth > DEPTH_MAX) return undefined;
    this.#known.set(schema, undefined);
    const referred = resolveReference(schema, this.#root);
    const ofReferred = referred && this.#lookUp(referred, depth + 1);
    if (referred !== undefined && ofReferred === undefined) return undefined;
    const sources: readonly Iterable<string>[] = [
      textsIn(schema['required']),
      ofReferred ?? [],
      ...this.#lookUpAll(listBranches(schema, 'allOf'), depth),
      intersectNames(this.#lookUpAll([...listBranches(schema, 'anyOf'), ...listBranches(schema, 'oneOf')], depth)),
    ];
    const names = this.#merge(sources);
    this.#known.set(schema, names);
    return names;
  }

  #merge(sources: readonly Iterable<string>[]): ReadonlySet<string> {
    const names = new Set<string>();
    for (const source of sources)
      for (const name of source) {
        if (!this.#budget.take(name.length)) return new Set();
        names.add(name);
      }
    return names;
  }

  #lookUpAll(branches: readonly JsonObject[], depth: number): ReadonlySet<string>[] {
    return branches.map((branch) => this.#lookUp(branch, depth + 1)).filter((names) => names !== undefined);
  }
}

function intersectNames([first, ...others]: readonly ReadonlySet<string>[]): string[] {
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}

type SchemaFeatures = Pick<TargetFeatures, 'rootUnions' | 'typeLists' | 'rootKeywords'>;

/** Keywords that constrain values; their removal is reported. */
const meaningful: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
  'if',
  'additionalProperties',
]);
/** Keywords that the same vendors refuse beside combinations. */
const refusedAtRoot: ReadonlySet<string> = new Set([...combinations, 'not', 'enum', 'const', 'if', 'then', 'else']);

/**
 * Converts a tool's schema to an object with properties, which every vendor accepts. Many refuse the whole request
 * for another root: `{}`, `{"type": "object"}` alone, a list of types, or a reference.
 * @param budget shared by all schemas of the request
 * @param lose takes the names of removed keywords
 */
export function fitToolSchema(
  schema: unknown,
  features: SchemaFeatures,
  budget: CopyBudget,
  lose: (keyword: string) => void,
): JsonObject {
  const own = isObject(schema) ? inlineRootReference(schema) : {};
  const root = features.rootUnions ? toObjectRoot(own) : withoutUnions(own, budget, lose);
  const allowed = withAllowedKeywords(root, features.rootKeywords, lose);
  const reachable = allowed === own ? own : copyReferencedDefinitions(allowed, own, budget, lose);
  const itemized = everySchema(reachable, hasItems) ? reachable : mapSchemas(reachable, withItems);
  const whole = isObject(itemized) ? itemized : reachable;
  if (features.typeLists) return whole;
  const single = mapSchemas(whole, splitTypeLists);
  return isObject(single) ? single : whole;
}

/**
 * Adds `items` to lists without a change of the allowed values. OpenAI ("array schema missing items") and Google
 * refuse a request with a list without `items`, and Anthropic one with the tuples of older drafts.
 * Source: https://json-schema.org/draft/2020-12/release-notes, "Changes to items and additionalItems"
 */
function withItems(schema: JsonObject): JsonObject {
  if (hasItems(schema)) return schema;
  const { items, additionalItems, ...rest } = schema;
  const isTuple = Array.isArray(items) && items.length > 0;
  return { ...rest, ...(isTuple && { prefixItems: items }), items: (isTuple ? additionalItems : undefined) ?? {} };
}

function hasItems({ type, items }: JsonObject): boolean {
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array')) || Array.isArray(items);
  return !isList || (items !== undefined && !Array.isArray(items));
}

function toObjectRoot(schema: JsonObject): JsonObject {
  const { type = 'object', properties } = schema;
  const mayBeObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!mayBeObject) return schema;
  if (type === 'object' && schema['type'] === 'object' && isObject(properties)) return schema;
  return { ...schema, type: 'object', properties: isObject(properties) ? properties : {} };
}

/** Converts alternatives at the root to one object with the properties of all. */
function withoutUnions(schema: JsonObject, budget: CopyBudget, lose: (keyword: string) => void): JsonObject {
  const entries = Object.entries(schema);
  const own: JsonObject = Object.fromEntries(entries.filter(([keyword]) => !refusedAtRoot.has(keyword)));
  for (const [keyword] of entries) if (refusedAtRoot.has(keyword) && meaningful.has(keyword)) lose(keyword);
  if (combinations.every((keyword) => listOf(schema[keyword]).length === 0)) return toObjectRoot(own);
  return { ...own, type: 'object', ...mergeUnions(schema, budget) };
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

/** Types to which a keyword applies; keywords that are not listed apply to all types. */
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

/** Types of JSON Schema. */
const jsonTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Annotations, which stay beside the alternatives. */
const annotations: ReadonlySet<string> = new Set(['description', 'title', 'default']);
/** Keywords with values of any type; each alternative gets the values of its type. */
const valueLists: ReadonlySet<string> = new Set(['enum', 'examples']);

/**
 * Converts a list of types to one alternative per type. Each keyword goes to the types to which it applies, and
 * subschemas go to the first alternative only: nested copies would grow without limit.
 */
export function splitTypeLists(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types: readonly unknown[] = [...new Set<unknown>(type)];
  // Each type gets a copy of the values; a list of other names, which the target refuses, could have a million.
  if (!types.every((one) => jsonTypes.has(one))) return schema;
  if (types.length < 2) return types.length === 0 ? rest : { ...rest, type: types[0] };
  const entries = Object.entries(rest);
  const main = types.find((one) => one !== 'null');
  return {
    ...Object.fromEntries(entries.filter(([keyword]) => annotations.has(keyword))),
    anyOf: types.map((one) => ({
      type: one,
      ...Object.fromEntries(entries.flatMap(([keyword, value]) => narrowKeyword(keyword, value, one, main))),
    })),
  };
}

/** Returns the part of a keyword that applies to the type. `null` has no further constraints. */
function narrowKeyword(keyword: string, value: unknown, type: unknown, main: unknown): [string, unknown][] {
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
