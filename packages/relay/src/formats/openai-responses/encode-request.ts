import type { Ask, Conversation, OutputFormat } from '../../conversation.ts';
import { effortOf } from '../openai-effort.ts';
import { encodeItems } from './encode-items.ts';
import { encodeTools } from './encode-tools.ts';

/** Documented limits; what is outside is answered with 400. Claude Code's user ids are longer. */
const USER_LENGTH_MAX = 64;
const OUTPUT_TOKENS_MIN = 16;

/**
 * A neutral conversation as a Responses request. Nothing is left at the vendor: it stores nothing, and what it wants
 * back of its thoughts comes with the answer, encrypted.
 */
export function encodeRequest(
  conversation: Conversation,
  ask: Ask,
  dropped: string[],
): Record<string, unknown> {
  const { system, cacheKey, metadata, logprobs, maxOutputTokens } = conversation;
  nameUnsaid(conversation, dropped);
  const reasoning = encodeReasoning(conversation.reasoning);
  const include = [
    ...(reasoning.effort === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
  ];
  const text = encodeText(conversation);
  return {
    model: ask.model,
    ...(system.length > 0 && { instructions: system.map((part) => part.text).join('\n\n') }),
    ...encodeTools(conversation, dropped),
    input: encodeItems(conversation.turns, dropped),
    store: false,
    ...(include.length > 0 && { include }),
    ...(ask.stream && { stream: true }),
    ...(maxOutputTokens !== undefined && {
      max_output_tokens: Math.max(OUTPUT_TOKENS_MIN, maxOutputTokens),
    }),
    ...(conversation.temperature !== undefined && { temperature: conversation.temperature }),
    ...(conversation.topP !== undefined && { top_p: conversation.topP }),
    ...((logprobs ?? 0) > 0 && { top_logprobs: logprobs }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(metadata !== undefined && { metadata }),
    ...encodeUser(conversation.userId, dropped),
    ...(cacheKey !== undefined && { prompt_cache_key: cacheKey }),
    ...(conversation.serviceTier !== undefined && {
      service_tier: conversation.serviceTier === 'standard' ? 'default' : 'auto',
    }),
  };
}

/** What this dialect has no word for. */
function nameUnsaid(conversation: Conversation, dropped: string[]): void {
  const unsaid = {
    stop: conversation.stop,
    seed: conversation.seed,
    top_k: conversation.topK,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    n: (conversation.choices ?? 1) > 1 ? conversation.choices : undefined,
    modalities: conversation.outputKinds?.some((kind) => kind !== 'text') === true ? true : undefined,
    audio: conversation.speech,
  };
  for (const [name, value] of Object.entries(unsaid)) if (value !== undefined) dropped.push(name);
  const parts = conversation.turns.flatMap((turn) => turn.parts);
  const marked = [...conversation.system, ...conversation.tools, ...parts].some(
    (part) => 'cache' in part && part.cache !== undefined,
  );
  // Prompts are cached without being asked for here.
  if (marked) dropped.push('cache_control');
}

function encodeReasoning(reasoning: Conversation['reasoning']): Record<string, unknown> {
  const effort = effortOf(reasoning);
  return {
    ...(effort !== undefined && { effort }),
    ...(reasoning?.isShown === true && { summary: 'auto' }),
  };
}

function encodeText({ outputFormat, verbosity }: Conversation): Record<string, unknown> {
  return {
    ...(outputFormat !== undefined && { format: encodeOutputFormat(outputFormat) }),
    ...(verbosity !== undefined && { verbosity }),
  };
}

function encodeOutputFormat(format: OutputFormat): Record<string, unknown> {
  if (format.type === 'json') return { type: 'json_object' };
  const { name, schema, strict } = format;
  return { type: 'json_schema', name, schema, ...(strict !== undefined && { strict }) };
}

function encodeUser(userId: string | undefined, dropped: string[]): Record<string, unknown> {
  if (userId === undefined) return {};
  if (userId.length <= USER_LENGTH_MAX) return { safety_identifier: userId };
  dropped.push('metadata.user_id');
  return {};
}
