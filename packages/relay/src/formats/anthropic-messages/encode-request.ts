import { writeCacheMark } from '../../cache-mark.ts';
import type { Ask, Conversation, TextPart, Tool } from '../../conversation.ts';
import { claudeModel } from './claude-models.ts';
import { closedSchema } from './closed-schema.ts';
import { encodeTurns } from './encode-turns.ts';
import { planThinking } from './plan-thinking.ts';

/**
 * The cap that is sent when the client set none, because this dialect requires one. Whole answers must arrive
 * within the vendor's ten minutes, hence not simply the model's maximum.
 */
const DEFAULT_OUTPUT_TOKENS = 16_384;

const jsonInstruction: TextPart = {
  type: 'text',
  text: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
};

export function encodeRequest(
  conversation: Conversation,
  ask: Ask,
  dropped: string[],
): Record<string, unknown> {
  const model = claudeModel(ask.model);
  const cap = conversation.maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, model.outputTokensMax);
  const thinking = planThinking(conversation, model, cap, dropped);
  const { outputFormat } = conversation;
  const isWithoutTools = conversation.tools.length === 0;
  const tools = isWithoutTools ? toolsOfHistory(conversation) : conversation.tools;
  const system =
    outputFormat?.type === 'json' ? [...conversation.system, jsonInstruction] : conversation.system;
  const outputConfig = {
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
    ...(outputFormat?.type === 'json-schema' && {
      format: { type: 'json_schema', schema: closedSchema(outputFormat.schema) },
    }),
  };
  const choice =
    isWithoutTools && tools.length > 0
      ? { type: 'none' }
      : encodeToolChoice(conversation, thinking.isOn, dropped);
  return {
    model: ask.model,
    max_tokens: thinking.maxTokens,
    ...(system.length > 0 && { system: encodeSystem(system) }),
    ...(tools.length > 0 && { tools: tools.map(encodeTool) }),
    ...(choice !== undefined && { tool_choice: choice }),
    messages: encodeTurns(conversation.turns, dropped),
    ...(ask.stream && { stream: true }),
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...encodeSampling(conversation, model.sampling && !thinking.isOn, dropped),
    ...encodeStop(conversation.stop, dropped),
    ...encodeUser(conversation.userId, dropped),
  };
}

/** A history with tool calls is refused without their tools, which other dialects let a client leave out. */
function toolsOfHistory(conversation: Conversation): Tool[] {
  const calls = conversation.turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  return [...new Set(calls.map((call) => call.name))].map((name) => ({
    name,
    parameters: { type: 'object' },
  }));
}

function encodeSystem(system: readonly TextPart[]): unknown {
  return system.map((part) => ({ type: 'text', text: part.text, ...writeCacheMark(part) }));
}

function encodeTool(tool: Tool): Record<string, unknown> {
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: tool.parameters ?? { type: 'object', properties: {} },
    ...(tool.strict !== undefined && { strict: tool.strict }),
    ...writeCacheMark(tool),
  };
}

/** While the model thinks it cannot be forced to call a tool. */
function encodeToolChoice(
  conversation: Conversation,
  isThinking: boolean,
  dropped: string[],
): Record<string, unknown> | undefined {
  const { toolChoice, parallelToolCalls, tools } = conversation;
  if (tools.length === 0) return undefined;
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

/** Temperature ends at 1 here, and newer models take it or `top_p`, not both. */
function encodeSampling(
  conversation: Conversation,
  isAllowed: boolean,
  dropped: string[],
): Record<string, unknown> {
  const { temperature, topP, topK } = conversation;
  if (!isAllowed) {
    for (const [name, value] of Object.entries({ temperature, top_p: topP, top_k: topK })) {
      if (value !== undefined) dropped.push(name);
    }
    return {};
  }
  if (temperature !== undefined && topP !== undefined) dropped.push('top_p');
  return {
    ...(temperature !== undefined && { temperature: Math.min(1, Math.max(0, temperature)) }),
    ...(temperature === undefined && topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** Sequences of white space are refused. */
function encodeStop(stop: readonly string[] | undefined, dropped: string[]): Record<string, unknown> {
  const usable = (stop ?? []).filter((sequence) => sequence.trim() !== '');
  if (usable.length < (stop?.length ?? 0)) dropped.push('stop');
  return usable.length > 0 ? { stop_sequences: usable } : {};
}

/** The vendor asks for opaque ids; an e-mail address stays here. */
function encodeUser(userId: string | undefined, dropped: string[]): Record<string, unknown> {
  if (userId === undefined) return {};
  if (!userId.includes('@')) return { metadata: { user_id: userId } };
  dropped.push('user');
  return {};
}
