import { toClosedSchema, toStrictSchema } from '../../../compatibility/closed-json-schema.ts';
import { hasCacheBreakpoint } from '../../../model/cache-breakpoint.ts';
import type {
  Conversation,
  EncodeOptions,
  ReasoningEffort,
  TextPart,
  Tool,
  ToolChoice,
} from '../../../model/conversation.ts';
import { listHistoryTools } from '../../../translate/pair-tool-calls.ts';
import { pickDefinedFields, pushDroppedFields } from '../../../translate/pick-fields.ts';
import { jsonInstruction, schemaInstruction } from '../../../translate/turns-and-instructions.ts';
import { resolveEffort } from '../reasoning-effort.ts';
import { type ConverseModel, converseModel, encodeCachePoint } from './converse-models.ts';
import { encodeTurns } from './encode-turns.ts';

type Json = Record<string, unknown>;

/** Encodes a conversation; the model and the stream flag are in the URL. */
export function encodeRequest(conversation: Conversation, ask: EncodeOptions, dropped: string[]): Json {
  const model = converseModel(ask.model);
  const thinking = planThinking(conversation, model, dropped);
  const system = encodeSystem(conversation, model, dropped);
  const inferenceConfig = encodeInference(conversation, thinking.takesSampling, dropped);
  const own = { ...thinking.fields, ...encodeTopK(conversation, model, dropped) };
  dropUnsupported(conversation, model, dropped);
  return {
    ...(system.length > 0 && { system }),
    ...encodeTools(conversation, model, dropped),
    messages: encodeTurns(conversation.turns, model, dropped),
    ...(Object.keys(inferenceConfig).length > 0 && { inferenceConfig }),
    ...encodeSchema(conversation, model, dropped),
    ...(Object.keys(own).length > 0 && { additionalModelRequestFields: own }),
  };
}

function encodeSystem(conversation: Conversation, model: ConverseModel, dropped: string[]): Json[] {
  const texts = [...conversation.system, ...formatInstruction(conversation, model, dropped)];
  return texts
    .filter(({ text }) => text.trim() !== '')
    .flatMap((part) => [{ text: part.text }, ...encodeCachePoint(part, model, dropped)]);
}

/** Returns the instruction that asks for the output format if the model cannot be constrained to it. */
function formatInstruction({ outputFormat }: Conversation, model: ConverseModel, dropped: string[]): TextPart[] {
  if (outputFormat === undefined) return [];
  if (outputFormat.type === 'json') return [jsonInstruction];
  if (model.schemas) return [];
  dropped.push('response_format.json_schema');
  return [schemaInstruction(outputFormat.schema)];
}

/** Encodes the schema, which the API takes as text. */
function encodeSchema({ outputFormat }: Conversation, model: ConverseModel, dropped: string[]): Json {
  if (outputFormat?.type !== 'json-schema' || !model.schemas) return {};
  const { name, schema } = outputFormat;
  const closed = toClosedSchema(schema, (keyword) => {
    dropped.push(`response_format.json_schema.${keyword}`);
  });
  const jsonSchema = { name, schema: JSON.stringify(closed) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

/** Encodes sampling. The maximum temperature is 1, and stop sequences of white space are refused. */
function encodeInference(conversation: Conversation, takesSampling: boolean, dropped: string[]): Json {
  const { temperature, topP, stop = [] } = conversation;
  const usable = stop.filter((sequence) => sequence.trim() !== '');
  if (usable.length < stop.length) dropped.push('stop');
  if (!takesSampling) pushDroppedFields({ temperature, top_p: topP }, dropped);
  return pickDefinedFields({
    maxTokens: conversation.maxOutputTokens,
    ...(takesSampling && {
      temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0, temperature)),
      topP,
    }),
    stopSequences: usable.length > 0 ? usable : undefined,
  });
}

function encodeTopK({ topK }: Conversation, model: ConverseModel, dropped: string[]): Json {
  if (topK === undefined) return {};
  if (model.topK) return { inferenceConfig: { topK } };
  dropped.push('top_k');
  return {};
}

/** Reports the fields that this dialect doesn't support, by their names in other dialects. */
function dropUnsupported(conversation: Conversation, model: ConverseModel, dropped: string[]): void {
  const { choices, outputKinds = ['text'], vendorTools } = conversation;
  const unsaid = {
    seed: conversation.seed,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    logprobs: conversation.logprobs,
    n: choices === 1 ? undefined : choices,
    verbosity: conversation.verbosity,
    modalities: outputKinds.every((kind) => kind === 'text') ? undefined : outputKinds,
    audio: conversation.speech,
    parallel_tool_calls: conversation.parallelToolCalls === false ? false : undefined,
    user: conversation.userId,
    metadata: conversation.metadata,
    prompt_cache_key: conversation.cacheKey,
    cache_control: model.cache === 'nowhere' && hasCacheBreakpoint(conversation) ? true : undefined,
  };
  pushDroppedFields(unsaid, dropped);
  for (const { type } of vendorTools) dropped.push(`tools.${type}`);
}

/**
 * Encodes tools. The API cannot forbid tool calls except by omitting the tools, which a history with calls does not
 * allow.
 */
function encodeTools(conversation: Conversation, model: ConverseModel, dropped: string[]): Json {
  const { toolChoice } = conversation;
  const called = listHistoryTools(conversation);
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
  // Only Anthropic's models cache tools here.
  if (tool.cache !== undefined && model.cache !== 'nowhere') dropped.push('tools.cache_control');
  return {
    toolSpec: {
      name,
      ...(description !== undefined && description.trim() !== '' && { description }),
      inputSchema: { json: isStrict ? toStrictSchema(schema, dropped) : schema },
      ...(isStrict && { strict }),
    },
  };
}

function encodeToolChoice(choice: ToolChoice): Json {
  if (choice.type === 'tool') return { tool: { name: choice.name } };
  return choice.type === 'required' ? { any: {} } : { auto: {} };
}

interface ThinkingPlan {
  /** Model-specific request fields. */
  fields: Record<string, unknown>;
  /** True if `temperature` and `topP` are allowed beside it. */
  takesSampling: boolean;
}

type Level = 'low' | 'medium' | 'high';

const levels: Readonly<Record<ReasoningEffort, Level>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

function planThinking(conversation: Conversation, { thinking }: ConverseModel, dropped: string[]): ThinkingPlan {
  const plain: ThinkingPlan = { fields: {}, takesSampling: true };
  const effort = resolveEffort(conversation.reasoning);
  if (effort === undefined) return plain;
  if (thinking === 'effort') return { ...plain, fields: { reasoning_effort: levels[effort] } };
  if (effort === 'none') return plain;
  if (thinking === 'nova') return novaThinking(levels[effort], conversation.maxOutputTokens !== undefined);
  dropped.push('reasoning_effort');
  return plain;
}

/**
 * Plans Nova's thinking. The highest level allows neither a cap nor sampling. The cap limits the client's cost, so
 * that a capped request uses the level below.
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
function novaThinking(wanted: Level, isCapped: boolean): ThinkingPlan {
  const level = wanted === 'high' && isCapped ? 'medium' : wanted;
  return {
    fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } },
    takesSampling: level !== 'high',
  };
}
