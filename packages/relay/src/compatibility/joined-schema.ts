/** Combined schemas of objects as one object, for targets that refuse combinations. */
import { DEPTH_MAX, isObject, type JsonObject, listOf, textsIn } from '../json/json.ts';
import { referredBy } from './schema-references.ts';

/** Keywords that combine schemas. */
export const combinations = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * Returns the properties of a schema and of all that it combines, and the names that each of its alternatives requires.
 * The work is linear in the size of the schema, however often its parts refer to each other.
 */
export function joinedSchema(root: JsonObject): JsonObject {
  const required = new RequiredNames(root).of(root);
  return {
    properties: mergedProperties(schemasIn(root)),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** The schema and those that it combines or refers to, directly or through others; each one once. */
function schemasIn(root: JsonObject): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (schema: JsonObject, depth: number): void => {
    if (found.has(schema) || depth > DEPTH_MAX) return;
    found.add(schema);
    const referred = referredBy(schema, root);
    if (referred !== undefined) add(referred, depth + 1);
    for (const keyword of combinations)
      for (const branch of branchesOf(schema, keyword)) add(branch, depth + 1);
  };
  add(root, 0);
  return [...found];
}

function branchesOf(schema: JsonObject, keyword: (typeof combinations)[number]): JsonObject[] {
  return listOf(schema[keyword]).map((branch) => (isObject(branch) ? branch : {}));
}

/** A property that the alternatives describe differently may be any of it. */
function mergedProperties(schemas: readonly JsonObject[]): JsonObject {
  const found = new Map<string, Map<string, unknown>>();
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const known = found.get(name) ?? new Map<string, unknown>();
      const text = JSON.stringify(property);
      if (!known.has(text)) known.set(text, property);
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

/** The names that a schema requires in all cases. */
class RequiredNames {
  readonly #root: JsonObject;
  /** Undefined while the names of a schema are being looked up, so that a schema within itself adds none. */
  readonly #known = new Map<JsonObject, ReadonlySet<string> | undefined>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  of(schema: JsonObject): ReadonlySet<string> {
    return this.#lookUp(schema, 0) ?? new Set();
  }

  #lookUp(schema: JsonObject, depth: number): ReadonlySet<string> | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema);
    if (depth > DEPTH_MAX) return undefined;
    this.#known.set(schema, undefined);
    const referred = referredBy(schema, this.#root);
    const ofReferred = referred && this.#lookUp(referred, depth + 1);
    if (referred !== undefined && ofReferred === undefined) return undefined;
    const names = new Set([
      ...textsIn(schema['required']),
      ...(ofReferred ?? []),
      ...this.#lookUpAll(branchesOf(schema, 'allOf'), depth).flatMap((names) => [...names]),
      ...inAll(this.#lookUpAll([...branchesOf(schema, 'anyOf'), ...branchesOf(schema, 'oneOf')], depth)),
    ]);
    this.#known.set(schema, names);
    return names;
  }

  #lookUpAll(branches: readonly JsonObject[], depth: number): ReadonlySet<string>[] {
    return branches.map((branch) => this.#lookUp(branch, depth + 1)).filter((names) => names !== undefined);
  }
}

function inAll([first, ...others]: readonly ReadonlySet<string>[]): string[] {
  return [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
}
