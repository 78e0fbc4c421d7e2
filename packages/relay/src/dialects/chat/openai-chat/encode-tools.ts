import { writeCacheMark } from '../../../model/cache-mark.ts';
import type { Tool, ToolChoice, VendorTool } from '../../../model/conversation.ts';
import { reportDropped } from '../../openai/defined-fields.ts';

export function encodeTool(tool: Tool): Record<string, unknown> {
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(tool.parameters !== undefined && { parameters: tool.parameters }),
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
    ...writeCacheMark(tool),
  };
}

export function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return choice?.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice?.type;
}

/** Encodes the vendor tools. This dialect has only web search, as an option. */
export function encodeVendorTools(
  tools: readonly VendorTool[],
  dropped: string[],
): { web_search_options?: Record<string, unknown> } {
  let search: Record<string, unknown> | undefined;
  for (const tool of tools) {
    if (tool.type === 'web-search') search = encodeWebSearch(tool, dropped);
    else dropped.push(tool.type === 'url-fetch' ? 'tools.web_fetch' : 'tools.code_execution');
  }
  return search === undefined ? {} : { web_search_options: search };
}

function encodeWebSearch(
  tool: Extract<VendorTool, { type: 'web-search' }>,
  dropped: string[],
): Record<string, unknown> {
  const { maxUses, allowedDomains, blockedDomains, contextSize, userLocation } = tool;
  const unsaid = { max_uses: maxUses, allowed_domains: allowedDomains, blocked_domains: blockedDomains };
  reportDropped(unsaid, dropped, 'tools.web_search.');
  return {
    ...(contextSize !== undefined && { search_context_size: contextSize }),
    ...(userLocation !== undefined && {
      user_location: { type: 'approximate', approximate: userLocation },
    }),
  };
}
