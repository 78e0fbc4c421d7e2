import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsIn,
} from '../../../json/json.ts';
import { readCacheBreakpoint } from '../../../model/cache-breakpoint.ts';
import {
  type Conversation,
  readLocation,
  type Tool,
  type ToolChoice,
  type VendorTool,
} from '../../../model/conversation.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import {
  decodeEffort,
  decodeLevel,
  decodeMetadata,
  decodeOutputFormat,
  decodeServiceTier,
  decodeUser,
  toFunctionTool,
} from '../openai-fields-and-tools.ts';
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
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'n',
  'reasoning_effort',
  'response_format',
  'verbosity',
  'modalities',
  'audio',
  'web_search_options',
  'user',
  'safety_identifier',
  'metadata',
  'prompt_cache_key',
  'service_tier',
]); // prettier-ignore

const outputKinds = ['text', 'image', 'audio'] as const;

export function decodeRequest(body: JsonObject): Conversation {
  const unsupported = Object.keys(body).filter((key) => !covered.has(key) && isSet(body[key]));
  const effort = decodeEffort(body['reasoning_effort']);
  const format = objectOf(body['response_format']);
  return {
    ...decodeMessages(listOf(body['messages']), unsupported),
    tools: decodeTools(body, unsupported),
    vendorTools: decodeWebSearch(body['web_search_options']),
    toolChoice: decodeToolChoice(body),
    parallelToolCalls: booleanOf(body['parallel_tool_calls']),
    maxOutputTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']),
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    topK: numberOf(body['top_k']),
    stop: decodeStop(body['stop']),
    seed: numberOf(body['seed']),
    presencePenalty: dropZero(body['presence_penalty']),
    frequencyPenalty: dropZero(body['frequency_penalty']),
    logprobs: body['logprobs'] === true ? (numberOf(body['top_logprobs']) ?? 0) : undefined,
    choices: body['n'] === 1 ? undefined : numberOf(body['n']),
    reasoning: effort && { effort },
    outputFormat: decodeOutputFormat(format, objectOf(format['json_schema'])),
    verbosity: decodeLevel(body['verbosity']),
    outputKinds: decodeOutputKinds(body['modalities'], unsupported),
    speech: decodeSpeech(body['audio'], unsupported),
    userId: decodeUser(body),
    metadata: decodeMetadata(body['metadata']),
    cacheKey: textOf(body['prompt_cache_key']),
    serviceTier: decodeServiceTier(body['service_tier'], unsupported),
    unsupported,
  };
}

/** Returns whether a flag differs from its default, `false`. */
function isSet(value: unknown): boolean {
  return value != null && value !== false;
}

/** Returns undefined for a penalty of 0, the default, which other dialects would report as unsupported. */
function dropZero(value: unknown): number | undefined {
  return value === 0 ? undefined : numberOf(value);
}

function decodeStop(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  const stops = textsIn(value);
  return stops.length > 0 ? stops : undefined;
}

function decodeOutputKinds(value: unknown, unsupported: string[]): Conversation['outputKinds'] {
  const names = listOf(value);
  const kinds = outputKinds.filter((kind) => names.includes(kind));
  if (names.some((name) => !outputKinds.some((kind) => kind === name))) unsupported.push('modalities');
  return kinds.length > 0 ? kinds : undefined;
}

/** Decodes a voice; custom voices exist at OpenAI only. */
function decodeSpeech(value: unknown, unsupported: string[]): Conversation['speech'] {
  if (!isObject(value)) return undefined;
  const voice = textOf(value['voice']);
  const format = textOf(value['format']);
  if (voice !== undefined) return { voice, format };
  unsupported.push('audio.voice');
  return undefined;
}

/** Decodes tools, declared as `tools` or as the deprecated `functions`, without tools that the choice excludes. */
function decodeTools(body: JsonObject, unsupported: string[]): Tool[] {
  const tools = listOf(body['tools']).flatMap((tool, index) =>
    decodeTool(objectOf(tool), `tools[${index}]`, unsupported),
  );
  const functions = listOf(body['functions']).map((tool, index) => decodeFunction(tool, `functions[${index}]`));
  return allowedTools([...tools, ...functions], body['tool_choice'] ?? body['function_call']);
}

/** @param place position in the request, for errors */
function decodeTool(tool: JsonObject, place: string, unsupported: string[]): Tool[] {
  if (tool['type'] === 'function')
    return [{ ...decodeFunction(tool['function'], place), cache: readCacheBreakpoint(tool) }];
  if (tool['type'] === 'custom') return [decodeCustomTool(objectOf(tool['custom']), place, unsupported)];
  unsupported.push(`tools.${textOf(tool['type']) ?? 'unknown'}`);
  return [];
}

function decodeCustomTool(details: JsonObject, place: string, unsupported: string[]): Tool {
  return toFunctionTool(readName(details, place), objectOf(details['format']), unsupported);
}

function decodeFunction(value: unknown, place: string): Tool {
  const details = objectOf(value);
  const { parameters, strict } = details;
  return { ...readName(details, place), parameters: parameters ?? undefined, strict: booleanOf(strict) };
}

/** @throws InvalidRequestError */
function readName(details: JsonObject, place: string): Pick<Tool, 'name' | 'description'> {
  const name = textOf(details['name']);
  if (name === undefined) throw new InvalidRequestError(`${place} has no name. Add one.`, 'tools');
  return { name, description: textOf(details['description']) };
}

function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const value = body['tool_choice'] ?? body['function_call'];
  if (value === 'auto' || value === 'none' || value === 'required') return { type: value };
  if (!isObject(value)) return undefined;
  if (value['type'] === 'allowed_tools') {
    return { type: objectOf(value['allowed_tools'])['mode'] === 'required' ? 'required' : 'auto' };
  }
  const name = readToolName(value) ?? textOf(value['name']);
  return name === undefined ? undefined : { type: 'tool', name };
}

/** Returns the allowed tools, for dialects without such a choice. */
function allowedTools(tools: Tool[], choice: unknown): Tool[] {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return tools;
  const names = new Set(listOf(objectOf(choice['allowed_tools'])['tools']).map((tool) => readToolName(objectOf(tool))));
  return tools.filter((tool) => names.has(tool.name));
}

function readToolName(tool: JsonObject): string | undefined {
  return textOf(objectOf(tool['function'] ?? tool['custom'])['name']);
}

function decodeWebSearch(value: unknown): VendorTool[] {
  if (!isObject(value)) return [];
  const contextSize = decodeLevel(value['search_context_size']);
  const userLocation = readLocation(objectOf(value['user_location'])['approximate']);
  return [{ type: 'web-search', contextSize, userLocation }];
}
