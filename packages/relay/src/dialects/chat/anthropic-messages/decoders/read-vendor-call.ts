/**
 * Readers for the calls of the vendor's own tools: a `server_tool_use` block, and a result block whose type depends on
 * the tool.
 */
import { stringifyVendorJson } from '../../../../errors/response-errors.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import type { FoundSource, VendorCall } from '../../../../model/conversation.ts';

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
  return { tool: reading.tool, callId: textOf(block['id']) ?? '', input: said ?? stringifyVendorJson(input) };
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
