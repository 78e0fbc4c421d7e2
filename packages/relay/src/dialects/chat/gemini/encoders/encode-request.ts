import { jsonInstruction, schemaInstruction } from '../../../../compatibility/json-instruction.ts';
import type { Ask, Conversation, OutputFormat, TextPart } from '../../../../model/conversation.ts';
import { definedFields, reportDropped } from '../../../openai/defined-fields.ts';
import { type GeminiModel, geminiModel } from '../gemini-models.ts';
import { planThinking } from '../plan-thinking.ts';
import { encodeContents } from './encode-contents.ts';
import { encodeTools } from './encode-tools.ts';

/** More is answered with 400. */
const STOPS_MAX = 5;

type Json = Record<string, unknown>;

/** A neutral conversation as a request whose model, and whether to stream, are in its address. */
export function encodeRequest(conversation: Conversation, ask: Ask, dropped: string[]): Json {
  const model = geminiModel(ask.model);
  // Up to Gemini 2.5 a request has functions or a form of the answer, and cannot do without its functions.
  const isFormless = !model.isThird && conversation.tools.length > 0;
  const system = [...conversation.system, ...(isFormless ? formatInstruction(conversation, dropped) : [])];
  const config = encodeConfig(
    isFormless ? { ...conversation, outputFormat: undefined } : conversation,
    model,
    dropped,
  );
  dropUnsaid(conversation, dropped);
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map(({ text }) => ({ text })) } }),
    ...encodeTools(conversation, model, dropped),
    contents: encodeContents(conversation.turns, model, dropped),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

function encodeConfig(conversation: Conversation, model: GeminiModel, dropped: string[]): Json {
  const { stop, logprobs, speech, outputKinds, choices } = conversation;
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop');
  if (speech?.format !== undefined) dropped.push('audio.format');
  return definedFields({
    maxOutputTokens: conversation.maxOutputTokens,
    temperature: conversation.temperature,
    topP: conversation.topP,
    topK: conversation.topK,
    seed: conversation.seed,
    stopSequences: stop?.slice(0, STOPS_MAX),
    presencePenalty: conversation.presencePenalty,
    frequencyPenalty: conversation.frequencyPenalty,
    candidateCount: choices === 1 ? undefined : choices,
    ...(logprobs !== undefined && { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }),
    ...encodeOutputFormat(conversation.outputFormat),
    responseModalities: outputKinds?.map((kind) => kind.toUpperCase()),
    speechConfig: speech && { voiceConfig: { prebuiltVoiceConfig: { voiceName: speech.voice } } },
    thinkingConfig: planThinking(conversation.reasoning, model, dropped),
  });
}

/** Asks the model in words for a form that the API cannot enforce. */
function formatInstruction({ outputFormat }: Conversation, dropped: string[]): TextPart[] {
  if (outputFormat === undefined) return [];
  dropped.push('response_format');
  return [outputFormat.type === 'json' ? jsonInstruction : schemaInstruction(outputFormat.schema)];
}

/** JSON Schema as it is: what of it is not understood there is not refused. */
function encodeOutputFormat(format: OutputFormat | undefined): Json {
  if (format === undefined) return {};
  return {
    responseMimeType: 'application/json',
    ...(format.type === 'json-schema' && { responseJsonSchema: format.schema }),
  };
}

/** Reports the fields that this dialect doesn't support, by their names in other dialects. */
function dropUnsaid(conversation: Conversation, dropped: string[]): void {
  const unsaid = {
    parallel_tool_calls: conversation.parallelToolCalls === false ? false : undefined,
    verbosity: conversation.verbosity,
    user: conversation.userId,
    metadata: conversation.metadata,
    prompt_cache_key: conversation.cacheKey,
  };
  reportDropped(unsaid, dropped);
}
