import { readCacheMark } from '../../cache-mark.ts';
import type { Conversation, OutputFormat, ReasoningEffort, Tool, ToolChoice } from '../../conversation.ts';
import { InvalidRequest } from '../../format.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json.ts';
import { decodeMessages } from './decode-messages.ts';

const covered = new Set([
  'model',
  'stream',
  'stream_options',
  'messages',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'reasoning_effort',
  'response_format',
  'user',
  'safety_identifier',
]); // prettier-ignore

/** Values that say what happens anyway. */
const harmless: Readonly<Record<string, unknown>> = {
  n: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
  store: false,
};

const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

export function decodeRequest(body: JsonObject): Conversation {
  const unsupported = Object.keys(body).filter(
    (key) => !covered.has(key) && body[key] != null && body[key] !== harmless[key],
  );
  const { system, turns } = decodeMessages(listOf(body['messages']), unsupported);
  const tools = [
    ...decodeTools(listOf(body['tools']), unsupported),
    ...decodeFunctions(listOf(body['functions'])),
  ];
  const choice = body['tool_choice'] ?? body['function_call'];
  return {
    system,
    turns,
    tools: allowedTools(tools, choice),
    vendorTools: [],
    toolChoice: decodeToolChoice(choice),
    parallelToolCalls:
      typeof body['parallel_tool_calls'] === 'boolean' ? body['parallel_tool_calls'] : undefined,
    maxOutputTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']),
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    topK: numberOf(body['top_k']),
    stop: decodeStop(body['stop']),
    reasoning: decodeEffort(body['reasoning_effort']),
    outputFormat: decodeOutputFormat(objectOf(body['response_format'])),
    userId: textOf(body['safety_identifier']) ?? textOf(body['user']),
    unsupported,
  };
}

function decodeTools(tools: readonly unknown[], unsupported: string[]): Tool[] {
  return tools.flatMap((value): Tool[] => {
    const tool = objectOf(value);
    if (tool['type'] !== 'function') {
      unsupported.push(`tools.${textOf(tool['type']) ?? 'unknown'}`);
      return [];
    }
    return [{ ...decodeFunction(tool['function']), cache: readCacheMark(tool) }];
  });
}

function decodeFunctions(functions: readonly unknown[]): Tool[] {
  return functions.map(decodeFunction);
}

function decodeFunction(value: unknown): Tool {
  const details = objectOf(value);
  const name = textOf(details['name']);
  if (name === undefined) throw new InvalidRequest('Each tool needs a name.', 'tools');
  return {
    name,
    description: textOf(details['description']),
    parameters: details['parameters'] ?? undefined,
    strict: typeof details['strict'] === 'boolean' ? details['strict'] : undefined,
  };
}

function decodeToolChoice(value: unknown): ToolChoice | undefined {
  if (value === 'auto' || value === 'none' || value === 'required') return { type: value };
  if (!isObject(value)) return undefined;
  if (value['type'] === 'allowed_tools') {
    return { type: objectOf(value['allowed_tools'])['mode'] === 'required' ? 'required' : 'auto' };
  }
  const name = textOf(objectOf(value['function'])['name']) ?? textOf(value['name']);
  return name === undefined ? undefined : { type: 'tool', name };
}

/** A dialect without "only these tools" gets only these tools. */
function allowedTools(tools: Tool[], choice: unknown): Tool[] {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return tools;
  const names = new Set(
    listOf(objectOf(choice['allowed_tools'])['tools']).map(
      (tool) => objectOf(objectOf(tool)['function'])['name'],
    ),
  );
  return tools.filter((tool) => names.has(tool.name));
}

function decodeStop(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  const stops = listOf(value).filter((stop) => typeof stop === 'string');
  return stops.length > 0 ? stops : undefined;
}

function decodeEffort(value: unknown): Conversation['reasoning'] {
  const effort = efforts.find((effort) => effort === value);
  return effort === undefined ? undefined : { effort };
}

function decodeOutputFormat(format: JsonObject): OutputFormat | undefined {
  if (format['type'] === 'json_object') return { type: 'json' };
  if (format['type'] !== 'json_schema') return undefined;
  const details = objectOf(format['json_schema']);
  return {
    type: 'json-schema',
    name: textOf(details['name']) ?? 'answer',
    schema: details['schema'] ?? { type: 'object' },
    ...(typeof details['strict'] === 'boolean' && { strict: details['strict'] }),
  };
}
