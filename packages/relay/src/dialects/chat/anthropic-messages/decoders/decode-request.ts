import { type JsonObject, listOf, numberOf, objectOf, textOf, textsIn } from '../../../../json/json.ts';
import { readCacheMark } from '../../../../model/cache-mark.ts';
import type {
  Conversation,
  OutputFormat,
  Reasoning,
  ReasoningEffort,
  TextPart,
} from '../../../../model/conversation.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
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
  'service_tier',
]); // prettier-ignore

const efforts: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
const serviceTiers = new Map<unknown, Conversation['serviceTier']>([
  ['auto', 'auto'],
  ['standard_only', 'standard'],
]);

export function decodeRequest(body: JsonObject): Conversation {
  const unsupported = Object.keys(body).filter((key) => !covered.has(key) && body[key] != null);
  const choice = objectOf(body['tool_choice']);
  const output = objectOf(body['output_config']);
  const stops = textsIn(body['stop_sequences']);
  const tier = body['service_tier'] ?? undefined;
  if (tier !== undefined && !serviceTiers.has(tier)) unsupported.push('service_tier');
  return {
    system: decodeSystem(body['system']),
    turns: decodeTurns(listOf(body['messages']), unsupported),
    ...decodeTools(body['tools'], unsupported),
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
    serviceTier: serviceTiers.get(tier),
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

/** `adaptive` leaves to the model how long it thinks, as is usual elsewhere. */
function decodeThinking(thinking: JsonObject, effortWord: unknown): Reasoning | undefined {
  if (thinking['type'] === 'disabled') return { effort: 'none' };
  const reasoning: Reasoning = {};
  const effort = efforts.find((effort) => effort === effortWord);
  const budgetTokens = thinking['type'] === 'enabled' ? numberOf(thinking['budget_tokens']) : undefined;
  if (effort !== undefined) reasoning.effort = effort;
  else if (budgetTokens !== undefined) reasoning.budgetTokens = budgetTokens;
  const isShown = displays.get(thinking['display']);
  if (isShown !== undefined) reasoning.isShown = isShown;
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

const displays = new Map<unknown, boolean>([
  ['summarized', true],
  ['omitted', false],
]);

function decodeOutputFormat(format: JsonObject): OutputFormat | undefined {
  if (format['type'] !== 'json_schema') return undefined;
  return { type: 'json-schema', name: 'answer', schema: format['schema'] ?? { type: 'object' } };
}
