import { stringifyVendorJson } from '../../../errors/upstream-error.ts';
import { type JsonObject, keyOf, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { FoundSource, ResponseEvent, VendorCall } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import type { CallIdRule } from '../../../translate/pair-tool-calls.ts';

/** Maximum vendor tool calls that wait for their results. */
const WAITING_MAX = 100;

/** Matches the calls of vendor tools with their results, which arrive in separate blocks. */
export class ServerToolCalls {
  readonly #waiting = new Map<string, VendorCall>();
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  addCall(block: JsonObject): ResponseEvent[] {
    const call = readVendorCall(block);
    if (call === undefined) this.#lost.add(`content.server_tool_use.${textOf(block['name']) ?? 'unknown'}`);
    else if (this.#waiting.size >= WAITING_MAX) return [{ type: 'vendor-call', call }];
    else this.#waiting.set(call.callId, call);
    return [];
  }

  addResult(block: JsonObject): ResponseEvent[] {
    const id = keyOf(block['tool_use_id']) ?? '';
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (call !== undefined) return [{ type: 'vendor-call', call: { ...call, ...readResult(block) } }];
    this.#lost.add(`content.${textOf(block['type']) ?? 'unknown'}`);
    return [];
  }

  /** Returns the calls without a result, which remain when the vendor pauses. */
  takeUnfinished(): ResponseEvent[] {
    return [...this.#waiting.values()].map((call) => ({ type: 'vendor-call', call }));
  }
}

/**
 * Form of a vendor's own tool: a `server_tool_use` block for the call, and a result block whose type depends on the
 * tool.
 */
interface Reading {
  tool: VendorCall['tool'];
  /** Member of the input that holds all of it; absent: the whole input as JSON. */
  input?: string;
}

/** Bash and the file editor belong to code execution. */
const readings = new Map<unknown, Reading>([
  ['web_search', { tool: 'web-search', input: 'query' }],
  ['web_fetch', { tool: 'url-fetch', input: 'url' }],
  ['code_execution', { tool: 'code-execution', input: 'code' }],
  ['bash_code_execution', { tool: 'code-execution', input: 'command' }],
  ['text_editor_code_execution', { tool: 'code-execution' }],
]);

/** @returns undefined for tools without a neutral equivalent */
export function readVendorCall(block: JsonObject): VendorCall | undefined {
  const reading = readings.get(block['name']);
  if (reading === undefined) return undefined;
  const input = objectOf(block['input']);
  const said = reading.input === undefined ? undefined : textOf(input[reading.input]);
  return { tool: reading.tool, callId: keyOf(block['id']) ?? '', input: said ?? stringifyVendorJson(input) };
}

/**
 * Reads the result of a vendor tool call: a list for a search, an object for any other tool. The result of a failed
 * call is an object with the error.
 */
export function readResult(block: JsonObject | undefined): Pick<VendorCall, 'output' | 'sources' | 'isError'> {
  const content = block?.['content'];
  const result = objectOf(content);
  if (Array.isArray(content)) return { sources: listOf(content).flatMap(readSources) };
  const type = textOf(result['type']) ?? '';
  if (type.endsWith('_error')) return { isError: true };
  if (type === 'web_fetch_result') {
    const title = objectOf(result['content'])['title'];
    return { sources: readSources({ url: result['url'], title }) };
  }
  const output = ['stdout', 'stderr', 'content'].flatMap((field) => textOf(result[field]) ?? []).join('');
  const hasFailed = typeof result['return_code'] === 'number' && result['return_code'] !== 0;
  return { ...(output !== '' && { output }), ...(hasFailed && { isError: true }) };
}

function readSources(value: unknown): FoundSource[] {
  const source = objectOf(value);
  const url = textOf(source['url']);
  return url === undefined ? [] : [{ url, title: textOf(source['title']) ?? '' }];
}

type Block = Record<string, unknown>;

/**
 * Encodes the call and its result. Encrypted contents belong to the vendor; they are empty if another vendor
 * searched.
 */
export function encodeVendorCall(call: VendorCall): { use: Block; result: Block } {
  const { tool, input, isError = false } = call;
  const id = toVendorCallId(call.callId);
  const written = {
    'web-search': { name: 'web_search', input: { query: input }, result: searchResults },
    'url-fetch': { name: 'web_fetch', input: { url: input }, result: fetchResult },
    'code-execution': { name: 'code_execution', input: { code: input }, result: codeResult },
  }[tool];
  const type = `${written.name}_tool_result`;
  // A failed program has output; other failed tools have none.
  const hasNothing = isError && tool !== 'code-execution';
  const content = hasNothing ? { type: `${type}_error`, error_code: 'unavailable' } : written.result(call);
  return {
    use: { type: 'server_tool_use', id, name: written.name, input: written.input },
    result: { type, tool_use_id: id, content },
  };
}

function searchResults({ sources = [] }: VendorCall): unknown {
  return sources.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: '',
    page_age: null,
  }));
}

function fetchResult({ input, output = '', sources = [] }: VendorCall): unknown {
  const [source = { url: input, title: '' }] = sources;
  const text = { type: 'text', media_type: 'text/plain', data: output };
  const document = { type: 'document', source: text, title: source.title, citations: null };
  return { type: 'web_fetch_result', url: source.url, retrieved_at: null, content: document };
}

function codeResult({ output = '', isError }: VendorCall): unknown {
  const return_code = isError === true ? 1 : 0;
  return { type: 'code_execution_result', stdout: output, stderr: '', return_code, content: [] };
}

const VENDOR_PREFIX = 'srvtoolu_';

export const callIdRule = { forbidden: /[^a-zA-Z0-9_-]/g } satisfies CallIdRule;

/** Returns the id of a vendor tool call, which has its own format. The same id always maps to the same result. */
function toVendorCallId(id: string): string {
  const clean = id.replaceAll(callIdRule.forbidden, '_');
  return clean.startsWith(VENDOR_PREFIX) ? clean : `${VENDOR_PREFIX}${clean}`;
}
