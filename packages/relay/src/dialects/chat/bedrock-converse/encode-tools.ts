import { strictSchema } from '../../../compatibility/closed-schema.ts';
import type { Conversation, Tool, ToolChoice } from '../../../model/conversation.ts';
import { toolsOfHistory } from '../tools-of-history.ts';
import type { ConverseModel } from './converse-models.ts';

type Json = Record<string, unknown>;

/**
 * There is no way to say that no tool may be called but to leave them out, which a history with calls does not allow.
 */
export function encodeTools(conversation: Conversation, model: ConverseModel, dropped: string[]): Json {
  const { toolChoice } = conversation;
  const called = toolsOfHistory(conversation);
  const isNone = toolChoice?.type === 'none';
  if (isNone && called.length === 0) return {};
  const tools = conversation.tools.length === 0 ? called : conversation.tools;
  if (tools.length === 0) return {};
  if (isNone) dropped.push('tool_choice');
  return {
    toolConfig: {
      tools: tools.map((tool) => encodeTool(tool, model, dropped)),
      ...(toolChoice !== undefined && !isNone && { toolChoice: encodeToolChoice(toolChoice) }),
    },
  };
}

function encodeTool(tool: Tool, model: ConverseModel, dropped: string[]): Json {
  const { name, description, parameters, strict } = tool;
  if (strict === true && !model.schemas) dropped.push('tools.strict');
  const isStrict = strict === true && model.schemas;
  const schema = parameters ?? { type: 'object', properties: {} };
  // No model here that is not Anthropic's caches tools.
  if (tool.cache !== undefined && model.cache !== 'nowhere') dropped.push('tools.cache_control');
  return {
    toolSpec: {
      name,
      ...(description !== undefined && description.trim() !== '' && { description }),
      inputSchema: { json: isStrict ? strictSchema(schema, dropped) : schema },
      ...(isStrict && { strict }),
    },
  };
}

function encodeToolChoice(choice: ToolChoice): Json {
  if (choice.type === 'tool') return { tool: { name: choice.name } };
  return choice.type === 'required' ? { any: {} } : { auto: {} };
}
