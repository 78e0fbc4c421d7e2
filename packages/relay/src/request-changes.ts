/** What an operator changes in the bodies that go to a channel, for upstreams that want it so. */
import { isObject, type JsonObject } from './json.ts';

export interface RequestChanges {
  /** Instructions are said by the user, for models that know no other role. */
  systemAsUser: boolean;
  /** How the upstream is asked; the client gets its answer as it asked for it. */
  streaming: 'as-asked' | 'never' | 'always';
  /** In their order. */
  bodies: readonly BodyChange[];
}

/** Fields are named by their path, `reasoning.effort`. */
export interface BodyChange {
  /** By their names at the vendor; `*` may stand at the end. Empty: all. */
  models: readonly string[];
  rename: Readonly<Record<string, string>>;
  remove: readonly string[];
  /** Where the client said nothing. */
  defaults: Readonly<Record<string, unknown>>;
  set: Readonly<Record<string, unknown>>;
}

/** The same object when nothing is to be changed. Fields of the client's that are taken out are pushed to `dropped`. */
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
    if (value !== undefined) changed = withValue(withValue(changed, from, undefined), to, value);
  }
  for (const path of change.remove) {
    if (valueAt(changed, path) === undefined) continue;
    dropped.push(path);
    changed = withValue(changed, path, undefined);
  }
  for (const [path, value] of Object.entries(change.defaults))
    if (valueAt(changed, path) === undefined) changed = withValue(changed, path, value);
  for (const [path, value] of Object.entries(change.set)) changed = withValue(changed, path, value);
  return changed;
}

function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** A copy with that value; undefined takes the field out. */
function withValue(body: JsonObject, path: string, value: unknown): JsonObject {
  const [name = '', ...deeper] = path.split('.');
  const inner = body[name];
  const next = deeper.length === 0 ? value : withValue(isObject(inner) ? inner : {}, deeper.join('.'), value);
  if (next !== undefined) return { ...body, [name]: next };
  return Object.fromEntries(Object.entries(body).filter(([field]) => field !== name));
}
