import { garbled, HELD_BYTES_MAX } from '../../../../errors/answer-errors.ts';
import {
  DEPTH_MAX,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from '../../../../json/json.ts';
import { field } from '../field.ts';

const step = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

type Container = Record<string, unknown> | unknown[];

/**
 * Arguments that come piece by piece, each with its place: `{jsonPath: '$.steps[0].name', stringValue: 'Pre'}`. A string
 * that goes on comes again at the same place.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling, "Streaming function call arguments"
 */
export class CallArguments {
  readonly #root = bare();
  #bytes = 0;

  add(partialArgs: unknown): void {
    for (const piece of listOf(partialArgs)) this.#addPiece(objectOf(piece));
  }

  /** All at once, as most calls come. */
  set(args: JsonObject): void {
    Object.assign(this.#root, args);
  }

  get whole(): JsonObject {
    return this.#root;
  }

  #addPiece(piece: JsonObject): void {
    const path = textOf(field(piece, 'jsonPath')) ?? '';
    const value = valueOf(piece);
    this.#bytes += path.length + (typeof value === 'string' ? value.length : 8);
    if (this.#bytes > HELD_BYTES_MAX)
      throw garbled('The upstream sent function call arguments that are too large.');
    const steps = stepsOf(path);
    if (value === undefined || steps === undefined) return;
    place(this.#root, steps, value);
  }
}

/** An object whose members are nobody else's: a model may name one `__proto__`. */
function bare(): Record<string, unknown> {
  return Object.assign(Object.create(null));
}

function valueOf(piece: JsonObject): unknown {
  const text = field(piece, 'stringValue');
  if (typeof text === 'string') return text;
  const truth = field(piece, 'boolValue');
  if (typeof truth === 'boolean') return truth;
  if (field(piece, 'nullValue') !== undefined) return null;
  const number = field(piece, 'numberValue');
  return typeof number === 'bigint' ? number : numberOf(number);
}

/** Undefined for what is no path within an object. */
function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null || steps.length >= DEPTH_MAX) return undefined;
    const [, name, index, single, double] = match;
    steps.push(index === undefined ? (name ?? unescaped(single ?? double ?? '')) : Number(index));
  }
  return typeof steps[0] === 'string' ? steps : undefined;
}

function unescaped(name: string): string {
  return name.replaceAll(/\\(.)/g, '$1');
}

function place(root: Container, steps: readonly (string | number)[], value: unknown): void {
  let at: Container = root;
  for (const [depth, key] of steps.slice(0, -1).entries()) {
    const known = read(at, key);
    const next: Container = isContainer(known) ? known : typeof steps[depth + 1] === 'number' ? [] : bare();
    if (next !== known) write(at, key, next);
    at = next;
  }
  const last = steps.at(-1) ?? '';
  const known = read(at, last);
  write(at, last, typeof known === 'string' && typeof value === 'string' ? known + value : value);
}

function isContainer(value: unknown): value is Container {
  return isObject(value) || Array.isArray(value);
}

function read(container: Container, key: string | number): unknown {
  if (Array.isArray(container)) return typeof key === 'number' ? container[key] : undefined;
  return container[String(key)];
}

/** A list has no named members and no holes, which would cost memory that nobody sent. */
function write(container: Container, key: string | number, value: unknown): void {
  if (!Array.isArray(container)) container[String(key)] = value;
  else if (typeof key === 'number' && key <= container.length) container[key] = value;
}
