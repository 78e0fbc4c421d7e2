import { type JsonObject, listOf, objectOf, textOf, textsIn } from '../../../json/json.ts';
import type { VendorCall } from '../../../model/conversation.ts';

/** Reads a vendor tool call; returns undefined for kinds without a neutral form. */
export function readVendorCall(item: JsonObject): VendorCall | undefined {
  const shared = { callId: textOf(item['id']) ?? '', ...(item['status'] === 'failed' && { isError: true }) };
  switch (item['type']) {
    case 'web_search_call':
      return { ...shared, ...readWebAction(objectOf(item['action'])) };
    case 'code_interpreter_call':
      return {
        ...shared,
        tool: 'code-execution',
        input: textOf(item['code']) ?? '',
        output: readOutput(item['outputs']),
      };
    default:
      return undefined;
  }
}

function readWebAction(action: JsonObject): Pick<VendorCall, 'tool' | 'input' | 'sources'> {
  const url = textOf(action['url']);
  if (action['type'] === 'open_page' || action['type'] === 'find_in_page')
    return { tool: 'url-fetch', input: url ?? '' };
  const queries = textsIn(action['queries']);
  const sources = listOf(action['sources']).flatMap((source) => {
    const url = textOf(objectOf(source)['url']);
    return url === undefined ? [] : [{ url, title: textOf(objectOf(source)['title']) ?? '' }];
  });
  return { tool: 'web-search', input: textOf(action['query']) ?? queries.join('\n'), sources };
}

function readOutput(outputs: unknown): string | undefined {
  const logs = listOf(outputs).flatMap((output) => textOf(objectOf(output)['logs']) ?? []);
  return logs.length > 0 ? logs.join('\n') : undefined;
}

/** Returns a vendor tool call as an output item. */
export function writeVendorCall(call: VendorCall, itemId: string): Record<string, unknown> {
  const shared = { id: itemId, status: call.isError === true ? 'failed' : 'completed' };
  const { input, output, sources = [] } = call;
  if (call.tool === 'code-execution') {
    const outputs = output === undefined ? null : [{ type: 'logs', logs: output }];
    // The container is unknown.
    return { ...shared, type: 'code_interpreter_call', code: input, container_id: '', outputs };
  }
  const action =
    call.tool === 'url-fetch'
      ? { type: 'open_page', url: input }
      : { type: 'search', query: input, queries: [input], sources: sources.map(({ url }) => ({ type: 'url', url })) };
  return { ...shared, type: 'web_search_call', action };
}
