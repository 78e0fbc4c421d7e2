import type { Conversation, OutputFormat, ReasoningEffort } from '../../conversation.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json.ts';
import { decodeMessages } from './decode-messages.ts';
import { decodeToolChoice, decodeTools, decodeWebSearch } from './decode-tools.ts';

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

const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const verbosities = ['low', 'medium', 'high'] as const;
const outputKinds = ['text', 'image', 'audio'] as const;
const serviceTiers = new Map<unknown, Conversation['serviceTier']>([
  ['auto', 'auto'],
  ['default', 'standard'],
]);

export function decodeRequest(body: JsonObject): Conversation {
  const unsupported = Object.keys(body).filter((key) => !covered.has(key) && isSaid(body[key]));
  if (isSaid(body['service_tier']) && !serviceTiers.has(body['service_tier']))
    unsupported.push('service_tier');
  return {
    ...decodeMessages(listOf(body['messages']), unsupported),
    tools: decodeTools(body, unsupported),
    vendorTools: decodeWebSearch(body['web_search_options']),
    toolChoice: decodeToolChoice(body),
    parallelToolCalls:
      typeof body['parallel_tool_calls'] === 'boolean' ? body['parallel_tool_calls'] : undefined,
    maxOutputTokens: numberOf(body['max_completion_tokens']) ?? numberOf(body['max_tokens']),
    temperature: numberOf(body['temperature']),
    topP: numberOf(body['top_p']),
    topK: numberOf(body['top_k']),
    stop: decodeStop(body['stop']),
    seed: numberOf(body['seed']),
    presencePenalty: unlessZero(body['presence_penalty']),
    frequencyPenalty: unlessZero(body['frequency_penalty']),
    logprobs: body['logprobs'] === true ? (numberOf(body['top_logprobs']) ?? 0) : undefined,
    choices: body['n'] === 1 ? undefined : numberOf(body['n']),
    reasoning: decodeEffort(body['reasoning_effort']),
    outputFormat: decodeOutputFormat(objectOf(body['response_format'])),
    verbosity: verbosities.find((verbosity) => verbosity === body['verbosity']),
    outputKinds: decodeOutputKinds(body['modalities'], unsupported),
    speech: decodeSpeech(body['audio'], unsupported),
    userId: textOf(body['safety_identifier']) ?? textOf(body['user']),
    metadata: decodeMetadata(body['metadata']),
    cacheKey: textOf(body['prompt_cache_key']),
    serviceTier: serviceTiers.get(body['service_tier']),
    unsupported,
  };
}

/** `false` is what happens anyway, for instance with `store`. */
function isSaid(value: unknown): boolean {
  return value != null && value !== false;
}

/** No penalty is what happens anyway; other dialects would have to name it as dropped. */
function unlessZero(value: unknown): number | undefined {
  return value === 0 ? undefined : numberOf(value);
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

function decodeOutputKinds(value: unknown, unsupported: string[]): Conversation['outputKinds'] {
  const names = listOf(value);
  const kinds = outputKinds.filter((kind) => names.includes(kind));
  if (names.some((name) => !outputKinds.some((kind) => kind === name))) unsupported.push('modalities');
  return kinds.length > 0 ? kinds : undefined;
}

/** A voice may also be one that its owner had made, which only OpenAI has. */
function decodeSpeech(value: unknown, unsupported: string[]): Conversation['speech'] {
  if (!isObject(value)) return undefined;
  const voice = textOf(value['voice']);
  const format = textOf(value['format']);
  if (voice !== undefined) return { voice, format };
  unsupported.push('audio.voice');
  return undefined;
}

function decodeMetadata(value: unknown): Conversation['metadata'] {
  const entries = Object.entries(objectOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
