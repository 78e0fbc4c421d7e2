import { readCacheMark } from '../../cache-mark.ts';
import type {
  Conversation,
  OutputFormat,
  ReasoningEffort,
  TextPart,
  Tool,
  ToolChoice,
} from '../../conversation.ts';
import { InvalidRequest } from '../../format.ts';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json.ts';
import { decodeTurns } from './decode-turns.ts';

const covered = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'stream',
  'metadata',
]); // prettier-ignore

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export function decodeRequest(body: JsonObject): Conversation {
  const unsupported = Object.keys(body).filter((key) => !covered.has(key) && body[key] != null);
  const choice = objectOf(body['tool_choice']);
  const output = objectOf(body['output_config']);
  const stops = listOf(body['stop_sequences']).filter((stop) => typeof stop === 'string');
  return {
    system: decodeSystem(body['system']),
    turns: decodeTurns(listOf(body['messages']), unsupported),
    tools: decodeTools(listOf(body['tools']), unsupported),
    vendorTools: [],
    toolChoice: decodeToolChoice(choice),
    parallelToolCalls: choice['disable_parallel_tool_use'] === true ? false : undefined,
    maxOutputTokens: numberOf(body['max_tokens']),
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    topK: numberOf(body['top_k']),
    stop: stops.length > 0 ? stops : undefined,
    reasoning: decodeThinking(objectOf(body['thinking']), output['effort']),
    outputFormat: decodeOutputFormat(objectOf(output['format'] ?? body['output_format'])),
    userId: textOf(objectOf(body['metadata'])['user_id']),
    unsupported,
  };
}

function decodeSystem(system: unknown): TextPart[] {
  const text = textOf(system);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(system).flatMap((value) => {
    const block = objectOf(value);
    const text = textOf(block['text']);
    return text === undefined ? [] : [{ type: 'text' as const, text, cache: readCacheMark(block) }];
  });
}

/** Tools with a type of their own run at the vendor and exist nowhere else. */
function decodeTools(tools: readonly unknown[], unsupported: string[]): Tool[] {
  return tools.flatMap((value): Tool[] => {
    const tool = objectOf(value);
    const type = textOf(tool['type']) ?? 'custom';
    if (type !== 'custom') {
      unsupported.push(`tools.${type}`);
      return [];
    }
    const name = textOf(tool['name']);
    if (name === undefined) throw new InvalidRequest('Each tool needs a name.', 'tools');
    return [
      {
        name,
        description: textOf(tool['description']),
        parameters: tool['input_schema'],
        strict: typeof tool['strict'] === 'boolean' ? tool['strict'] : undefined,
        cache: readCacheMark(tool),
      },
    ];
  });
}

function decodeToolChoice(choice: JsonObject): ToolChoice | undefined {
  const name = textOf(choice['name']);
  switch (choice['type']) {
    case 'auto':
    case 'none':
      return { type: choice['type'] };
    case 'any':
      return { type: 'required' };
    case 'tool':
      return name === undefined ? undefined : { type: 'tool', name };
    default:
      return undefined;
  }
}

function decodeThinking(thinking: JsonObject, effortWord: unknown): Conversation['reasoning'] {
  if (thinking['type'] === 'disabled') return { effort: 'none' };
  const effort = efforts.find((effort) => effort === effortWord);
  if (effort !== undefined) return { effort };
  const budgetTokens = thinking['type'] === 'enabled' ? numberOf(thinking['budget_tokens']) : undefined;
  return budgetTokens === undefined ? undefined : { budgetTokens };
}

function decodeOutputFormat(format: JsonObject): OutputFormat | undefined {
  if (format['type'] !== 'json_schema') return undefined;
  return { type: 'json-schema', name: 'answer', schema: format['schema'] ?? { type: 'object' } };
}
