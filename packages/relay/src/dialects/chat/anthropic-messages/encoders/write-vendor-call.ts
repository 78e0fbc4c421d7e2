import type { VendorCall } from '../../../../model/conversation.ts';
import { toVendorCallId } from '../open-blocks.ts';

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
