import { HELD_BYTES_MAX } from '../../../../errors/response-limits.ts';
import { stringifyVendorJson, tooLargeError } from '../../../../errors/upstream-error.ts';
import {
  DEPTH_MAX,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  objectsIn,
  textOf,
} from '../../../../json/json.ts';
import type { ResponseEvent, TokenLogprob, TokenProbability, VendorCall } from '../../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import { toToolInput } from '../../../../translate/tool-input.ts';
import { ByteOffsets } from '../byte-offsets.ts';
import { addCodeResult, readCode } from '../code-execution-parts.ts';
import { listUnknownFields, readField } from '../snake-and-camel-case-fields.ts';
import { readSignature } from '../thought-filter-and-signatures.ts';
import { GroundingReader } from './grounding-reader.ts';

const known = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'functionCall',
  'executableCode',
  'codeExecutionResult',
]); // prettier-ignore

/** Decoder of one candidate. */
export class CandidateReader {
  finishReason: string | undefined;
  calls = 0;
  #openCall: { index: number; args: CallArguments } | undefined;
  /** Executed code; its result is the next part. */
  #code: VendorCall | undefined;
  #codes = 0;
  readonly #offsets = new ByteOffsets();
  readonly #grounding = new GroundingReader();
  readonly #answerId: string;
  readonly #lost: UnsupportedFields;

  /** @param answerId prefix that makes generated ids unique; an empty one is replaced */
  constructor(answerId: string, lost: UnsupportedFields) {
    this.#answerId = answerId === '' ? createId('') : answerId;
    this.#lost = lost;
  }

  read(candidate: JsonObject): ResponseEvent[] {
    const events: ResponseEvent[] = [];
    for (const part of joinPlainTexts(listOf(objectOf(candidate['content'])['parts']))) this.#part(part, events);
    for (const event of this.#grounding.read(candidate, this.#offsets)) events.push(event);
    const tokens = logprobsOf(objectOf(readField(candidate, 'logprobsResult')));
    if (tokens.length > 0) events.push({ type: 'logprobs', tokens });
    this.finishReason = textOf(readField(candidate, 'finishReason')) ?? this.finishReason;
    // With `STOP` it only repeats that the response has calls.
    if (this.finishReason !== 'STOP' && textOf(readField(candidate, 'finishMessage')) !== undefined)
      this.#lost.add('finishMessage');
    return events;
  }

  /** Returns the events that were held until the end of the answer. */
  finish(): ResponseEvent[] {
    return [...this.end(), ...this.#grounding.end()];
  }

  /** Returns the events that were held back for further pieces. */
  end(): ResponseEvent[] {
    return [...this.#endCode(), ...this.#endCall()];
  }

  /** Decodes a part; its signature comes first, because it signs the part. */
  #part(part: JsonObject, events: ResponseEvent[]): void {
    for (const name of listUnknownFields(part, known)) this.#lost.add(`parts.${name}`);
    const text = textOf(part['text']);
    const signature = textOf(readField(part, 'thoughtSignature'));
    const isThought = part['thought'] === true;
    if (isThought && text !== undefined) events.push({ type: 'reasoning', text });
    const proof = signature === undefined ? undefined : readSignature(signature);
    if (proof !== undefined) events.push({ type: 'reasoning-proof', signature: proof });
    if (isThought) return;
    if (text !== undefined) {
      events.push(...this.end(), { type: 'text', text });
      this.#offsets.add(text);
    }
    const call = readField(part, 'functionCall');
    if (isObject(call)) this.#call(call, events);
    this.#runCode(part, events);
    const media = readField(part, 'inlineData');
    if (isObject(media)) this.#media(media, events);
  }

  /**
   * Decodes a call, which starts with its name; argument fragments follow without it while the vendor announces more.
   */
  #call(call: JsonObject, events: ResponseEvent[]): void {
    const name = textOf(call['name']);
    if (name !== undefined) {
      events.push(...this.end());
      const index = this.calls++;
      const callId = textOf(call['id']) ?? `call_${this.#answerId}_${index}`;
      events.push({ type: 'tool-call', index, callId, name });
      this.#openCall = { index, args: new CallArguments() };
    }
    const args = this.#openCall?.args;
    const given = call['args'];
    if (isObject(given)) args?.set(given);
    else if (typeof given === 'string') args?.set(objectOf(toToolInput(given)));
    args?.add(readField(call, 'partialArgs'));
    if (readField(call, 'willContinue') !== true) events.push(...this.#endCall());
  }

  #endCall(): ResponseEvent[] {
    const open = this.#openCall;
    this.#openCall = undefined;
    return open === undefined
      ? []
      : [{ type: 'tool-arguments', index: open.index, text: stringifyVendorJson(open.args.whole) }];
  }

  #runCode(part: JsonObject, events: ResponseEvent[]): void {
    const code = readField(part, 'executableCode');
    const result = readField(part, 'codeExecutionResult');
    if (isObject(code)) {
      events.push(...this.end());
      this.#code = readCode(code, `code_${this.#answerId}_${this.#codes++}`);
    }
    if (!isObject(result)) return;
    const call = this.#code ?? readCode(undefined, `code_${this.#answerId}_${this.#codes++}`);
    addCodeResult(call, result);
    this.#code = call;
    events.push(...this.#endCode());
  }

  #endCode(): ResponseEvent[] {
    const call = this.#code;
    this.#code = undefined;
    return call === undefined ? [] : [{ type: 'vendor-call', call }];
  }

  #media(media: JsonObject, events: ResponseEvent[]): void {
    const mediaType = textOf(readField(media, 'mimeType')) ?? '';
    const data = textOf(media['data']);
    if (data === undefined) return;
    if (mediaType.startsWith('image/')) events.push({ type: 'image', mediaType, data });
    else if (mediaType.startsWith('audio/')) events.push({ type: 'audio', mediaType, data });
    else this.#lost.add('parts.inlineData');
  }
}

/** Joins adjacent parts that have only text: an event may list tens of thousands of them. */
function joinPlainTexts(parts: readonly unknown[]): JsonObject[] {
  const joined: JsonObject[] = [];
  let last: { text: string } | undefined;
  for (const part of parts.map(objectOf)) {
    const text = Object.keys(part).length === 1 ? textOf(part['text']) : undefined;
    if (text !== undefined && last !== undefined) {
      last.text += text;
      continue;
    }
    last = text === undefined ? undefined : { text };
    joined.push(last ?? part);
  }
  return joined;
}

function logprobsOf(result: JsonObject): TokenLogprob[] {
  const top = objectsIn(readField(result, 'topCandidates'));
  return listOf(readField(result, 'chosenCandidates')).map((chosen, position) => ({
    ...probabilityOf(chosen),
    top: listOf(top[position]?.['candidates']).map(probabilityOf),
  }));
}

function probabilityOf(value: unknown): TokenProbability {
  const candidate = objectOf(value);
  const logprob = numberOf(readField(candidate, 'logProbability')) ?? 0;
  return { token: textOf(candidate['token']) ?? '', logprob };
}

const step = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

type Container = Record<string, unknown> | unknown[];

/**
 * Arguments that arrive in fragments with paths: `{jsonPath: '$.steps[0].name', stringValue: 'Pre'}`. A continued
 * string repeats its path.
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling, "Streaming function call
 * arguments"
 */
export class CallArguments {
  readonly #root = createBareObject();
  #bytes = 0;

  add(partialArgs: unknown): void {
    for (const piece of listOf(partialArgs)) this.#addPiece(objectOf(piece));
  }

  /** Sets all arguments at once, as in most calls. */
  set(args: JsonObject): void {
    Object.assign(this.#root, args);
  }

  get whole(): JsonObject {
    return this.#root;
  }

  #addPiece(piece: JsonObject): void {
    const path = textOf(readField(piece, 'jsonPath')) ?? '';
    const value = valueOf(piece);
    this.#bytes += path.length + (typeof value === 'string' ? value.length : 8);
    if (this.#bytes > HELD_BYTES_MAX)
      throw tooLargeError('The upstream sent function call arguments that are too large.');
    const steps = parsePath(path);
    if (value === undefined || steps === undefined) return;
    setAtPath(this.#root, steps, value);
  }
}

/** Returns an object without a prototype, because a model may name a member `__proto__`. */
function createBareObject(): Record<string, unknown> {
  return Object.assign(Object.create(null));
}

function valueOf(piece: JsonObject): unknown {
  const text = readField(piece, 'stringValue');
  if (typeof text === 'string') return text;
  const truth = readField(piece, 'boolValue');
  if (typeof truth === 'boolean') return truth;
  if (readField(piece, 'nullValue') !== undefined) return null;
  const number = readField(piece, 'numberValue');
  return typeof number === 'bigint' ? number : numberOf(number);
}

/** Parses a path; returns undefined if it is not a path within an object. */
function parsePath(path: string): (string | number)[] | undefined {
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

function setAtPath(root: Container, steps: readonly (string | number)[], value: unknown): void {
  let at: Container = root;
  for (const [depth, key] of steps.slice(0, -1).entries()) {
    const known = read(at, key);
    const next: Container = isContainer(known) ? known : typeof steps[depth + 1] === 'number' ? [] : createBareObject();
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

/** Writes a member. A list accepts no names and no holes, which would use memory that the vendor never sent. */
function write(container: Container, key: string | number, value: unknown): void {
  if (!Array.isArray(container)) container[String(key)] = value;
  else if (typeof key === 'number' && key <= container.length) container[key] = value;
}
