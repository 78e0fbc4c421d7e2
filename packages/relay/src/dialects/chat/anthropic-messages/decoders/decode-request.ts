import { decodeEntries } from '../../../../exchange/check-request-fields.ts';
import { describeValue } from '../../../../json/describe-value.ts';
import {
  booleanOf,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  objectsIn,
  textOf,
  textsIn,
} from '../../../../json/json.ts';
import { readCacheBreakpoint } from '../../../../model/cache-breakpoint.ts';
import {
  type Conversation,
  type OutputFormat,
  type Reasoning,
  type ReasoningEffort,
  readLocation,
  type TextPart,
  type Tool,
  type ToolChoice,
  type Turn,
  type VendorTool,
} from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { contentParts } from './decode-content.ts';

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
    return text === undefined ? [] : [{ type: 'text' as const, text, cache: readCacheBreakpoint(block) }];
  });
}

/** Decodes thinking. `adaptive` leaves its length to the model, which is the default elsewhere. */
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

function decodeTurns(messages: readonly unknown[], unsupported: string[]): Turn[] {
  return decodeEntries('messages', messages, (message): Turn => {
    const { role } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      throw new InvalidRequestError(`The role is ${describeValue(role)}. Use user or assistant.`);
    const parts = contentParts(message['content'], unsupported);
    if (role !== 'assistant' && parts.some(({ type }) => type === 'tool-call'))
      throw new InvalidRequestError('Only an assistant message can contain tool_use.');
    return { role, parts };
  });
}

interface DecodedTools {
  tools: Tool[];
  vendorTools: VendorTool[];
}

/**
 * Decodes tools. Tools with their own type run at the vendor, or are trained into its models (text editor, screen).
 */
export function decodeTools(value: unknown, unsupported: string[]): DecodedTools {
  const decoded: DecodedTools = { tools: [], vendorTools: [] };
  for (const [index, tool] of objectsIn(value).entries()) {
    const type = textOf(tool['type']) ?? 'custom';
    const vendorTool = decodeVendorTool(type, tool, unsupported);
    if (type === 'custom') decoded.tools.push(decodeTool(tool, index, unsupported));
    else if (vendorTool !== undefined) decoded.vendorTools.push(vendorTool);
    else unsupported.push(`tools.${type}`);
  }
  return decoded;
}

function decodeTool(tool: JsonObject, index: number, unsupported: string[]): Tool {
  const name = textOf(tool['name']);
  if (name === undefined) throw new InvalidRequestError(`tools[${index}] has no name. Add one.`, 'tools');
  collectOptions(tool, 'custom', ['description', 'input_schema', 'strict'], unsupported);
  return {
    name,
    description: textOf(tool['description']),
    parameters: tool['input_schema'],
    strict: booleanOf(tool['strict']),
    cache: readCacheBreakpoint(tool),
  };
}

/** Decodes a vendor tool by its name without the version date. */
function decodeVendorTool(type: string, tool: JsonObject, unsupported: string[]): VendorTool | undefined {
  const maxUses = numberOf(tool['max_uses']);
  switch (type.replace(/_\d+$/, '')) {
    case 'web_search':
      collectOptions(tool, 'web_search', ['allowed_domains', 'blocked_domains', 'user_location'], unsupported);
      return {
        type: 'web-search',
        maxUses,
        allowedDomains: decodeDomains(tool['allowed_domains']),
        blockedDomains: decodeDomains(tool['blocked_domains']),
        userLocation: readLocation(tool['user_location']),
      };
    case 'web_fetch':
      collectOptions(tool, 'web_fetch', [], unsupported);
      return { type: 'url-fetch', maxUses };
    case 'code_execution':
      collectOptions(tool, 'code_execution', [], unsupported);
      return { type: 'code-execution' };
    default:
      return undefined;
  }
}

const plainOptions = new Set(['type', 'name', 'max_uses', 'cache_control']);

/** Reports the options that are set; an option that is off has no effect. */
function collectOptions(tool: JsonObject, name: string, covered: string[], unsupported: string[]): void {
  for (const option of Object.keys(tool))
    if (tool[option] != null && tool[option] !== false && !plainOptions.has(option) && !covered.includes(option))
      unsupported.push(`tools.${name}.${option}`);
}

function decodeDomains(value: unknown): string[] | undefined {
  const domains = textsIn(value);
  return domains.length > 0 ? domains : undefined;
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
