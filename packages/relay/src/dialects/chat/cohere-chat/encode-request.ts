import { toFileUrl } from '../../../media/data-url.ts';
import type {
  Conversation,
  EncodeOptions,
  OutputFormat,
  Part,
  ToolResultPart,
  Turn,
} from '../../../model/conversation.ts';
import { pairCallsWithResults } from '../../../translate/pair-tool-calls.ts';
import { pickDefinedFields, pushDroppedFields } from '../../../translate/pick-fields.ts';
import { checkArguments } from '../../../translate/tool-input.ts';
import { alternateTurns, convertSystemTurns } from '../../../translate/turns-and-instructions.ts';
import { effortBudgets } from '../reasoning-effort.ts';

type Json = Record<string, unknown>;

/** Vendor's limit; more is answered with 400. */
const STOPS_MAX = 5;
const P_MIN = 0.01;
const P_MAX = 0.99;
const K_MAX = 500;

const reasoningModel = /reasoning|command-a-plus/;

export function encodeRequest(conversation: Conversation, { model, stream }: EncodeOptions, dropped: string[]): Json {
  const { stop, topK, topP } = conversation;
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop');
  dropUnsupported(conversation, dropped);
  return pickDefinedFields({
    model,
    messages: encodeMessages(conversation, dropped),
    stream,
    ...encodeTools(conversation, dropped),
    max_tokens: conversation.maxOutputTokens,
    temperature: conversation.temperature,
    p: topP === undefined ? undefined : Math.min(Math.max(topP, P_MIN), P_MAX),
    k: topK === undefined ? undefined : Math.min(topK, K_MAX),
    seed: conversation.seed,
    stop_sequences: stop?.slice(0, STOPS_MAX),
    frequency_penalty: clampPenalty(conversation.frequencyPenalty),
    presence_penalty: clampPenalty(conversation.presencePenalty),
    response_format: encodeOutputFormat(conversation.outputFormat),
    thinking: planThinking(conversation, model, dropped),
  });
}

function clampPenalty(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(Math.max(value, 0), 1);
}

/** Encodes tools. A specific tool can only be forced by offering no other. */
function encodeTools({ tools, toolChoice }: Conversation, dropped: string[]): Json {
  const chosen = toolChoice?.type === 'tool' ? toolChoice.name : undefined;
  const offered = chosen === undefined ? tools : tools.filter(({ name }) => name === chosen);
  if (offered.length === 0) return {};
  const isStrict = offered.every(({ strict }) => strict === true);
  if (!isStrict && offered.some(({ strict }) => strict === true)) dropped.push('tools.strict');
  const isRequired = toolChoice?.type === 'required' || chosen !== undefined;
  return {
    tools: offered.map(({ name, description, parameters }) => ({
      type: 'function',
      function: pickDefinedFields({ name, description, parameters: parameters ?? { type: 'object', properties: {} } }),
    })),
    ...(isStrict && { strict_tools: true }),
    ...(isRequired && { tool_choice: 'REQUIRED' }),
    ...(toolChoice?.type === 'none' && { tool_choice: 'NONE' }),
  };
}

function encodeOutputFormat(format: OutputFormat | undefined): Json | undefined {
  if (format === undefined) return undefined;
  return { type: 'json_object', ...(format.type === 'json-schema' && { json_schema: format.schema }) };
}

/** https://docs.cohere.com/docs/reasoning */
function planThinking({ reasoning }: Conversation, model: string, dropped: string[]): Json | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens = effort && effortBudgets[effort] } = reasoning;
  const isOff = budgetTokens !== undefined && budgetTokens <= 0;
  if (!reasoningModel.test(model)) {
    if (!isOff) dropped.push('reasoning_effort');
    return undefined;
  }
  return isOff ? { type: 'disabled' } : pickDefinedFields({ type: 'enabled', token_budget: budgetTokens });
}

/** Reports the fields that this dialect doesn't support, by their names in other dialects. */
function dropUnsupported(conversation: Conversation, dropped: string[]): void {
  const { choices, outputKinds = ['text'], vendorTools } = conversation;
  const unsupportedFields = {
    n: choices === 1 ? undefined : choices,
    logprobs: conversation.logprobs,
    verbosity: conversation.verbosity,
    modalities: outputKinds.every((kind) => kind === 'text') ? undefined : outputKinds,
    audio: conversation.speech,
    parallel_tool_calls: conversation.parallelToolCalls === false ? false : undefined,
    user: conversation.userId,
    metadata: conversation.metadata,
    prompt_cache_key: conversation.cacheKey,
  };
  pushDroppedFields(unsupportedFields, dropped);
  for (const { type } of vendorTools) dropped.push(`tools.${type}`);
}

type Message = Record<string, unknown>;

/** @throws InvalidRequestError when the calls' arguments are too large to parse */
function encodeMessages({ system, turns }: Conversation, dropped: string[]): Message[] {
  const instructions = system.map(({ text }) => text).join('\n\n');
  const paired = alternateTurns(convertSystemTurns(pairCallsWithResults(turns)));
  checkArguments(paired);
  const messages = paired.flatMap((turn) =>
    turn.role === 'assistant' ? assistantMessages(turn, dropped) : userMessages(turn, dropped),
  );
  return instructions === '' ? messages : [{ role: 'system', content: instructions }, ...messages];
}

/** Returns the assistant's messages. The vendor accepts thoughts only before tool calls, as its plan. */
function assistantMessages({ parts }: Turn, dropped: string[]): Message[] {
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments || '{}' } }]
      : [],
  );
  const plan = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('');
  const text = parts.flatMap((part) => ('text' in part && part.type !== 'reasoning' ? [part.text] : [])).join('');
  if (plan !== '' && calls.length === 0) dropped.push('messages.reasoning_content');
  for (const { type } of parts) if (unsupportedParts.has(type)) dropped.push(`messages.assistant.${type}`);
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [
    {
      role: 'assistant',
      tool_calls: calls,
      ...(plan !== '' && { tool_plan: plan }),
      ...(text !== '' && { content: text }),
    },
  ];
}

const unsupportedParts: ReadonlySet<string> = new Set(['image', 'file', 'audio', 'video', 'vendor-call']);

/** Returns the user's messages. Results come first, as separate messages; their images follow in a user message. */
function userMessages({ parts }: Turn, dropped: string[]): Message[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const shown = results.flatMap(({ content }) => content.filter(({ type }) => type !== 'text'));
  const content = [...shown, ...parts.filter((part) => part.type !== 'tool-result')].flatMap((part) =>
    userContent(part, dropped),
  );
  const messages = results.map(toolMessage);
  const [only] = content;
  if (content.length === 1 && only?.['type'] === 'text') return [...messages, { role: 'user', content: only['text'] }];
  return content.length === 0 ? messages : [...messages, { role: 'user', content }];
}

function toolMessage({ callId, content, isError }: ToolResultPart): Message {
  const said = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}, see below]`));
  return { role: 'tool', tool_call_id: callId, content: `${isError ? 'Error: ' : ''}${said.join('\n')}` };
}

function userContent(part: Part, dropped: string[]): Message[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'image') {
    const { detail } = part;
    return [{ type: 'image_url', image_url: { url: toFileUrl(part.source), ...(detail !== undefined && { detail }) } }];
  }
  if (part.type === 'file' && 'base64' in part.source && part.source.mediaType.startsWith('text/'))
    return [{ type: 'text', text: Buffer.from(part.source.base64, 'base64').toString('utf8') }];
  dropped.push(`messages.content.${part.type}`);
  return [];
}
