/** Finds fields of a body that its schema does not know, which parsing would silently drop. */
import type { Route } from '@switchyard/contract/route';
import { isObject } from '@switchyard/relay/json';
import { z } from 'zod';

export interface UnknownField {
  path: readonly (string | number)[];
  /** Known names in its place. */
  known: readonly string[];
}

/** Returns a sentence for the error of an unknown field. */
export function describeUnknownField({ known }: Pick<UnknownField, 'known'>): string {
  return `Unknown field. ${known.length === 0 ? 'No fields are allowed.' : `Known fields: ${known.join(', ')}.`}`;
}

type Schema = z.core.$ZodType;

/** Returns the first unknown field of a value that the schema has parsed. */
export function findUnknownField(schema: Schema, value: unknown): UnknownField | undefined {
  const [first] = findUnknownFields(schema, value);
  return first;
}

/** Yields the unknown fields of a value that the schema has parsed. Objects that accept any field have none. */
export function* findUnknownFields(
  schema: Schema,
  value: unknown,
  path: UnknownField['path'] = [],
): Generator<UnknownField, void> {
  if (!canHaveUnknown(schema)) return;
  const inner = unwrapSchema(schema);
  if (inner !== undefined) return yield* findUnknownFields(inner, value, path);
  if (schema instanceof z.ZodUnion) return yield* findUnknownInUnion(schema.options, value, path);
  if (typeof value !== 'object' || value === null) return;
  const below = getPropertySchemas(schema, value);
  for (const [name, part] of Object.entries(value)) {
    const known = below(name);
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    if (known === undefined)
      yield { path: place, known: schema instanceof z.ZodObject ? Object.keys(schema.shape) : [] };
    else if (canHaveUnknown(known)) yield* findUnknownFields(known, part, place);
  }
}

/** Cache: whether a value of the schema can have an unknown field. */
const unknownFieldCache = new WeakMap<Schema, boolean>();

/**
 * Returns whether the schema contains an object that refuses other fields. Skips the traversal of values that may
 * contain anything, for instance a request to quote.
 */
function canHaveUnknown(schema: Schema): boolean {
  const known = unknownFieldCache.get(schema);
  if (known !== undefined) return known;
  const all = new Set([schema]);
  for (const one of all) for (const part of listSubschemas(one)) all.add(part);
  const can = [...all].some((one) => one instanceof z.ZodObject && one.def.catchall === undefined);
  unknownFieldCache.set(schema, can);
  return can;
}

/** Lists the sub-schemas that `findUnknownField` visits. */
function listSubschemas(schema: Schema): readonly Schema[] {
  const inner = unwrapSchema(schema);
  if (inner !== undefined) return [inner];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (!(schema instanceof z.ZodObject)) return [];
  const { catchall } = schema.def;
  return [...Object.values(schema.shape), ...(catchall === undefined ? [] : [catchall])];
}

/** Removes read-only fields from the body, which a client that has read the object may send back. */
export function omitReadOnlyFields({ method, view, answer }: Route, body: unknown): unknown {
  const read = view ?? answer;
  if (method !== 'PUT' || !(read instanceof z.ZodObject) || !isObject(body)) return body;
  const isReadOnly = (name: string): boolean =>
    Object.hasOwn(read.shape, name) && read.shape[name]?.meta()?.['readOnly'] === true;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isReadOnly(name)));
}

const ANY_SCHEMA = z.unknown();

/** Returns the schema of each part of the value, or undefined for a part that is unknown. */
function getPropertySchemas(schema: Schema, value: object): (name: string) => Schema | undefined {
  if (schema instanceof z.ZodObject) {
    const { shape } = schema;
    const others = schema.def.catchall;
    return (name) => (Object.hasOwn(shape, name) ? shape[name] : others);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) return () => schema.element;
  if (schema instanceof z.ZodRecord) return () => schema.valueType;
  return () => ANY_SCHEMA;
}

/** Returns the inner schema of a wrapper. */
function unwrapSchema(schema: Schema): Schema | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap();
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.unwrap();
  if (schema instanceof z.ZodReadonly || schema instanceof z.ZodLazy) return schema.unwrap();
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
  return undefined;
}

/** Yields no unknown field if one option parses the value and knows all of its fields. */
function* findUnknownInUnion(
  options: readonly Schema[],
  value: unknown,
  path: UnknownField['path'],
): Generator<UnknownField, void> {
  const found = options
    .filter((option) => z.safeParse(option, value).success)
    .map((option) => [...findUnknownFields(option, value, path)]);
  if (found.every((fields) => fields.length > 0)) yield* found[0] ?? [];
}
