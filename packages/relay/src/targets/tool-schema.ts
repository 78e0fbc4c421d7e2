/** Schemas of tools, as their target takes them. */
import { isObject, type JsonObject, listOf, textOf, textsIn } from '../json.ts';
import { mapSchemas } from './schema-walk.ts';
import type { TargetFeatures } from './target-features.ts';

type SchemaFeatures = Pick<TargetFeatures, 'rootUnions' | 'typeLists' | 'rootKeywords'>;

/** What says something about the values, so that a model misses it. */
const meaningful: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
  'if',
  'additionalProperties',
]);
const combinations = ['allOf', 'anyOf', 'oneOf'] as const;
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
  const own = resolved(schema);
  const root = features.rootUnions ? objectRoot(own) : withoutUnions(own, { root: own, lose, depth: 0 });
  const allowed = withAllowedKeywords(root, features.rootKeywords, lose);
  if (features.typeLists) return allowed;
  const single = mapSchemas(allowed, withSingleType);
  return isObject(single) ? single : allowed;
}

/** A schema that stands elsewhere in itself, put in its place. */
function resolved(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const { $ref: reference, ...rest } = schema;
  const path = textOf(reference);
  if (path === undefined) return schema;
  return { ...definedAt(path, schema), ...rest };
}

/** @param path such as `#/$defs/Order` */
function definedAt(path: string, root: JsonObject): JsonObject {
  const [start, ...names] = path.split('/');
  let value: unknown = start === '#' ? root : undefined;
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) && value !== root ? value : {};
}

function objectRoot(schema: JsonObject): JsonObject {
  const { type = 'object', properties } = schema;
  const mayBeObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!mayBeObject) return schema;
  if (type === 'object' && schema['type'] === 'object' && isObject(properties)) return schema;
  return { ...schema, type: 'object', properties: isObject(properties) ? properties : {} };
}

interface Walk {
  /** In which references are looked up. */
  root: JsonObject;
  lose: (keyword: string) => void;
  depth: number;
}

/** Nobody combines schemas more deeply; one that refers to itself would never end. */
const DEPTH_MAX = 8;

/** Alternatives at the root become one object that has the properties of them all. */
function withoutUnions(schema: JsonObject, walk: Walk): JsonObject {
  const entries = Object.entries(schema);
  const own: JsonObject = Object.fromEntries(entries.filter(([keyword]) => !refusedAtRoot.has(keyword)));
  for (const [keyword] of entries)
    if (refusedAtRoot.has(keyword) && meaningful.has(keyword)) walk.lose(keyword);
  const all = branchesOf(schema['allOf'], walk);
  const any = [...branchesOf(schema['anyOf'], walk), ...branchesOf(schema['oneOf'], walk)];
  if (all.length + any.length === 0) return objectRoot(own);
  const required = new Set([
    ...[own, ...all].flatMap((branch) => textsIn(branch['required'])),
    ...requiredByAll(any),
  ]);
  const properties = mergedProperties([own, ...all, ...any]);
  return { ...own, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) };
}

/** Each may be a combination again. What is lost within them is lost with them. */
function branchesOf(branches: unknown, { root, depth }: Walk): JsonObject[] {
  if (depth === DEPTH_MAX) return [];
  return listOf(branches).map((branch) => {
    const own = isObject(branch) ? branch : {};
    const path = textOf(own['$ref']);
    const schema = path === undefined ? own : definedAt(path, root);
    return withoutUnions(schema, { root, lose: () => undefined, depth: depth + 1 });
  });
}

function requiredByAll(branches: readonly JsonObject[]): string[] {
  const [first, ...others] = branches.map((branch) => new Set(textsIn(branch['required'])));
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}

/** A property that the alternatives describe differently may be any of it. */
function mergedProperties(schemas: readonly JsonObject[]): JsonObject {
  const found = new Map<string, unknown[]>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const known = found.get(name) ?? [];
      const isNew = known.every((other) => JSON.stringify(other) !== JSON.stringify(property));
      if (isNew) found.set(name, [...known, property]);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, kinds]) => [name, kinds.length === 1 ? kinds[0] : { anyOf: kinds }]),
  );
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

function withSingleType(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types: readonly unknown[] = type;
  if (types.length === 1) return { ...rest, type: types[0] };
  const { description, title, default: usual, ...constraints } = rest;
  const said = Object.entries({ description, title, default: usual }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...Object.fromEntries(said),
    anyOf: types.map((one) => ({ type: one, ...constraintsOf(one, constraints) })),
  };
}

/** Null has no constraints but being null. */
function constraintsOf(type: unknown, constraints: JsonObject): JsonObject {
  return type === 'null' ? {} : constraints;
}
