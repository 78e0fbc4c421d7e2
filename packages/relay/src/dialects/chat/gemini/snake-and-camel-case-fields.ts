import type { JsonObject } from '../../../json/json.ts';

/** Reads a field. REST accepts camelCase, as documented, and snake_case; clients use both. */
export function readField(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeName(name)];
}

/** Cache of snake_case names: the requested names are few, and requested often. */
const snakeNames = new Map<string, string>();

function snakeName(name: string): string {
  const known = snakeNames.get(name);
  if (known !== undefined) return known;
  const made = toSnakeCase(name);
  snakeNames.set(name, made);
  return made;
}

export function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Returns the names, as spelled, of members with content that are not among the known ones. */
export function listUnknownFields(object: JsonObject, known: ReadonlySet<string>): string[] {
  const isKnown = (name: string): boolean => known.has(name) || known.has(toCamelCase(name));
  return Object.keys(object).filter((name) => object[name] != null && !isKnown(name));
}
