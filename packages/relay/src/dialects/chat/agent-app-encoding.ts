/** Shared parts of the dialects for vendor-hosted agent apps, which accept text and few other fields. */
import type { Conversation, EncodeOptions, ImagePart, Part, Turn } from '../../model/conversation.ts';
import { pushDroppedFields } from '../../translate/pick-fields.ts';

/** User ID of the gateway's own calls. */
const DEFAULT_USER_ID = 'api';

/**
 * Returns the user id to send. Agents keep memories, variables and conversations by user id, so that one which clients
 * choose or share would give them access to each other's.
 * https://docs.dify.ai/api-reference/chat/send-chat-message
 */
export function resolveUserId({ userId }: Conversation, { scopeUserId }: EncodeOptions): string {
  return scopeUserId?.(userId) ?? userId ?? DEFAULT_USER_ID;
}

/** Reports all generation settings as unsupported: they were fixed when the agent was configured. */
export function dropAllSettings(conversation: Conversation, dropped: string[]): void {
  const { choices, outputKinds = ['text'], reasoning } = conversation;
  const settings = {
    max_tokens: conversation.maxOutputTokens,
    temperature: conversation.temperature,
    top_p: conversation.topP,
    top_k: conversation.topK,
    stop: conversation.stop,
    seed: conversation.seed,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    logprobs: conversation.logprobs,
    n: choices === 1 ? undefined : choices,
    reasoning_effort: reasoning,
    response_format: conversation.outputFormat,
    verbosity: conversation.verbosity,
    modalities: outputKinds.every((kind) => kind === 'text') ? undefined : outputKinds,
    tools: conversation.tools.length > 0 ? true : undefined,
  };
  pushDroppedFields(settings, dropped);
  for (const { type } of conversation.vendorTools) dropped.push(`tools.${type}`);
}

/** Returns the text of a turn, including tool results. */
export function textOfTurn({ parts }: Turn): string {
  return parts.flatMap(textsOfPart).join('\n');
}

function textsOfPart(part: Part): string[] {
  if (part.type === 'text' || part.type === 'refusal') return part.text === '' ? [] : [part.text];
  if (part.type === 'tool-call') return [`[called ${part.name}: ${part.arguments}]`];
  if (part.type === 'tool-result') return part.content.flatMap(textsOfPart);
  return [];
}

/** Returns the URLs of images; other non-text parts are reported in `dropped`. */
export function listImageUrls(turns: readonly Turn[], dropped: string[]): string[] {
  return turns
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      if (isImageUrl(part)) return [part.source.url];
      if (!textPartTypes.has(part.type)) dropped.push(`messages.content.${part.type}`);
      return [];
    });
}

const textPartTypes: ReadonlySet<string> = new Set(['text', 'refusal', 'tool-call', 'tool-result']);

function isImageUrl(part: Part): part is ImagePart & { source: { url: string } } {
  return part.type === 'image' && 'url' in part.source;
}
