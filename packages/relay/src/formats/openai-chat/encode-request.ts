import { writeCacheMark } from '../../cache-mark.ts';
import type { Ask, Conversation, OutputFormat, Tool, ToolChoice } from '../../conversation.ts';
import { effortOf } from '../openai-effort.ts';
import { encodeMessages } from './encode-messages.ts';

/** Documented limits; more is answered with 400. Claude Code's user ids are longer. */
const STOPS_MAX = 4;
const USER_LENGTH_MAX = 64;

/**
 * A neutral conversation as a chat request. The output cap goes into `max_tokens`, which every vendor of this
 * dialect knows; OpenAI's providers rename it.
 */
export function encodeRequest(
  conversation: Conversation,
  ask: Ask,
  dropped: string[],
): Record<string, unknown> {
  const { tools, outputFormat } = conversation;
  const hasTools = tools.length > 0;
  const effort = effortOf(conversation.reasoning);
  const { stop, userId } = conversation;
  if (conversation.topK !== undefined) dropped.push('top_k');
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop_sequences');
  const isUserTooLong = (userId?.length ?? 0) > USER_LENGTH_MAX;
  if (isUserTooLong) dropped.push('metadata.user_id');
  return {
    model: ask.model,
    ...(hasTools && { tools: tools.map(encodeTool) }),
    messages: encodeMessages(conversation, dropped),
    ...(ask.stream && { stream: true, stream_options: { include_usage: true } }),
    ...(conversation.maxOutputTokens !== undefined && { max_tokens: conversation.maxOutputTokens }),
    ...(conversation.temperature !== undefined && { temperature: conversation.temperature }),
    ...(conversation.topP !== undefined && { top_p: conversation.topP }),
    ...(stop !== undefined && { stop: stop.slice(0, STOPS_MAX) }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(hasTools && conversation.toolChoice && { tool_choice: encodeToolChoice(conversation.toolChoice) }),
    ...(hasTools &&
      conversation.parallelToolCalls !== undefined && {
        parallel_tool_calls: conversation.parallelToolCalls,
      }),
    ...(outputFormat !== undefined && { response_format: encodeOutputFormat(outputFormat) }),
    ...(userId !== undefined && !isUserTooLong && { user: userId }),
  };
}

function encodeTool(tool: Tool): Record<string, unknown> {
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

function encodeToolChoice(choice: ToolChoice): unknown {
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type;
}

function encodeOutputFormat(format: OutputFormat): Record<string, unknown> {
  if (format.type === 'json') return { type: 'json_object' };
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } };
}
