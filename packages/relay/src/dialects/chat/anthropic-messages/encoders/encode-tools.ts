import { strictSchema } from '../../../../compatibility/closed-schema.ts';
import { writeCacheMark } from '../../../../model/cache-mark.ts';
import type { Conversation, Tool, VendorTool } from '../../../../model/conversation.ts';
import { toolsOfHistory } from '../../tools-of-history.ts';

/** The client's own tools, and those of the vendor; `choice` is what may be called of them. */
export function encodeTools(
  conversation: Conversation,
  { isThinking, takesStrict }: { isThinking: boolean; takesStrict: boolean },
  dropped: string[],
): Record<string, unknown> {
  const { vendorTools } = conversation;
  const isWithoutOwn = conversation.tools.length === 0;
  const own = isWithoutOwn ? toolsOfHistory(conversation) : conversation.tools;
  const tools = [
    ...own.map((tool) => encodeTool(tool, takesStrict, dropped)),
    ...vendorTools.map((tool) => encodeVendorTool(tool, dropped)),
  ];
  if (tools.length === 0) return {};
  const isHistoryOnly = isWithoutOwn && vendorTools.length === 0;
  const choice = isHistoryOnly ? { type: 'none' } : encodeToolChoice(conversation, isThinking, dropped);
  return { tools, ...(choice !== undefined && { tool_choice: choice }) };
}

function encodeTool(tool: Tool, takesStrict: boolean, dropped: string[]): Record<string, unknown> {
  const schema = tool.parameters ?? { type: 'object', properties: {} };
  const isStrict = tool.strict === true && takesStrict;
  if (tool.strict === true && !takesStrict) dropped.push('tools.strict');
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: isStrict ? strictSchema(schema, dropped) : schema,
    // Models that cannot be held to a schema refuse the word.
    ...(tool.strict !== undefined && takesStrict && { strict: isStrict }),
    ...writeCacheMark(tool),
  };
}

/**
 * Encodes a vendor tool in the oldest version in use: all models know it, while newer versions need newer models and
 * are called from within code execution. Source: Anthropic's guides "Web search tool", "Web fetch tool" and "Code
 * execution tool".
 */
function encodeVendorTool(tool: VendorTool, dropped: string[]): Record<string, unknown> {
  switch (tool.type) {
    case 'web-search':
      return encodeWebSearch(tool, dropped);
    case 'code-execution':
      return { type: 'code_execution_20250825', name: 'code_execution' };
    case 'url-fetch':
    default: {
      const limit = tool.maxUses === undefined ? {} : { max_uses: tool.maxUses };
      return { type: 'web_fetch_20250910', name: 'web_fetch', ...limit };
    }
  }
}

/** Either domains to keep to or domains to leave out, not both. */
function encodeWebSearch(
  tool: Extract<VendorTool, { type: 'web-search' }>,
  dropped: string[],
): Record<string, unknown> {
  const { maxUses, allowedDomains, blockedDomains, contextSize, userLocation } = tool;
  if (contextSize !== undefined) dropped.push('web_search_options.search_context_size');
  const hasBoth = allowedDomains !== undefined && blockedDomains !== undefined;
  if (hasBoth) dropped.push('tools.web_search.blocked_domains');
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(maxUses !== undefined && { max_uses: maxUses }),
    ...(allowedDomains !== undefined && { allowed_domains: allowedDomains }),
    ...(blockedDomains !== undefined && !hasBoth && { blocked_domains: blockedDomains }),
    ...(userLocation !== undefined && { user_location: { type: 'approximate', ...userLocation } }),
  };
}

/** While the model thinks it cannot be forced to call a tool. */
function encodeToolChoice(
  conversation: Conversation,
  isThinking: boolean,
  dropped: string[],
): Record<string, unknown> | undefined {
  const { toolChoice, parallelToolCalls } = conversation;
  const isForced = toolChoice?.type === 'required' || toolChoice?.type === 'tool';
  if (isForced && isThinking) dropped.push('tool_choice');
  const choice = isForced && isThinking ? { type: 'auto' as const } : toolChoice;
  if (choice?.type === 'none') return { type: 'none' };
  if (choice === undefined && parallelToolCalls !== false) return undefined;
  return {
    type: choice?.type === 'required' ? 'any' : (choice?.type ?? 'auto'),
    ...(choice?.type === 'tool' && { name: choice.name }),
    ...(parallelToolCalls === false && { disable_parallel_tool_use: true }),
  };
}
