import { toClosedSchema, toStrictSchema } from '../../../../compatibility/closed-json-schema.ts';
import { writeCacheBreakpoint } from '../../../../model/cache-breakpoint.ts';
import type { Conversation, EncodeOptions, TextPart, Tool, VendorTool } from '../../../../model/conversation.ts';
import { listHistoryTools } from '../../../../translate/pair-tool-calls.ts';
import { pushDroppedFields } from '../../../../translate/pick-fields.ts';
import { jsonInstruction, schemaInstruction } from '../../../../translate/turns-and-instructions.ts';
import { type ClaudeModel, claudeModel } from '../claude-models.ts';
import { planThinking } from '../plan-thinking.ts';
import { encodeTurns } from './encode-turns.ts';

/**
 * Default output cap, because this dialect requires one. Non-streaming responses must arrive within the vendor's ten
 * minutes, which excludes the model's maximum.
 */
const DEFAULT_OUTPUT_TOKENS = 16_384;

export function encodeRequest(
  conversation: Conversation,
  ask: EncodeOptions,
  dropped: string[],
): Record<string, unknown> {
  const model = claudeModel(ask.model);
  const wanted = conversation.maxOutputTokens ?? model.usualCap ?? DEFAULT_OUTPUT_TOKENS;
  const cap = Math.min(wanted, model.outputTokensMax);
  const thinking = planThinking(conversation, model, cap, dropped);
  const { outputFormat, serviceTier } = conversation;
  const system = [...conversation.system, ...formatInstruction(conversation, model, dropped)];
  const outputConfig = {
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
    ...(outputFormat?.type === 'json-schema' &&
      model.schemas && { format: encodeSchema(outputFormat.schema, dropped) }),
  };
  const said = system.filter(({ text }) => text.trim() !== '');
  dropUnsupported(conversation, dropped);
  return {
    model: ask.model,
    max_tokens: thinking.maxTokens,
    ...(said.length > 0 && { system: encodeSystem(said) }),
    ...encodeTools(conversation, { isThinking: thinking.isOn, takesStrict: model.schemas }, dropped),
    messages: encodeTurns(conversation.turns, model, thinking.isOn, dropped),
    ...(ask.stream && { stream: true }),
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...encodeSampling(conversation, model.sampling && !thinking.isOn, dropped),
    ...encodeStop(conversation.stop, dropped),
    ...encodeUser(conversation.userId, dropped),
    ...(serviceTier !== undefined && { service_tier: serviceTier === 'standard' ? 'standard_only' : 'auto' }),
  };
}

/** Returns an instruction for an output format that the API cannot enforce. */
function formatInstruction({ outputFormat }: Conversation, model: ClaudeModel, dropped: string[]): TextPart[] {
  if (outputFormat?.type === 'json') return [jsonInstruction];
  if (outputFormat === undefined || model.schemas) return [];
  dropped.push('response_format.json_schema');
  return [schemaInstruction(outputFormat.schema)];
}

function encodeSchema(schema: unknown, dropped: string[]): Record<string, unknown> {
  const closed = toClosedSchema(schema, (keyword) => {
    dropped.push(`response_format.json_schema.${keyword}`);
  });
  return { type: 'json_schema', schema: closed };
}

/** Reports the fields that this dialect doesn't support, by their names in other dialects. */
function dropUnsupported(conversation: Conversation, dropped: string[]): void {
  const { choices, outputKinds = ['text'] } = conversation;
  const unsaid = {
    seed: conversation.seed,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    logprobs: conversation.logprobs,
    n: choices === 1 ? undefined : choices,
    verbosity: conversation.verbosity,
    modalities: outputKinds.every((kind) => kind === 'text') ? undefined : outputKinds,
    audio: conversation.speech,
    metadata: conversation.metadata,
    prompt_cache_key: conversation.cacheKey,
  };
  pushDroppedFields(unsaid, dropped);
}

function encodeSystem(system: readonly TextPart[]): unknown {
  return system.map((part) => ({ type: 'text', text: part.text, ...writeCacheBreakpoint(part) }));
}

/** Encodes sampling. The maximum temperature is 1, and newer models accept it or `top_p`, not both. */
function encodeSampling(conversation: Conversation, isAllowed: boolean, dropped: string[]): Record<string, unknown> {
  const { temperature, topP, topK } = conversation;
  if (!isAllowed) {
    pushDroppedFields({ temperature, top_p: topP, top_k: topK }, dropped);
    return {};
  }
  if (temperature !== undefined && topP !== undefined) dropped.push('top_p');
  return {
    ...(temperature !== undefined && { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(temperature === undefined && topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** Encodes stop sequences without those of white space, which are refused. */
function encodeStop(stop: readonly string[] | undefined, dropped: string[]): Record<string, unknown> {
  const usable = (stop ?? []).filter((sequence) => sequence.trim() !== '');
  if (usable.length < (stop?.length ?? 0)) dropped.push('stop');
  return usable.length > 0 ? { stop_sequences: usable } : {};
}

/** Encodes the user id. The vendor asks for opaque ids, so that an e-mail address is not forwarded. */
function encodeUser(userId: string | undefined, dropped: string[]): Record<string, unknown> {
  if (userId === undefined) return {};
  if (!userId.includes('@')) return { metadata: { user_id: userId } };
  dropped.push('user');
  return {};
}

/** Encodes the client's tools and the vendor tools; `choice` restricts which of them may be called. */
export function encodeTools(
  conversation: Conversation,
  { isThinking, takesStrict }: { isThinking: boolean; takesStrict: boolean },
  dropped: string[],
): Record<string, unknown> {
  const { vendorTools } = conversation;
  const isWithoutOwn = conversation.tools.length === 0;
  const own = isWithoutOwn ? listHistoryTools(conversation) : conversation.tools;
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
    input_schema: isStrict ? toStrictSchema(schema, dropped) : schema,
    // Models without constrained decoding refuse the field.
    ...(tool.strict !== undefined && takesStrict && { strict: isStrict }),
    ...writeCacheBreakpoint(tool),
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

/** Encodes web search. The vendor accepts allowed domains or blocked domains, not both. */
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

/** Encodes the tool choice. A thinking model cannot be forced to call a tool. */
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
