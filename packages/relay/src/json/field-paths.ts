/** JSON fields by path, such as `messages.content.cache_control`. A list on the path stands for each of its items. */
import { isObject, type JsonObject } from './json.ts';

/** Returns whether any item has the field. */
export function hasField(owner: unknown, path: string): boolean {
  return hasNames(owner, path.split('.'));
}

function hasNames(owner: unknown, [name = '', ...deeper]: readonly string[]): boolean {
  if (Array.isArray(owner)) return owner.some((item) => hasNames(item, [name, ...deeper]));
  if (!isObject(owner) || !Object.hasOwn(owner, name) || owner[name] === undefined) return false;
  return deeper.length === 0 || hasNames(owner[name], deeper);
}

/** Returns a copy without the field; the same object if the field is absent. */
export function withoutField(owner: JsonObject, path: string): JsonObject {
  return hasField(owner, path) ? changeField(owner, path, () => undefined) : owner;
}

/**
 * Returns a copy with the result of `change` as the field's value; undefined removes the field. Missing objects on
 * the path are created, items of lists are not.
 */
export function changeField(owner: JsonObject, path: string, change: (value: unknown) => unknown): JsonObject {
  return changeNames(owner, path.split('.'), change);
}

function changeNames(
  owner: JsonObject,
  [name = '', ...deeper]: readonly string[],
  change: (value: unknown) => unknown,
): JsonObject {
  const inner = Object.hasOwn(owner, name) ? owner[name] : undefined;
  const next = deeper.length === 0 ? change(inner) : changeInner(inner, deeper, change);
  if (next === inner) return owner;
  if (next !== undefined) return { ...owner, [name]: next };
  return Object.fromEntries(Object.entries(owner).filter(([field]) => field !== name));
}

function changeInner(inner: unknown, deeper: readonly string[], change: (value: unknown) => unknown): unknown {
  if (Array.isArray(inner)) return inner.map((item) => (isObject(item) ? changeNames(item, deeper, change) : item));
  // A string or a number is not replaced by an object.
  if (inner !== undefined && inner !== null && !isObject(inner)) return inner;
  const made = changeNames(isObject(inner) ? inner : {}, deeper, change);
  return isObject(inner) || Object.keys(made).length > 0 ? made : inner;
}
