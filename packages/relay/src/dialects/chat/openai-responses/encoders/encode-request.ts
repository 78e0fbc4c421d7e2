import type { Ask, Conversation, OutputFormat } from '../../../../model/conversation.ts';
import { definedFields, reportDropped } from '../../../openai/defined-fields.ts';
import { effortOf } from '../../effort.ts';
import { encodeServiceTier, encodeUser } from '../../openai-request-fields.ts';
import { encodeItems } from './encode-items.ts';
import { encodeTools } from './encode-tools.ts';

/** The documented limit; less is answered with 400. */
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
  const { system, logprobs, maxOutputTokens } = conversation;
  dropUnsaid(conversation, dropped);
  const reasoning = encodeReasoning(conversation.reasoning);
  const include = [
    ...(reasoning['effort'] === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
    // Told only to who asks.
    ...(conversation.vendorTools.some(({ type }) => type === 'web-search')
      ? ['web_search_call.action.sources']
      : []),
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
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...definedFields({
      max_output_tokens:
        maxOutputTokens === undefined ? undefined : Math.max(OUTPUT_TOKENS_MIN, maxOutputTokens),
      temperature: conversation.temperature,
      top_p: conversation.topP,
      top_logprobs: logprobs === 0 ? undefined : logprobs,
      metadata: conversation.metadata,
      safety_identifier: encodeUser(conversation.userId, dropped),
      prompt_cache_key: conversation.cacheKey,
      service_tier: encodeServiceTier(conversation.serviceTier),
    }),
  };
}

/** Reports the fields that this dialect doesn't support. */
function dropUnsaid(conversation: Conversation, dropped: string[]): void {
  const { choices = 1, outputKinds = [] } = conversation;
  const unsaid = {
    stop: conversation.stop,
    seed: conversation.seed,
    top_k: conversation.topK,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    n: choices > 1 ? choices : undefined,
    modalities: outputKinds.some((kind) => kind !== 'text') ? outputKinds : undefined,
    audio: conversation.speech,
  };
  reportDropped(unsaid, dropped);
}

function encodeReasoning(reasoning: Conversation['reasoning']): Record<string, unknown> {
  return definedFields({
    effort: effortOf(reasoning),
    summary: reasoning?.isShown === true ? 'auto' : undefined,
  });
}

function encodeText({ outputFormat, verbosity }: Conversation): Record<string, unknown> {
  return definedFields({ format: outputFormat && encodeOutputFormat(outputFormat), verbosity });
}

function encodeOutputFormat(format: OutputFormat): Record<string, unknown> {
  if (format.type === 'json') return { type: 'json_object' };
  const { name, schema, strict } = format;
  return { type: 'json_schema', name, schema, ...(strict !== undefined && { strict }) };
}
