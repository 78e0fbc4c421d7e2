import { decodeEntries } from '../../../../exchange/check-request-fields.ts';
import { describeValue } from '../../../../json/describe-value.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import { type FileSource, toInlineFile } from '../../../../media/data-url.ts';
import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  ResultPart,
  ToolResultPart,
  Turn,
  VideoPart,
} from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { stringifyArguments } from '../../../../translate/tool-input.ts';
import { addCodeResult, readCode } from '../code-execution-parts.ts';
import { listUnknownFields, readField } from '../snake-and-camel-case-fields.ts';
import { readSignature } from '../thought-filter-and-signatures.ts';

const roles: Readonly<Record<string, Turn['role']>> = { user: 'user', function: 'user', model: 'assistant' };
const resultFields = new Set(['id', 'name', 'response', 'parts']);
/** URLs that only Google can read: buckets, and files uploaded with an account's key. */
const googleOnlyUrl = /^gs:|\/v1[a-z]*\/files\//;

const known = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
]); // prettier-ignore

/** @throws InvalidRequestError */
export function decodeContents(contents: readonly unknown[], unsupported: string[]): Turn[] {
  const ids = new CallIds();
  let before: Turn['role'] | undefined;
  return decodeEntries('contents', contents, (value): Turn => {
    const name = textOf(value['role']) ?? 'user';
    const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
    if (role === undefined) throw new InvalidRequestError(`The role is ${describeValue(name)}. Use user or model.`);
    if (role === 'assistant' && before !== role) ids.beginTurn();
    before = role;
    const parts: Part[] = [];
    for (const part of listOf(value['parts'])) addPart(parts, objectOf(part), ids, unsupported);
    if (role !== 'assistant' && parts.some(({ type }) => type === 'tool-call'))
      throw new InvalidRequestError('Only a model content can contain functionCall.');
    return { role, parts };
  });
}

/** Adds a part. Thoughts arrive in fragments; a signature precedes what it signs. */
function addPart(parts: Part[], part: JsonObject, ids: CallIds, unsupported: string[]): void {
  for (const name of listUnknownFields(part, known)) unsupported.push(`contents.parts.${name}`);
  const text = textOf(part['text']);
  const signature = textOf(readField(part, 'thoughtSignature'));
  const proof = signature === undefined ? undefined : readSignature(signature);
  if (part['thought'] === true) {
    const last = parts.at(-1);
    if (last?.type === 'reasoning' && last.signature === undefined) {
      last.text += text ?? '';
      last.signature = proof;
    } else if (text !== undefined || proof !== undefined)
      parts.push({ type: 'reasoning', text: text ?? '', signature: proof });
    return;
  }
  if (proof !== undefined) parts.push({ type: 'reasoning', text: '', signature: proof });
  if (text !== undefined) parts.push({ type: 'text', text });
  const call = readField(part, 'functionCall');
  if (isObject(call)) parts.push(decodeCall(call, ids));
  const result = readField(part, 'functionResponse');
  if (isObject(result)) parts.push(decodeResult(result, ids, unsupported));
  const file = decodeFile(part, unsupported);
  if (file !== undefined) parts.push(file);
  addCode(parts, part);
}

function decodeCall(call: JsonObject, ids: CallIds): Part {
  const name = textOf(call['name']);
  if (name === undefined) throw new InvalidRequestError('A functionCall has no name. Add one.');
  return {
    type: 'tool-call',
    callId: ids.idForCall(name, textOf(call['id'])),
    name,
    arguments: stringifyArguments(call['args']),
  };
}

function addCode(parts: Part[], part: JsonObject): void {
  const code = readField(part, 'executableCode');
  const result = readField(part, 'codeExecutionResult');
  if (isObject(code)) parts.push({ type: 'vendor-call', call: readCode(code, `code_${parts.length}`) });
  if (!isObject(result)) return;
  const last = parts.at(-1);
  const isOpen = last?.type === 'vendor-call' && last.call.output === undefined;
  const call = isOpen ? last.call : readCode(undefined, `code_${parts.length}`);
  addCodeResult(call, result);
  if (!isOpen) parts.push({ type: 'vendor-call', call });
}

/**
 * Decodes a result. Google's documentation names its members `output` and `error`; any other object is the result
 * itself.
 */
function decodeResult(result: JsonObject, ids: CallIds, unsupported: string[]): ToolResultPart {
  for (const name of listUnknownFields(result, resultFields))
    unsupported.push(`contents.parts.functionResponse.${name}`);
  const { id, name } = result;
  const response = objectOf(result['response']);
  const isError = response['error'] != null && response['output'] === undefined;
  const content: ResultPart[] = [{ type: 'text', text: resultText(response) }];
  for (const part of listOf(readField(result, 'parts'))) {
    const file = decodeFile(objectOf(part), unsupported);
    if (file?.type === 'image' || file?.type === 'file') content.push(file);
    else if (file !== undefined) unsupported.push(`contents.parts.functionResponse.parts.${file.type}`);
  }
  return {
    type: 'tool-result',
    callId: ids.idForResult(
      typeof name === 'string' ? name : undefined,
      typeof id === 'string' && id !== '' ? id : undefined,
    ),
    content,
    isError: isError ? true : undefined,
  };
}

function resultText(response: JsonObject): string {
  const names = Object.keys(response);
  const [only = ''] = names;
  const value = names.length === 1 && ['output', 'result', 'error'].includes(only) ? response[only] : response;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Calls of one name in order, and the first of them that may lack a result. */
interface NamedCalls {
  ids: string[];
  next: number;
}

/**
 * Generator of call ids, which this dialect doesn't need: a result belongs to the first call of its name without one.
 * The ids are the same whenever the conversation is sent, which keeps prompt caches valid.
 */
class CallIds {
  #made = 0;
  readonly #pending = new Set<string>();
  readonly #byName = new Map<string, NamedCalls>();

  /** Starts a model turn. Results belong to the calls of the last one. */
  beginTurn(): void {
    this.#pending.clear();
    this.#byName.clear();
  }

  idForCall(name: string, id: string | undefined): string {
    const callId = id ?? this.#make();
    this.#pending.add(callId);
    const named = this.#byName.get(name);
    if (named === undefined) this.#byName.set(name, { ids: [callId], next: 0 });
    else named.ids.push(callId);
    return callId;
  }

  idForResult(name: string | undefined, id: string | undefined): string {
    const isKnown = id !== undefined && this.#pending.has(id);
    const callId = isKnown ? id : this.#nextOf(name);
    if (callId === undefined) return id ?? this.#make();
    this.#pending.delete(callId);
    return callId;
  }

  #nextOf(name: string | undefined): string | undefined {
    const named = name === undefined ? undefined : this.#byName.get(name);
    if (named === undefined) return undefined;
    while (named.next < named.ids.length) {
      const callId = named.ids[named.next];
      named.next++;
      if (callId !== undefined && this.#pending.has(callId)) return callId;
    }
    return undefined;
  }

  #make(): string {
    return `call_${this.#made++}`;
  }
}

type Media = ImagePart | AudioPart | VideoPart | FilePart;

function decodeFile(part: JsonObject, unsupported: string[]): Media | undefined {
  const inline = objectOf(readField(part, 'inlineData'));
  const data = textOf(inline['data']);
  if (data !== undefined) {
    const source = toInlineFile(textOf(readField(inline, 'mimeType')) ?? '', data);
    return mediaPart(source.mediaType, source, textOf(readField(inline, 'displayName')));
  }
  const file = objectOf(readField(part, 'fileData'));
  const url = textOf(readField(file, 'fileUri'));
  if (url === undefined) return undefined;
  if (!googleOnlyUrl.test(url)) return mediaPart(textOf(readField(file, 'mimeType')) ?? '', { url });
  unsupported.push('contents.parts.fileData');
  return undefined;
}

function mediaPart(mediaType: string, source: FileSource, name?: string): Media {
  const [kind] = mediaType.split('/');
  if (kind === 'image' || kind === 'audio' || kind === 'video') return { type: kind, source };
  return { type: 'file', name, source };
}
