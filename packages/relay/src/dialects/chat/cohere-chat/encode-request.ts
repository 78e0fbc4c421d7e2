import type { Ask, Conversation, OutputFormat } from '../../../model/conversation.ts';
import { definedFields, reportDropped } from '../../openai/defined-fields.ts';
import { budgets } from '../effort.ts';
import { encodeMessages } from './encode-messages.ts';

type Json = Record<string, unknown>;

/** The vendor's limits; what is beyond them is answered with 400. */
const STOPS_MAX = 5;
const P_MIN = 0.01;
const P_MAX = 0.99;
const K_MAX = 500;

const reasoningModel = /reasoning|command-a-plus/;

export function encodeRequest(conversation: Conversation, { model, stream }: Ask, dropped: string[]): Json {
  const { stop, topK, topP } = conversation;
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop');
  dropUnsaid(conversation, dropped);
  return definedFields({
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
    frequency_penalty: penalty(conversation.frequencyPenalty),
    presence_penalty: penalty(conversation.presencePenalty),
    response_format: encodeOutputFormat(conversation.outputFormat),
    thinking: planThinking(conversation, model, dropped),
  });
}

function penalty(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(Math.max(value, 0), 1);
}

/** One certain tool cannot be demanded but by offering no other. */
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
      function: definedFields({
        name,
        description,
        parameters: parameters ?? { type: 'object', properties: {} },
      }),
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
  const { effort, budgetTokens = effort && budgets[effort] } = reasoning;
  const isOff = budgetTokens !== undefined && budgetTokens <= 0;
  if (!reasoningModel.test(model)) {
    if (!isOff) dropped.push('reasoning_effort');
    return undefined;
  }
  return isOff ? { type: 'disabled' } : definedFields({ type: 'enabled', token_budget: budgetTokens });
}

/** Reports the fields that this dialect doesn't support, by their names in other dialects. */
function dropUnsaid(conversation: Conversation, dropped: string[]): void {
  const { choices, outputKinds = ['text'], vendorTools } = conversation;
  const unsaid = {
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
  reportDropped(unsaid, dropped);
  for (const { type } of vendorTools) dropped.push(`tools.${type}`);
}
