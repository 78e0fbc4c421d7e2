import { closedSchema } from '../../../compatibility/closed-schema.ts';
import { jsonInstruction, schemaInstruction } from '../../../compatibility/json-instruction.ts';
import { hasCacheMark } from '../../../model/cache-mark.ts';
import type { Ask, Conversation, TextPart } from '../../../model/conversation.ts';
import { definedFields, reportDropped } from '../../openai/defined-fields.ts';
import { cachePoint } from './cache-point.ts';
import { type ConverseModel, converseModel } from './converse-models.ts';
import { encodeTools } from './encode-tools.ts';
import { encodeTurns } from './encode-turns.ts';
import { planThinking } from './plan-thinking.ts';

type Json = Record<string, unknown>;

/** A neutral conversation as a request whose model, and whether to stream, are in its address. */
export function encodeRequest(conversation: Conversation, ask: Ask, dropped: string[]): Json {
  const model = converseModel(ask.model);
  const thinking = planThinking(conversation, model, dropped);
  const system = encodeSystem(conversation, model, dropped);
  const inferenceConfig = encodeInference(conversation, thinking.takesSampling, dropped);
  const own = { ...thinking.fields, ...encodeTopK(conversation, model, dropped) };
  dropUnsaid(conversation, model, dropped);
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
    .flatMap((part) => [{ text: part.text }, ...cachePoint(part, model, dropped)]);
}

/** Returns the instruction that asks for the output format if the model cannot be constrained to it. */
function formatInstruction(
  { outputFormat }: Conversation,
  model: ConverseModel,
  dropped: string[],
): TextPart[] {
  if (outputFormat === undefined) return [];
  if (outputFormat.type === 'json') return [jsonInstruction];
  if (model.schemas) return [];
  dropped.push('response_format.json_schema');
  return [schemaInstruction(outputFormat.schema)];
}

/** The schema stands there as text. */
function encodeSchema({ outputFormat }: Conversation, model: ConverseModel, dropped: string[]): Json {
  if (outputFormat?.type !== 'json-schema' || !model.schemas) return {};
  const { name, schema } = outputFormat;
  const closed = closedSchema(schema, (keyword) => {
    dropped.push(`response_format.json_schema.${keyword}`);
  });
  const jsonSchema = { name, schema: JSON.stringify(closed) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

/** Temperature ends at 1 here; stop sequences of white space are refused. */
function encodeInference(conversation: Conversation, takesSampling: boolean, dropped: string[]): Json {
  const { temperature, topP, stop = [] } = conversation;
  const usable = stop.filter((sequence) => sequence.trim() !== '');
  if (usable.length < stop.length) dropped.push('stop');
  if (!takesSampling) reportDropped({ temperature, top_p: topP }, dropped);
  return definedFields({
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
function dropUnsaid(conversation: Conversation, model: ConverseModel, dropped: string[]): void {
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
    cache_control: model.cache === 'nowhere' && hasCacheMark(conversation) ? true : undefined,
  };
  reportDropped(unsaid, dropped);
  for (const { type } of vendorTools) dropped.push(`tools.${type}`);
}
