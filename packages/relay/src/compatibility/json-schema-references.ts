import { DEPTH_MAX, isObject, type JsonObject, listOf, textOf } from '../json/json.ts';

/** Keywords whose members are names that the schema's author chose. */
const nameMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are not schemas. */
const verbatim: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples', 'required']);

/**
 * Replaces each schema in a JSON Schema by the result of `change`, innermost first.
 * @param change gets a schema whose subschemas have already been changed
 */
export function mapSchemas(schema: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => mapSchemas(inner, change));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, change)]);
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

/** Returns the schema to which this one refers by `{"$ref": "#/$defs/Order"}`; undefined without a reference. */
export function resolveReference(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  const path = textOf(schema['$ref']);
  return path === undefined ? undefined : findDefinition(path, root);
}

/**
 * Replaces a root that is a reference by its target, merged with the keywords beside the reference; returns the same
 * object if the root is no reference. A dangling or circular reference allows everything.
 */
export function inlineRootReference(root: JsonObject): JsonObject {
  const beside: JsonObject[] = [];
  let found: JsonObject | undefined = root;
  while (found !== undefined && textOf(found['$ref']) !== undefined && beside.length < DEPTH_MAX) {
    const { $ref: _reference, ...rest }: JsonObject = found;
    beside.push(rest);
    const next: JsonObject | undefined = resolveReference(found, root);
    found = next === root ? undefined : next;
  }
  if (found === root) return root;
  const { $ref: _circle, ...last } = found ?? {};
  const fields = beside.toReversed().flatMap((one) => Object.entries(one));
  return Object.fromEntries([...Object.entries(last), ...fields]);
}

/** @param path such as `#/$defs/Order`, a JSON Pointer as a URL fragment (RFC 6901) */
function findDefinition(path: string, root: JsonObject): JsonObject | undefined {
  // A path of a megabyte has half a million names; JSON is not as deep.
  const [start, ...names] = path.split('/', DEPTH_MAX + 2);
  let value: unknown = start === '#' && names.length <= DEPTH_MAX ? root : undefined;
  for (const name of names) {
    if (value === undefined) break;
    const key = decodePointer(name).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = listIndex.test(key) ? listOf(value)[Number(key)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) ? value : undefined;
}

/** The only spelling of an index in a JSON Pointer. */
const listIndex = /^(?:0|[1-9]\d{0,8})$/;

/** Decodes percent-encoding, because schema generators encode the brackets of generic types. */
function decodePointer(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Maximum characters of JSON in all copies for one request, as a multiple of its schemas. The hold and the check of the
 * vendor's token count know only the client's request, which copies must not enlarge many times.
 */
const COPIED_FACTOR = 4;
/** Copied characters that short schemas may have as well. */
const COPIED_MIN = 20_000;
/** Maximum work of all copies: their characters, and for each copy, however short, some more. */
const WORK_MAX = 1_000_000;
const WORK_PER_COPY = 100;

/**
 * Bounds what the schemas of one request may copy. Each reference has a copy of its target, which has others: a limit
 * per schema would be multiplied by their number.
 */
export class CopyBudget {
  readonly #schemas: readonly unknown[];
  /** Characters of the schemas, which are counted once the copies exceed those that short ones may have. */
  #characters: number | undefined;
  #copied = 0;
  #work = WORK_MAX;

  constructor(schemas: readonly unknown[]) {
    this.#schemas = schemas;
  }

  get isSpent(): boolean {
    return this.#work < 0 || (this.#copied > COPIED_MIN && this.#copied > this.#copiedMax);
  }

  get #copiedMax(): number {
    this.#characters ??= JSON.stringify(this.#schemas).length;
    return COPIED_FACTOR * this.#characters;
  }

  /** Takes the characters of a copy; returns false if the budget doesn't cover them. */
  take(characters: number): boolean {
    this.#copied += characters;
    this.#work -= characters + WORK_PER_COPY;
    return !this.isSpent;
  }
}

/**
 * Returns a schema that was derived from another one, with a copy of each definition that it refers to and no longer
 * contains.
 * @param lose takes the name of a removed reference: dangling, recursive, too large or too deep
 */
export function copyReferencedDefinitions(
  schema: JsonObject,
  original: JsonObject,
  budget: CopyBudget,
  lose: (keyword: string) => void,
): JsonObject {
  const targets = new Map<string, Target>();
  const sizes = new Map<JsonObject, number>();
  const takeCopy = (definition: JsonObject): boolean => {
    if (budget.isSpent) return false;
    const size = sizes.get(definition) ?? JSON.stringify(definition).length;
    sizes.set(definition, size);
    return budget.take(size);
  };
  const targetOf = (path: string): Target => {
    const known = targets.get(path);
    if (known !== undefined) return known;
    const target = findTarget(path, schema, original);
    targets.set(path, target);
    return target;
  };
  const reachable = (inner: unknown, within: readonly JsonObject[]): unknown =>
    mapSchemas(inner, (one) => {
      const path = textOf(one['$ref']);
      if (path === undefined) return one;
      const { isContained, definition } = targetOf(path);
      if (isContained) return one;
      const { $ref: _reference, ...beside } = one;
      if (definition !== undefined && within.length < DEPTH_MAX && !within.includes(definition)) {
        const copy = takeCopy(definition) ? reachable(definition, [...within, definition]) : undefined;
        if (isObject(copy)) return { ...copy, ...beside };
      }
      lose('$ref');
      return beside;
    });
  const whole = reachable(schema, []);
  return isObject(whole) ? whole : schema;
}

/** Target of a reference. It is looked up once, because each copy of a definition has the same references. */
interface Target {
  isContained: boolean;
  /** The removed definition; undefined if the reference is dangling. */
  definition: JsonObject | undefined;
}

function findTarget(path: string, schema: JsonObject, original: JsonObject): Target {
  const isContained = findDefinition(path, schema) !== undefined;
  return { isContained, definition: isContained ? undefined : findDefinition(path, original) };
}
