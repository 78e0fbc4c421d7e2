import type { Ask, Conversation, OutputFormat } from '../../conversation.ts';
import { effortOf } from '../openai-effort.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeTool, encodeToolChoice, encodeVendorTools } from './encode-tools.ts';

/** Documented limits; more is answered with 400. Claude Code's user ids are longer. */
const STOPS_MAX = 4;
const USER_LENGTH_MAX = 64;

/**
 * A neutral conversation as a chat request. The output cap goes into `max_tokens`, which every vendor of this
 * dialect knows; OpenAI's providers rename it.
 */
export function encodeRequest(
  conversation: Conversation,
  ask: Ask,
  dropped: string[],
): Record<string, unknown> {
  const { tools, outputFormat, reasoning, stop, userId } = conversation;
  const hasTools = tools.length > 0;
  if (conversation.topK !== undefined) dropped.push('top_k');
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop_sequences');
  const isUserTooLong = (userId?.length ?? 0) > USER_LENGTH_MAX;
  if (isUserTooLong) dropped.push('metadata.user_id');
  if (reasoning?.isShown === false) dropped.push('thinking.display');
  return {
    model: ask.model,
    ...(hasTools && { tools: tools.map(encodeTool) }),
    messages: encodeMessages(conversation, dropped),
    ...(ask.stream && { stream: true, stream_options: { include_usage: true } }),
    ...said({
      max_tokens: conversation.maxOutputTokens,
      temperature: conversation.temperature,
      top_p: conversation.topP,
      stop: stop?.slice(0, STOPS_MAX),
      seed: conversation.seed,
      presence_penalty: conversation.presencePenalty,
      frequency_penalty: conversation.frequencyPenalty,
      n: conversation.choices,
      reasoning_effort: effortOf(reasoning),
      tool_choice: hasTools ? encodeToolChoice(conversation.toolChoice) : undefined,
      parallel_tool_calls: hasTools ? conversation.parallelToolCalls : undefined,
      response_format: outputFormat && encodeOutputFormat(outputFormat),
      verbosity: conversation.verbosity,
      modalities: conversation.outputKinds,
      audio: encodeSpeech(conversation.speech, ask),
      user: isUserTooLong ? undefined : userId,
      metadata: conversation.metadata,
      prompt_cache_key: conversation.cacheKey,
      service_tier: conversation.serviceTier === 'standard' ? 'default' : conversation.serviceTier,
    }),
    ...encodeLogprobs(conversation.logprobs),
    ...encodeVendorTools(conversation.vendorTools, dropped),
  };
}

/** Fields that have a value. */
function said(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function encodeLogprobs(alternatives: number | undefined): Record<string, unknown> {
  if (alternatives === undefined) return {};
  return { logprobs: true, ...(alternatives > 0 && { top_logprobs: alternatives }) };
}

function encodeOutputFormat(format: OutputFormat): Record<string, unknown> {
  if (format.type === 'json') return { type: 'json_object' };
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } };
}

/** The format is required; in a stream there is one only. https://platform.openai.com/docs/guides/audio */
function encodeSpeech(speech: Conversation['speech'], { stream }: Ask): Record<string, unknown> | undefined {
  return speech && { voice: speech.voice, format: speech.format ?? (stream ? 'pcm16' : 'wav') };
}
