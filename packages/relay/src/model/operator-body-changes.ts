/** Operator's changes to the bodies sent to a channel. */

import { isObject, type JsonObject } from '../json/json.ts';

export interface RequestChanges {
  /** Sends instructions as the user's, for models without a system role. */
  systemAsUser: boolean;
  /** Streaming mode of the upstream request; the client gets its response as requested. */
  streaming: 'as-asked' | 'never' | 'always';
  /** Changes of bodies, applied in this order. */
  bodies: readonly BodyChange[];
}

/**
 * Change of fields by path, such as `reasoning.effort`; a list on the path (`messages.content.cache_control`) stands
 * for each of its items.
 */
export interface BodyChange {
  /** Model names at the vendor; a `*` may stand at the end. Empty: all. */
  models: readonly string[];
  rename: Readonly<Record<string, string>>;
  remove: readonly string[];
  /** Values for fields that the client didn't set. */
  defaults: Readonly<Record<string, unknown>>;
  set: Readonly<Record<string, unknown>>;
}

/** Changes a body; returns the same object if nothing changes. Pushes removed client fields to `dropped`. */
export function changeBody(
  body: JsonObject,
  { changes, model }: { changes?: RequestChanges; model: string },
  dropped: string[],
): JsonObject {
  return (changes?.bodies ?? [])
    .filter(({ models }) => isMeant(models, model))
    .reduce((changed, change) => applyChange(changed, change, dropped), body);
}

function isMeant(models: readonly string[], model: string): boolean {
  return models.length === 0 || models.some((name) => matches(name, model));
}

function matches(name: string, model: string): boolean {
  return name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model;
}

function applyChange(body: JsonObject, change: BodyChange, dropped: string[]): JsonObject {
  let changed = body;
  for (const [from, to] of Object.entries(change.rename)) {
    const value = valueAt(changed, from);
    if (value !== undefined) changed = changeField(withoutField(changed, from), to, () => value);
  }
  for (const path of change.remove) {
    if (!hasField(changed, path)) continue;
    dropped.push(path);
    changed = withoutField(changed, path);
  }
  for (const [path, value] of Object.entries(change.defaults))
    changed = changeField(changed, path, (said) => said ?? value);
  for (const [path, value] of Object.entries(change.set)) changed = changeField(changed, path, () => value);
  return changed;
}

/** Returns the value at the path; undefined if a list is on the path, because each item has its own. */
function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/**
 * Returns whether any item has the field.
 * @param path such as `messages.content.cache_control`; a list on the path stands for each of its items
 */
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
function changeField(owner: JsonObject, path: string, change: (value: unknown) => unknown): JsonObject {
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
