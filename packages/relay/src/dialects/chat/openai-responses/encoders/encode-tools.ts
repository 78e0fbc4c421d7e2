import type { Conversation, Tool, VendorTool } from '../../../../model/conversation.ts';
import { reportDropped } from '../../../openai/defined-fields.ts';

type Fields = Record<string, unknown>;

export function encodeTools(
  { tools, vendorTools, toolChoice, parallelToolCalls }: Conversation,
  dropped: string[],
): Fields {
  const encoded = [
    ...tools.map(encodeTool),
    ...vendorTools.flatMap((tool) => encodeVendorTool(tool, dropped)),
  ];
  if (encoded.length === 0) return {};
  return {
    tools: encoded,
    ...(toolChoice !== undefined && {
      tool_choice: toolChoice.type === 'tool' ? namedChoice(toolChoice.name, tools) : toolChoice.type,
    }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

/** A tool that runs at the vendor is named by its type. */
function namedChoice(name: string, tools: readonly Tool[]): Fields {
  const isOwn = name !== 'web_search' || tools.some((tool) => tool.name === name);
  return isOwn ? { type: 'function', name } : { type: 'web_search' };
}

/** Strict unless told otherwise here, the other way round elsewhere. */
function encodeTool({ name, description, parameters, strict }: Tool): Fields {
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? null,
    strict: strict ?? false,
  };
}

function encodeVendorTool(tool: VendorTool, dropped: string[]): Fields[] {
  switch (tool.type) {
    case 'web-search': {
      const { maxUses, allowedDomains, blockedDomains, contextSize, userLocation } = tool;
      reportDropped({ max_uses: maxUses, blocked_domains: blockedDomains }, dropped, 'tools.web_search.');
      return [
        {
          type: 'web_search',
          ...(allowedDomains !== undefined && { filters: { allowed_domains: allowedDomains } }),
          ...(contextSize !== undefined && { search_context_size: contextSize }),
          ...(userLocation !== undefined && { user_location: { type: 'approximate', ...userLocation } }),
        },
      ];
    }
    case 'code-execution':
      return [{ type: 'code_interpreter', container: { type: 'auto' } }];
    case 'url-fetch':
      dropped.push('tools.web_fetch');
      return [];
  }
}
